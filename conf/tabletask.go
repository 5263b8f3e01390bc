package conf

// Keys for tasks and the TaskTracker.
var (
	JoinExpr = Text{"mapreduce.join.expr", "", "expression", "mapred.join.expr",
		"Expression that describes the inputs of a map-side join: `op(tbl(CLASS,\"PATH\"),...)`, where op is " +
			"inner, outer, or override."}
	JoinKeyComparator = Text{"mapreduce.join.keycomparator", "", "class name", "mapred.join.keycomparator",
		"Comparator that orders the keys of a map-side join. The default is the order of the key type."}
	LocalMapTasksMaximum = Int{"mapreduce.local.map.tasks.maximum", "",
		"1 to 1024; default the number of processors", "",
		"Maximum number of concurrent maps of a job that runs in the client's process."}
	LocalReduceTasksMaximum = Int{"mapreduce.local.reduce.tasks.maximum", "",
		"1 to 1024; default the number of processors", "",
		"Maximum number of concurrent reducers of a job that runs in the client's process."}
	MapCombineMinSpills = Int{"mapreduce.map.combine.minspills", "3", "1 to 2^31-1", "min.num.spills.for.combine",
		"Minimum number of spills for the merge to run the combiner again."}
	MapCPUVCores = Int{"mapreduce.map.cpu.vcores", "1", "1 to 1024", "",
		"Number of processors that a scheduler reserves for a map."}
	MapDebugScript = Text{"mapreduce.map.debug.script", "", "command", "mapred.map.task.debug.script",
		"Command that examines a failed map. Its arguments are the attempt's stdout, stderr, and syslog, and job.xml. " +
			"Its output becomes the debugout log."}
	MapEnv = List{"mapreduce.map.env", "", "NAME=value, comma-separated", "mapred.map.child.env",
		"Environment variables of maps."}
	MapFailuresMaxPercent = Int{"mapreduce.map.failures.maxpercent", "0", "0 to 100", "mapred.max.map.failures.percent",
		"Percentage of maps that may fail without failing the job."}
	MapInputFile = Text{"mapreduce.map.input.file", "", "path", "map.input.file",
		"Set for maps: input file, if the split is part of a single file."}
	MapInputLength = Text{"mapreduce.map.input.length", "", "bytes", "map.input.length",
		"Set for maps: length of the split."}
	MapInputStart = Text{"mapreduce.map.input.start", "", "bytes", "map.input.start",
		"Set for maps: offset of the split in the file."}
	MapMaxAttempts = Int{"mapreduce.map.maxattempts", "4", "1 to 1000", "mapred.map.max.attempts",
		"Number of failed attempts after which a map fails. In the client's process, a map has one attempt " +
			"unless it may skip bad records."}
	MapMemoryMB = Memory{"mapreduce.map.memory.mb", "1024", "MiB, 128 to 1048576; -1 = 1024", "mapred.job.map.memory.mb",
		"Memory of a map's process. A job without a cluster may use that much for each concurrent map."}
	MapOutputCompress = Bool{"mapreduce.map.output.compress", "false", "true, false", "mapred.compress.map.output",
		"Whether maps compress their output."}
	MapOutputCompressCodec = Text{"mapreduce.map.output.compress.codec", "org.apache.hadoop.io.compress.DefaultCodec",
		"class name", "mapred.map.output.compression.codec",
		"Codec of the map output."}
	MapOutputKeyClass = Text{"mapreduce.map.output.key.class", "", "class name; default that of the job's output",
		"mapred.mapoutput.key.class",
		"Type of the map output's keys if neither the program nor the input format defines it."}
	MapOutputKeyFieldSeparator = Text{"mapreduce.map.output.key.field.separator", "\t", "text",
		"map.output.key.field.separator",
		"Separator between the fields of keys for KeyFieldBasedComparator and KeyFieldBasedPartitioner."}
	MapOutputValueClass = Text{"mapreduce.map.output.value.class", "",
		"class name; default that of the job's output",
		"mapred.mapoutput.value.class",
		"Type of the map output's values if neither the program nor the input format defines it."}
	MapSkipMaxRecords = Int{"mapreduce.map.skip.maxrecords", "0", "0 to 2^62", "mapred.skip.map.max.skip.records",
		"Maximum number of records that a map may skip around a bad record. 0 means that maps skip no records. " +
			"Locating bad records takes several attempts, so also increase mapreduce.map.maxattempts."}
	MapSkipProcCountAutoIncr = Bool{"mapreduce.map.skip.proc-count.auto-incr", "true", "true, false",
		"mapred.skip.map.auto.incr.proc.count mapreduce.map.skip.proc.count.autoincr mapreduce.map.skip.proc-count.autoincr",
		"Whether a record counts as processed when Map returns. Set this key to false if the mapper buffers records " +
			"and increments SkippingTaskCounters:MapProcessedRecords itself."}
	MapSortSpillPercent = Float{"mapreduce.map.sort.spill.percent", "0.80", "0 to 1; 0 = 0.8", "io.sort.spill.percent",
		"How full the sort buffer must be before a spill starts."}
	MapSpeculative = Bool{"mapreduce.map.speculative", "true", "true, false", "mapred.map.tasks.speculative.execution",
		"Whether slow maps may get a second attempt."}
	MapperRegex = Text{"mapreduce.mapper.regex", "", "regular expression", "mapred.mapper.regex",
		"Regular expression for grep."}
	MapperRegexMapperGroup = Int{"mapreduce.mapper.regexmapper..group", "0", "0 to 1000", "mapred.mapper.regex.group",
		"Group of grep's expression to count. 0 means the whole match."}
	MultipleOutputs = Text{"mapreduce.multipleoutputs", "", "names", "mo.namedOutputs",
		"Named outputs of the program. The keys mapreduce.multipleoutputs.namedOutput.NAME.format, .key, and .value " +
			"name the classes of an output."}
	MultipleOutputsCounters = Bool{"mapreduce.multipleoutputs.counters", "false", "true, false", "mo.counters",
		"Whether howdah counts the records of multiple outputs, with one counter per base path."}
	OutputBaseName = Text{"mapreduce.output.basename", "part", "file name", "",
		"Prefix of the names of output files, except with Hadoop's old classes."}
	OutputFileOutputFormatCompress = Bool{"mapreduce.output.fileoutputformat.compress", "false", "true, false",
		"mapred.output.compress",
		"Whether jobs compress their output."}
	OutputFileOutputFormatCompressCodec = Text{"mapreduce.output.fileoutputformat.compress.codec",
		"org.apache.hadoop.io.compress.DefaultCodec", "class name", "mapred.output.compression.codec",
		"Codec of the output."}
	OutputFileOutputFormatCompressType = Text{"mapreduce.output.fileoutputformat.compress.type", "RECORD",
		"NONE, RECORD, BLOCK", "mapred.output.compression.type",
		"Kind of compression in SequenceFile output."}
	OutputFileOutputFormatOutputDir = Text{"mapreduce.output.fileoutputformat.outputdir", "", "path", "mapred.output.dir",
		"Output directory. It must not exist."}
	OutputLazyOutputFormatOutputFormat = Text{"mapreduce.output.lazyoutputformat.outputformat", "", "class name",
		"mapred.lazy.output.format",
		"Output format that LazyOutputFormat uses. LazyOutputFormat creates no empty files."}
	OutputSeqBinaryOutputFormatKeyClass = Text{"mapreduce.output.seqbinaryoutputformat.key.class", "",
		"class name; default that of the job's output", "mapred.seqbinary.output.key.class",
		"Key class that SequenceFileAsBinaryOutputFormat records in its files."}
	OutputSeqBinaryOutputFormatValueClass = Text{"mapreduce.output.seqbinaryoutputformat.value.class", "",
		"class name; default that of the job's output", "mapred.seqbinary.output.value.class",
		"Value class that SequenceFileAsBinaryOutputFormat records in its files."}
	OutputTextOutputFormatSeparator = Text{"mapreduce.output.textoutputformat.separator", "\t", "text",
		"mapred.textoutputformat.separator",
		"Separator between key and value in text output."}
	PartitionKeyComparatorOptions = Text{"mapreduce.partition.keycomparator.options", "", "-k1,2nr",
		"mapred.text.key.comparator.options",
		"Key fields by which KeyFieldBasedComparator orders keys, specified with sort's options -k BEGIN[,END], -n, " +
			"and -r. If unset, the comparator compares whole keys."}
	PartitionKeyPartitionerOptions = Text{"mapreduce.partition.keypartitioner.options", "", "-k1,2",
		"mapred.text.key.partitioner.options",
		"Key fields by which KeyFieldBasedPartitioner chooses the reducer. If unset, the partitioner uses whole keys."}
	PentominoClass = Text{"mapreduce.pentomino.class", "OneSidedPentomino", "OneSidedPentomino, Pentomino", "pent.class",
		"Variant of pentomino, in which pieces cannot (`OneSidedPentomino`) or can (`Pentomino`) be turned over."}
	PentominoDepth = Int{"mapreduce.pentomino.depth", "5", "1 to 18", "pent.depth",
		"Number of pieces that pentomino places before its maps begin."}
	PentominoHeight = Int{"mapreduce.pentomino.height", "10", "1 to 90", "pent.height",
		"Number of rows on pentomino's board."}
	PentominoWidth = Int{"mapreduce.pentomino.width", "9", "1 to 90", "pent.width",
		"Number of columns on pentomino's board."}
	RandomTextWriterBytesPerMap = Int{"mapreduce.randomtextwriter.bytespermap", "1073741824", "bytes, 1 to 2^63-1", "",
		"Bytes that each randomtextwriter map writes. If a total is set, this key determines only the number of maps."}
	RandomTextWriterMapsPerHost = Int{"mapreduce.randomtextwriter.mapsperhost", "10", "1 to 100000", "",
		"Number of randomtextwriter maps if no total is set. In Hadoop, this is the number per host."}
	RandomTextWriterMaxWordsKey = Int{"mapreduce.randomtextwriter.maxwordskey", "10", "0 to 1000000", "",
		"Maximum number of words in a randomtextwriter key."}
	RandomTextWriterMaxWordsValue = Int{"mapreduce.randomtextwriter.maxwordsvalue", "100", "0 to 1000000", "",
		"Maximum number of words in a randomtextwriter value."}
	RandomTextWriterMinWordsKey = Int{"mapreduce.randomtextwriter.minwordskey", "5", "0 to 1000000", "",
		"Minimum number of words in a randomtextwriter key."}
	RandomTextWriterMinWordsValue = Int{"mapreduce.randomtextwriter.minwordsvalue", "10", "0 to 1000000", "",
		"Minimum number of words in a randomtextwriter value."}
	RandomTextWriterTotalBytes = Int{"mapreduce.randomtextwriter.totalbytes", "0",
		"0 to 2^63-1; 0 = bytes per map times maps", "",
		"Bytes that all randomtextwriter maps write together."}
	RandomWriterBytesPerMap = Int{"mapreduce.randomwriter.bytespermap", "1073741824", "bytes, 1 to 2^63-1",
		"test.randomwrite.bytes_per_map",
		"Bytes that each randomwriter map writes."}
	RandomWriterMapsPerHost = Int{"mapreduce.randomwriter.mapsperhost", "10", "1 to 100000",
		"test.randomwriter.maps_per_host",
		"Number of randomwriter maps if no total is set. In Hadoop, this is the number per host."}
	RandomWriterMaxKey = Int{"mapreduce.randomwriter.maxkey", "1000", "bytes, 0 to 1000000000",
		"test.randomwrite.max_key",
		"Exclusive upper bound on the length of randomwriter's keys. If it equals the minimum length, all keys have " +
			"this length."}
	RandomWriterMaxValue = Int{"mapreduce.randomwriter.maxvalue", "20000", "bytes, 0 to 1000000000",
		"test.randomwrite.max_value",
		"Exclusive upper bound on the length of randomwriter's values. If it equals the minimum length, all values " +
			"have this length."}
	RandomWriterMinKey = Int{"mapreduce.randomwriter.minkey", "10", "bytes, 0 to 1000000000", "test.randomwrite.min_key",
		"Minimum length of randomwriter's keys."}
	RandomWriterMinValue = Int{"mapreduce.randomwriter.minvalue", "", "bytes, 0 to 1000000000",
		"test.randomwrite.min_value",
		"Minimum length of randomwriter's values."}
	RandomWriterTotalBytes = Int{"mapreduce.randomwriter.totalbytes", "0",
		"0 to 2^63-1; 0 = bytes per map times maps",
		"test.randomwrite.total_bytes",
		"Bytes that all randomwriter maps write together. howdah rounds a total above " +
			"mapreduce.randomwriter.bytespermap down to a multiple of that value."}
	ReduceCPUVCores = Int{"mapreduce.reduce.cpu.vcores", "1", "1 to 1024", "",
		"Number of processors that a scheduler reserves for a reducer."}
	ReduceDebugScript = Text{"mapreduce.reduce.debug.script", "", "command", "mapred.reduce.task.debug.script",
		"Command that examines a failed reducer. Its arguments are the attempt's stdout, stderr, and syslog, and " +
			"job.xml. Its output becomes the debugout log."}
	ReduceEnv = List{"mapreduce.reduce.env", "", "NAME=value, comma-separated", "mapred.reduce.child.env",
		"Environment variables of reducers."}
	ReduceFailuresMaxPercent = Int{"mapreduce.reduce.failures.maxpercent", "0", "0 to 100",
		"mapred.max.reduce.failures.percent",
		"Percentage of reducers that may fail without failing the job."}
	ReduceInputBufferPercent = Float{"mapreduce.reduce.input.buffer.percent", "0.0", "0 to 1",
		"mapred.job.reduce.input.buffer.percent",
		"Share of a reducer's memory that may still contain map output while Reduce runs."}
	ReduceMaxAttempts = Int{"mapreduce.reduce.maxattempts", "4", "1 to 1000", "mapred.reduce.max.attempts",
		"Number of failed attempts after which a reducer fails. In the client's process, a reducer has one " +
			"attempt unless it may skip bad groups."}
	ReduceMemoryMB = Memory{"mapreduce.reduce.memory.mb", "1024", "MiB, 128 to 1048576; -1 = 1024",
		"mapred.job.reduce.memory.mb",
		"Memory of a reducer's process. A job without a cluster may use that much for each concurrent reducer."}
	ReduceMergeInMemThreshold = Int{"mapreduce.reduce.merge.inmem.threshold", "1000",
		"-1 to 2^31-1; 0 or less = no limit",
		"mapred.inmem.merge.threshold",
		"Number of map outputs in memory at which a merge to disk starts."}
	ReduceShuffleConnectTimeout = Duration{"mapreduce.reduce.shuffle.connect.timeout", "180000", "ms, 1 to 1d", "",
		"How long a reducer waits for a connection to fetch map output."}
	ReduceShuffleInputBufferPercent = Float{"mapreduce.reduce.shuffle.input.buffer.percent", "0.70", "0 to 1; 0 = 0.7",
		"mapred.job.shuffle.input.buffer.percent",
		"Share of a reducer's memory for fetched map output."}
	ReduceShuffleMaxFetchFailuresFraction = Float{"mapreduce.reduce.shuffle.max-fetch-failures-fraction", "0.5", "0 to 1",
		"",
		"After failed fetches of a map's output, the map runs again only if the number of reported failures, divided " +
			"by the number of the job's running reducers, is at least this value. A reducer may report several failures."}
	ReduceShuffleMaxFetchFailuresNotifications = Int{"mapreduce.reduce.shuffle.max-fetch-failures-notifications", "3",
		"1 to 1000000", "",
		"Number of failed fetches of a map's output that reducers must report before the map runs again."}
	ReduceShuffleMaxFetchFailures = Int{"mapreduce.reduce.shuffle.maxfetchfailures", "10", "1 to 1000000", "",
		"Number of failed connections for one map output after which a reducer reports the failures to the " +
			"JobTracker. The reducer reports a damaged or late response immediately."}
	ReduceShuffleMemoryLimitPercent = Float{"mapreduce.reduce.shuffle.memory.limit.percent", "0.25", "0 to 1; 0 = 0.25",
		"",
		"Maximum size of a map output that a reducer keeps in memory, as a fraction of the buffer for fetched map " +
			"output."}
	ReduceShuffleMergePercent = Float{"mapreduce.reduce.shuffle.merge.percent", "0.66", "0 to 1; 0 = 0.66",
		"mapred.job.shuffle.merge.percent",
		"How full the buffer for fetched map output must be before a merge to disk starts."}
	ReduceShuffleParallelCopies = Int{"mapreduce.reduce.shuffle.parallelcopies", "5", "1 to 1000",
		"mapred.reduce.parallel.copies",
		"Number of concurrent fetches of map output."}
	ReduceShuffleReadTimeout = Duration{"mapreduce.reduce.shuffle.read.timeout", "180000", "ms, 1 to 1d", "",
		"How long a reducer waits for data from a map output."}
	ReduceShuffleRetryDelayMaxMS = Duration{"mapreduce.reduce.shuffle.retry-delay.max.ms", "60000", "ms, 1 to 1d", "",
		"Maximum delay before a reducer retries fetching from a host after a failure."}
	ReduceSkipMaxGroups = Int{"mapreduce.reduce.skip.maxgroups", "0", "0 to 2^62", "mapred.skip.reduce.max.skip.groups",
		"Maximum number of groups that a reducer may skip around a bad group. 0 means that reducers skip no groups."}
	ReduceSkipProcCountAutoIncr = Bool{"mapreduce.reduce.skip.proc-count.auto-incr", "true", "true, false",
		"mapred.skip.reduce.auto.incr.proc.count mapreduce.reduce.skip.proc.count.autoincr " +
			"mapreduce.reduce.skip.proc-count.autoincr",
		"Whether a group counts as processed when Reduce returns. Set this key to false if the reducer increments " +
			"SkippingTaskCounters:ReduceProcessedGroups itself."}
	ReduceSpeculative = Bool{"mapreduce.reduce.speculative", "true", "true, false",
		"mapred.reduce.tasks.speculative.execution",
		"Whether slow reducers may get a second attempt."}
	SleepJobMapSleepCount = Int{"mapreduce.sleepjob.map.sleep.count", "1", "1 to 2^63-1", "",
		"Set for sleep tasks: number of parts into which each map divides its sleep time."}
	SleepJobMapSleepTime = Int{"mapreduce.sleepjob.map.sleep.time", "100", "ms, 0 to 2^63-1", "",
		"Set for sleep tasks: how long each map sleeps (`-mt`)."}
	SleepJobReduceSleepCount = Int{"mapreduce.sleepjob.reduce.sleep.count", "1", "1 to 2^63-1", "",
		"Set for sleep tasks: number of parts into which each reducer divides its sleep time."}
	SleepJobReduceSleepTime = Int{"mapreduce.sleepjob.reduce.sleep.time", "100", "ms, 0 to 2^63-1", "",
		"Set for sleep tasks: how long each reducer sleeps (`-rt`)."}
	SortValidatorSortReduceTasks = Int{"mapreduce.sortvalidator.sort.reduce.tasks", "1", "1 to 1000000000",
		"sortvalidator.sort.reduce.tasks",
		"Set for testmapredsort maps: number of part files of the sorted output."}
	TaskAttemptID = Text{"mapreduce.task.attempt.id", "", "id", "mapred.task.id",
		"Set for tasks: id of the attempt."}
	TaskFilesPreserveFailedTasks = Bool{"mapreduce.task.files.preserve.failedtasks", "false", "true, false",
		"keep.failed.task.files",
		"Whether nodes keep the files of failed attempts until the TaskTracker restarts."}
	TaskFilesPreserveFilePattern = Text{"mapreduce.task.files.preserve.filepattern", "", "regular expression",
		"keep.task.files.pattern",
		"Pattern for the ids of attempts whose files nodes keep, even if the attempts succeed."}
	TaskID = Text{"mapreduce.task.id", "", "id", "mapred.tip.id",
		"Set for tasks: id of the task."}
	TaskIOSortFactor = Int{"mapreduce.task.io.sort.factor", "10", "2 to 10000", "io.sort.factor",
		"Maximum number of streams that one merge reads. If there is enough memory, a reducer's last merge also reads " +
			"up to 500 map outputs of the reducer's own host directly."}
	TaskIOSortMB = Int{"mapreduce.task.io.sort.mb", "100", "MiB, 1 to 2047", "io.sort.mb",
		"Size of the buffer in which a map collects and sorts its output. If it is not set, it is a quarter of the " +
			"task's memory if that is more than the default, up to 512, and less than the default if the memory does " +
			"not suffice. howdah rejects an explicitly set size that does not fit."}
	TaskIsMap = Text{"mapreduce.task.ismap", "", "true, false", "mapred.task.is.map",
		"Set for tasks: whether the task is a map."}
	TaskOutputDir = Text{"mapreduce.task.output.dir", "", "path", "mapred.work.output.dir",
		"Set for tasks: the attempt's output directory."}
	TaskPartition = Text{"mapreduce.task.partition", "", "number", "mapred.task.partition",
		"Set for tasks: index of the task."}
	TaskProfile = Bool{"mapreduce.task.profile", "false", "true, false", "mapred.task.profile",
		"Whether howdah profiles tasks. The profile is in profile.out among the attempt's logs. To read it, use go " +
			"tool pprof."}
	TaskProfileMaps = Text{"mapreduce.task.profile.maps", "", "ranges such as 0-2,5,8-", "mapred.task.profile.maps",
		"Maps to profile. The default is 0-2."}
	TaskProfileParams = Text{"mapreduce.task.profile.params", "", "text that contains cpu or heap",
		"mapred.task.profile.params",
		"Kind of profile: a heap profile if the text contains heap but not cpu, and a CPU profile otherwise."}
	TaskProfileReduces = Text{"mapreduce.task.profile.reduces", "", "ranges such as 0-2,5,8-",
		"mapred.task.profile.reduces",
		"Reducers to profile. The default is 0-2."}
	TaskSkipStartAttempts = Int{"mapreduce.task.skip.start.attempts", "2", "0 to 100",
		"mapred.skip.attempts.to.start.skipping",
		"Number of failed attempts after which a task runs in skipping mode, if the job may skip bad records."}
	TaskTimeout = Int{"mapreduce.task.timeout", "600000", "ms, 0 to 2^40; 0 = never", "mapred.task.timeout",
		"Time without progress after which an attempt fails."}
	TaskUserLogLimitKB = Int{"mapreduce.task.userlog.limit.kb", "102400", "KiB, 0 to 2^30; 0 = no limit",
		"mapred.userlog.limit.kb",
		"Size limit for each of a task's logs. When an attempt ends on its own, howdah keeps only the end of a longer " +
			"log. While an attempt runs, the TaskTracker checks its logs every second and truncates a log that is longer " +
			"than twice the limit. A job cannot exceed the limit that a TaskTracker's own configuration sets."}
	TaskTrackerCacheLocalSize = Size{"mapreduce.tasktracker.cache.local.size", "10737418240", "bytes or k m g, 1m to 1p",
		"local.cache.size",
		"Size of a node's distributed cache above which the TaskTracker removes unused copies. This is also the " +
			"maximum size of an unpacked archive."}
	TaskTrackerHostName = Text{"mapreduce.tasktracker.host.name", "", "host name", "slave.host.name",
		"Host name of the TaskTracker. The default is the machine's name."}
	TaskTrackerHTTPAddress = Text{"mapreduce.tasktracker.http.address", "127.0.0.1:50060", "host:port",
		"mapred.task.tracker.http.address",
		"Address of the TaskTracker's HTTP server, which serves its web page and map output."}
	TaskTrackerHTTPThreads = Int{"mapreduce.tasktracker.http.threads", "40", "1 to 10000", "tasktracker.http.threads",
		"Number of map output requests that a TaskTracker serves concurrently."}
	TaskTrackerKerberosPrincipal = Text{"mapreduce.tasktracker.kerberos.principal", "", "principal", "",
		"Kerberos principal with which TaskTrackers and the agents of MR-clusters log in to the JobTracker and the " +
			"manager. _HOST stands for the host. To read a job's files, the TaskTrackers use the job's own tokens."}
	TaskTrackerKeytabFile = Text{"mapreduce.tasktracker.keytab.file", "", "local file", "",
		"Keytab of the TaskTracker."}
	TaskTrackerLocalDirMinSpaceKill = Int{"mapreduce.tasktracker.local.dir.minspacekill", "0", "bytes, 0 to 2^62",
		"mapred.local.dir.minspacekill",
		"If every local directory of a TaskTracker has less free space than this, the TaskTracker kills its " +
			"youngest running attempt."}
	TaskTrackerLocalDirMinSpaceStart = Int{"mapreduce.tasktracker.local.dir.minspacestart", "0", "bytes, 0 to 2^62",
		"mapred.local.dir.minspacestart",
		"A TaskTracker accepts tasks only if one of its local directories has more free space than this."}
	TaskTrackerMapTasksMaximum = Int{"mapreduce.tasktracker.map.tasks.maximum", "2", "0 to 10000, auto",
		"mapred.tasktracker.map.tasks.maximum",
		"Number of a TaskTracker's map slots. `auto` means the smallest of three numbers, but at least 1: one less " +
			"than the number of cores, one for each 2 GB of memory beyond the first 2 GB, and one for each 50 GB of disk."}
	TaskTrackerReduceTasksMaximum = Int{"mapreduce.tasktracker.reduce.tasks.maximum", "2", "0 to 10000, auto",
		"mapred.tasktracker.reduce.tasks.maximum",
		"Number of a TaskTracker's reduce slots. `auto` means the smallest of three numbers, but at least 1: one less " +
			"than the number of cores, one for each 2 GB of memory beyond the first 2 GB, and one for each 50 GB of disk."}
	TaskTrackerTasksSleepTimeBeforeSIGKILL = Int{"mapreduce.tasktracker.tasks.sleeptimebeforesigkill", "5000",
		"ms, 0 to 1h", "mapred.tasktracker.tasks.sleeptime-before-sigkill",
		"Time between SIGTERM and SIGKILL when a TaskTracker kills a task."}
	TeraSortNumRows = Int{"mapreduce.terasort.num-rows", "0", "0 to 2^63-1", "terasort.num-rows",
		"Set for teragen jobs: number of rows to write."}
	TeraSortNumPartitions = Int{"mapreduce.terasort.num.partitions", "10", "1 to 1000000", "terasort.num.partitions",
		"Maximum number of splits that TeraSort samples."}
	TeraSortPartitionsSample = Int{"mapreduce.terasort.partitions.sample", "100000", "1 to 1000000000",
		"terasort.partitions.sample",
		"Maximum number of rows that TeraSort samples to find the cut points."}
	TeraSortSimplePartitioner = Bool{"mapreduce.terasort.simplepartitioner", "false", "true, false",
		"terasort.simplepartitioner",
		"Whether TeraSort divides the key space into equal ranges instead of sampling. Part files then have " +
			"similar sizes only if keys are evenly distributed."}
	TotalOrderPartitionerNaturalOrder = Bool{"mapreduce.totalorderpartitioner.naturalorder", "true", "true, false",
		"total.order.partitioner.natural.order",
		"Whether the total-order partitioner compares Text and BytesWritable keys by their bytes. Set this key to " +
			"false for jobs that order such keys differently."}
	TotalOrderPartitionerPath = Text{"mapreduce.totalorderpartitioner.path", "_partition.lst", "path",
		"total.order.partitioner.path",
		"File with the cut points of the total-order partitioner."}
)

var taskKeys = []declared{
	&JoinExpr, &JoinKeyComparator, &LocalMapTasksMaximum, &LocalReduceTasksMaximum, &MapCombineMinSpills, &MapCPUVCores,
	&MapDebugScript, &MapEnv, &MapFailuresMaxPercent, &MapInputFile, &MapInputLength, &MapInputStart, &MapMaxAttempts,
	&MapMemoryMB, &MapOutputCompress, &MapOutputCompressCodec, &MapOutputKeyClass, &MapOutputKeyFieldSeparator,
	&MapOutputValueClass, &MapSkipMaxRecords, &MapSkipProcCountAutoIncr, &MapSortSpillPercent, &MapSpeculative,
	&MapperRegex, &MapperRegexMapperGroup, &MultipleOutputs, &MultipleOutputsCounters, &OutputBaseName,
	&OutputFileOutputFormatCompress, &OutputFileOutputFormatCompressCodec, &OutputFileOutputFormatCompressType,
	&OutputFileOutputFormatOutputDir, &OutputLazyOutputFormatOutputFormat, &OutputSeqBinaryOutputFormatKeyClass,
	&OutputSeqBinaryOutputFormatValueClass, &OutputTextOutputFormatSeparator, &PartitionKeyComparatorOptions,
	&PartitionKeyPartitionerOptions, &PentominoClass, &PentominoDepth, &PentominoHeight, &PentominoWidth,
	&RandomTextWriterBytesPerMap, &RandomTextWriterMapsPerHost, &RandomTextWriterMaxWordsKey,
	&RandomTextWriterMaxWordsValue, &RandomTextWriterMinWordsKey, &RandomTextWriterMinWordsValue,
	&RandomTextWriterTotalBytes, &RandomWriterBytesPerMap, &RandomWriterMapsPerHost, &RandomWriterMaxKey,
	&RandomWriterMaxValue, &RandomWriterMinKey, &RandomWriterMinValue, &RandomWriterTotalBytes, &ReduceCPUVCores,
	&ReduceDebugScript, &ReduceEnv, &ReduceFailuresMaxPercent, &ReduceInputBufferPercent, &ReduceMaxAttempts,
	&ReduceMemoryMB, &ReduceMergeInMemThreshold, &ReduceShuffleConnectTimeout, &ReduceShuffleInputBufferPercent,
	&ReduceShuffleMaxFetchFailuresFraction, &ReduceShuffleMaxFetchFailuresNotifications, &ReduceShuffleMaxFetchFailures,
	&ReduceShuffleMemoryLimitPercent, &ReduceShuffleMergePercent, &ReduceShuffleParallelCopies, &ReduceShuffleReadTimeout,
	&ReduceShuffleRetryDelayMaxMS, &ReduceSkipMaxGroups, &ReduceSkipProcCountAutoIncr, &ReduceSpeculative,
	&SleepJobMapSleepCount, &SleepJobMapSleepTime, &SleepJobReduceSleepCount, &SleepJobReduceSleepTime,
	&SortValidatorSortReduceTasks, &TaskAttemptID, &TaskFilesPreserveFailedTasks, &TaskFilesPreserveFilePattern, &TaskID,
	&TaskIOSortFactor, &TaskIOSortMB, &TaskIsMap, &TaskOutputDir, &TaskPartition, &TaskProfile, &TaskProfileMaps,
	&TaskProfileParams, &TaskProfileReduces, &TaskSkipStartAttempts, &TaskTimeout, &TaskUserLogLimitKB,
	&TaskTrackerCacheLocalSize, &TaskTrackerHostName, &TaskTrackerHTTPAddress, &TaskTrackerHTTPThreads,
	&TaskTrackerKerberosPrincipal, &TaskTrackerKeytabFile, &TaskTrackerLocalDirMinSpaceKill,
	&TaskTrackerLocalDirMinSpaceStart, &TaskTrackerMapTasksMaximum, &TaskTrackerReduceTasksMaximum,
	&TaskTrackerTasksSleepTimeBeforeSIGKILL, &TeraSortNumRows, &TeraSortNumPartitions, &TeraSortPartitionsSample,
	&TeraSortSimplePartitioner, &TotalOrderPartitionerNaturalOrder, &TotalOrderPartitionerPath,
}
