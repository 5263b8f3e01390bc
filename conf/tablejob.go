package conf

// LocalJobTracker is the address that applies if JobTrackerAddress is `local`. A JobTracker then
// listens at it, and a TaskTracker looks for the JobTracker there.
const LocalJobTracker = "127.0.0.1:9001"

// Keys for jobs and the JobTracker.
var (
	AggregateMaxNumUniqueValues = Int{"mapreduce.aggregate.max.num.unique.values", "9223372036854775807",
		"1 to 9223372036854775807", "aggregate.max.num.unique.values",
		"UniqValueCount of the aggregate package counts at most one distinct value more than this number, as in Hadoop."}
	ClientOutputFilter = Text{"mapreduce.client.output.filter", "FAILED", "NONE KILLED FAILED SUCCEEDED ALL",
		"jobclient.output.filter",
		"Task events that a client prints."}
	ClientProgressMonitorPollInterval = Duration{"mapreduce.client.progressmonitor.pollinterval", "1000", "ms, 10 to 1h",
		"jobclient.progress.monitor.poll.interval",
		"How often a client requests a job's progress."}
	ClusterACLsEnabled = Bool{"mapreduce.cluster.acls.enabled", "false", "true, false", "mapred.acls.enabled",
		"Whether access control lists protect jobs and queues. If false, every user may see every job and submit to " +
			"every queue."}
	ClusterAdministrators = Text{"mapreduce.cluster.administrators", "",
		"comma-separated users, a space, and comma-separated groups; or *", "",
		"Users who may run howdah admin, see and change all jobs, and manage all MR-clusters. The daemon's own user " +
			"and holders of the cluster's secret always may."}
	ClusterLocalDir = List{"mapreduce.cluster.local.dir", "${hadoop.tmp.dir}/mapred/local", "comma-separated directories",
		"mapred.local.dir",
		"Local directories for spills, map output, and the working directories of tasks. Use one per disk."}
	ClusterMapMemoryMB = Int{"mapreduce.cluster.mapmemory.mb", "-1", "-1 to 1048576 MiB; -1 = every map takes one slot",
		"mapred.cluster.map.memory.mb",
		"Memory that one map slot represents. A map that requests more takes several slots."}
	ClusterReduceMemoryMB = Int{"mapreduce.cluster.reducememory.mb", "-1",
		"-1 to 1048576 MiB; -1 = every reducer takes one slot", "mapred.cluster.reduce.memory.mb",
		"Memory that one reduce slot represents. A reducer that requests more takes several slots."}
	FieldSelDataFieldSeparator = Text{"mapreduce.fieldsel.data.field.separator", "\t", "text",
		"mapred.data.field.separator",
		"Field selection: regular expression that separates the fields of a value, as in Java's String.split."}
	FieldSelMapOutputKeyValueFieldsSpec = Text{"mapreduce.fieldsel.map.output.key.value.fields.spec", "0-:",
		"KEYS:VALUES, each like 6,5,1-3,7-", "map.output.key.value.fields.spec",
		"Field selection: fields of the key and value of the map output, counted from 0."}
	FieldSelReduceOutputKeyValueFieldsSpec = Text{"mapreduce.fieldsel.reduce.output.key.value.fields.spec", "0-:",
		"KEYS:VALUES, each like 6,5,1-3,7-", "reduce.output.key.value.fields.spec",
		"Field selection: fields of the reducer's key and value, counted from 0."}
	FileOutputCommitterMarkSuccessfulJobs = Bool{"mapreduce.fileoutputcommitter.marksuccessfuljobs", "true",
		"true, false", "",
		"Whether a successful job leaves a _SUCCESS file in its output directory."}
	FrameworkName = Text{"mapreduce.framework.name", "local", "local, classic, yarn", "",
		"Where jobs run: in the client's process (`local`), on the JobTracker of mapreduce.jobtracker.address " +
			"(`classic`), or on an existing YARN cluster (`yarn`). With `classic`, or if this key is unset, jobs " +
			"run in the client's process if mapreduce.jobtracker.address names no JobTracker, and on the " +
			"JobTracker otherwise."}
	InputFileInputFormatInputDirNonrecursiveIgnoreSubdirs = Bool{
		"mapreduce.input.fileinputformat.input.dir.nonrecursive.ignore.subdirs", "false", "true, false", "",
		"Whether jobs that do not read the subdirectories of input directories skip these subdirectories. If " +
			"false, SequenceFile input reads a subdirectory as a MapFile, and other input rejects it."}
	InputFileInputFormatInputDirRecursive = Bool{"mapreduce.input.fileinputformat.input.dir.recursive", "false",
		"true, false", "mapred.input.dir.recursive",
		"Whether jobs read the subdirectories of input directories."}
	InputFileInputFormatInputDir = List{"mapreduce.input.fileinputformat.inputdir", "", "comma-separated paths, globs",
		"mapred.input.dir",
		"Input paths of the job."}
	InputFileInputFormatListStatusNumThreads = Int{"mapreduce.input.fileinputformat.list-status.num-threads", "1",
		"1 to 64", "",
		"Number of directories that a client lists concurrently."}
	InputFileInputFormatSplitMaxSize = Int{"mapreduce.input.fileinputformat.split.maxsize", "9223372036854775807",
		"bytes, 1 to 2^63-1", "mapred.max.split.size",
		"Maximum size of the splits of a splittable file, unless mapreduce.input.fileinputformat.split.minsize is " +
			"larger. The file's last split may be up to 10% larger. A combined split of small files ends once it reaches " +
			"this size."}
	InputFileInputFormatSplitMinSize = Int{"mapreduce.input.fileinputformat.split.minsize", "0", "bytes, 0 to 2^63-1",
		"mapred.min.split.size",
		"Minimum size of splits, except for a file's last split."}
	InputFileInputFormatSplitMinSizePerNode = Int{"mapreduce.input.fileinputformat.split.minsize.per.node", "0",
		"bytes, 0 to 2^63-1", "mapred.min.split.size.per.node",
		"Minimum size of a combined split of files on one node."}
	InputFileInputFormatSplitMinSizePerRack = Int{"mapreduce.input.fileinputformat.split.minsize.per.rack", "0",
		"bytes, 0 to 2^63-1", "mapred.min.split.size.per.rack",
		"Either 0 or a value between mapreduce.input.fileinputformat.split.minsize.per.node and " +
			"mapreduce.input.fileinputformat.split.maxsize. This key has no other effect, because all nodes count as one " +
			"rack."}
	InputKeyValueLineRecordReaderKeyValueSeparator = Text{"mapreduce.input.keyvaluelinerecordreader.key.value.separator",
		"\t", "one byte", "key.value.separator.in.input.line",
		"Separator between key and value in key-value text input."}
	InputLineInputFormatLinesPerMap = Int{"mapreduce.input.lineinputformat.linespermap", "1", "1 to 2^31-1",
		"mapred.line.input.format.linespermap",
		"Lines per split of the N-line input format. A compressed file is one split."}
	InputLineRecordReaderLineMaxLength = Int{"mapreduce.input.linerecordreader.line.maxlength", "2147483647",
		"bytes, 1 to 2^31-1", "mapred.linerecordreader.maxlength",
		"Jobs skip lines that have at least this length, including the delimiter."}
	InputMultipleInputsDirFormats = Text{"mapreduce.input.multipleinputs.dir.formats", "", "list of PATH;CLASS", "",
		"DelegatingInputFormat: the input format of each input path."}
	InputMultipleInputsDirMappers = Text{"mapreduce.input.multipleinputs.dir.mappers", "", "list of PATH;NAME", "",
		"Programs with several mappers: the mapper of each input path."}
	JobACLModifyJob = Text{"mapreduce.job.acl-modify-job", "", "users and groups: u1,u2 g1,g2, or *", "",
		"Who may kill the job and its attempts, change its priority and deadline, and move it if " +
			"mapreduce.cluster.acls.enabled is true. The job's user and administrators always may."}
	JobACLViewJob = Text{"mapreduce.job.acl-view-job", "", "users and groups: u1,u2 g1,g2, or *", "",
		"Who may see the job's details, counters, and logs if mapreduce.cluster.acls.enabled is true. The job's user " +
			"and administrators always may."}
	JobCacheArchives = Text{"mapreduce.job.cache.archives", "", "URIs; #NAME names the link", "mapred.cache.archives",
		"Archives of the distributed cache. Each node unpacks them, and every task's working directory links to " +
			"them."}
	JobCacheArchivesFileSizes = Text{"mapreduce.job.cache.archives.filesizes", "", "bytes",
		"mapred.cache.archives.filesizes",
		"Set for jobs: sizes of the archives when the client submitted the job."}
	JobCacheArchivesTimestamps = List{"mapreduce.job.cache.archives.timestamps", "", "ms since the epoch",
		"mapred.cache.archives.timestamps",
		"Set for jobs: modification times of the archives when the client submitted the job. A node rejects an " +
			"archive that has changed."}
	JobCacheArchivesVisibilities = List{"mapreduce.job.cache.archives.visibilities", "", "true, false", "",
		"Set for jobs: whether everyone may read each archive. Only archives that everyone may read are shared " +
			"among a node's users."}
	JobCacheFiles = Text{"mapreduce.job.cache.files", "", "URIs; #NAME names the link", "mapred.cache.files",
		"Files and directories of the distributed cache. Each node copies them once, and every task's working " +
			"directory links to them."}
	JobCacheFilesFileSizes = Text{"mapreduce.job.cache.files.filesizes", "", "bytes", "mapred.cache.files.filesizes",
		"Set for jobs: sizes of the files when the client submitted the job."}
	JobCacheFilesTimestamps = List{"mapreduce.job.cache.files.timestamps", "", "ms since the epoch",
		"mapred.cache.files.timestamps",
		"Set for jobs: modification times of the files when the client submitted the job. A node rejects a file " +
			"that has changed."}
	JobCacheFilesVisibilities = List{"mapreduce.job.cache.files.visibilities", "", "true, false", "",
		"Set for jobs: whether everyone may read each file. Only files that everyone may read are shared among a " +
			"node's users."}
	JobCacheLocalArchives = Text{"mapreduce.job.cache.local.archives", "", "paths", "mapred.cache.localArchives",
		"Set for tasks: directories of the unpacked archives of the distributed cache."}
	JobCacheLocalFiles = Text{"mapreduce.job.cache.local.files", "", "paths", "mapred.cache.localFiles",
		"Set for tasks: paths of the files of the distributed cache."}
	JobCombineClass = Text{"mapreduce.job.combine.class", "", "class name",
		"mapreduce.combine.class mapred.combiner.class",
		"Class of Streaming's combiner if the combiner is not a command. A Go program sets its combiner in code."}
	JobCompleteCancelDelegationTokens = Bool{"mapreduce.job.complete.cancel.delegation.tokens", "true", "true, false", "",
		"Whether the end of a job cancels its delegation tokens. Set this key to false if other jobs use the same " +
			"tokens."}
	JobCountersCounterNameMax = Int{"mapreduce.job.counters.counter.name.max", "64", "characters, 1 to 1000", "",
		"Maximum length of a counter's name. howdah truncates longer names."}
	JobCountersGroupNameMax = Int{"mapreduce.job.counters.group.name.max", "128", "characters, 1 to 1000", "",
		"Maximum length of a counter group's name. howdah truncates longer names."}
	JobCountersGroupsMax = Int{"mapreduce.job.counters.groups.max", "50", "1 to 10000", "",
		"Maximum number of counter groups that a job's program may define in all its tasks together. A job with more " +
			"groups fails."}
	JobCountersMax = Int{"mapreduce.job.counters.max", "120", "1 to 4096", "mapreduce.job.counters.limit",
		"Maximum number of counters that a job's program may define in all its tasks together. A job with more " +
			"counters fails."}
	JobCredentialsBinary = Text{"mapreduce.job.credentials.binary", "", "local file", "",
		"Hadoop credentials file. Clients prefer the file's tokens to Kerberos and pass the tokens to jobs. " +
			"-tokenCacheFile sets this key."}
	JobDeadline = Text{"mapreduce.job.deadline", "", "ms since the epoch, RFC 3339, or +TIME from the submission", "",
		"Deadline of the job."}
	JobEndNotificationMaxAttempts = Int{"mapreduce.job.end-notification.max.attempts", "5", "1 to 100", "",
		"Maximum number of notification calls. This value limits mapreduce.job.end-notification.retry.attempts."}
	JobEndNotificationMaxRetryInterval = Duration{"mapreduce.job.end-notification.max.retry.interval", "5000",
		"ms, 0 to 1h", "",
		"Maximum time between notification calls. This value limits mapreduce.job.end-notification.retry.interval."}
	JobEndNotificationProxy = Text{"mapreduce.job.end-notification.proxy", "", "http@HOST:PORT, socks@HOST:PORT", "",
		"Proxy for notification calls."}
	JobEndNotificationRetryAttempts = Int{"mapreduce.job.end-notification.retry.attempts", "0", "0 to 2^31-1",
		"job.end.retry.attempts",
		"Maximum number of additional notification calls after the first one fails."}
	JobEndNotificationRetryInterval = Duration{"mapreduce.job.end-notification.retry.interval", "1000", "ms, 0 to 1d",
		"job.end.retry.interval",
		"Time between notification calls."}
	JobEndNotificationTimeout = Duration{"mapreduce.job.end-notification.timeout", "5000", "ms, 1 to 1h", "",
		"Timeout of a notification call."}
	JobEndNotificationURL = Text{"mapreduce.job.end-notification.url", "", "URL with $jobId and $jobStatus",
		"job.end.notification.url",
		"URL to call when the job has ended. A response with status 200 means that the notification has been delivered."}
	JobHDFSServers = List{"mapreduce.job.hdfs-servers", "", "comma-separated URIs", "",
		"Additional name services that the job's tasks use. The client also gets delegation tokens for them."}
	JobID = Text{"mapreduce.job.id", "", "id", "mapred.job.id",
		"Set for tasks: id of the job."}
	JobInputFormatClass = Text{"mapreduce.job.inputformat.class", "", "class name of an input format",
		"mapreduce.inputformat.class mapred.input.format.class",
		"Input format of the job, unless the program sets one. The Java package is optional."}
	JobJVMNumTasks = Int{"mapreduce.job.jvm.numtasks", "1", "-1 or 1 to 1000000; -1 = any number",
		"mapred.job.reuse.jvm.num.tasks",
		"Number of tasks of one job that a child process may run in succession. If a job of a bundled application " +
			"does not set it, children that may work for several jobs may return to the job, unless they occupy more " +
			"than 64 MiB."}
	JobLocalDir = Text{"mapreduce.job.local.dir", "", "directory", "job.local.dir",
		"Set for tasks: working directory of the attempt."}
	JobLocalityWaitFactor = Float{"mapreduce.job.locality.wait.factor", "1.0", "0 to 1000", "",
		"capacity, ngm: number of scheduling opportunities that a job skips before a map runs far from its " +
			"input, as a multiple of the number of TaskTrackers or of the job's unfinished maps, whichever is " +
			"less."}
	JobMapClass = Text{"mapreduce.job.map.class", "", "class name", "mapreduce.map.class mapred.mapper.class",
		"Class of Streaming's mapper if the mapper is not a command. A Go program sets its mapper in code."}
	JobMaps = Int{"mapreduce.job.maps", "2", "1 to 1000000", "mapred.map.tasks",
		"Hint for the number of maps. Most generators run exactly this number. Streaming creates about this " +
			"number of splits or more. Most other jobs ignore this key and split files by size."}
	JobMaxTaskFailuresPerTracker = Int{"mapreduce.job.maxtaskfailures.per.tracker", "3", "0 to 1000; 0 = no limit",
		"mapred.max.tracker.failures",
		"Number of failed attempts on one TaskTracker after which the job avoids that TaskTracker."}
	JobName = Text{"mapreduce.job.name", "", "text", "mapred.job.name",
		"Name of the job."}
	JobNodeLabelExpression = Text{"mapreduce.job.node-label-expression", "", "label", "",
		"On YARN: label of the nodes on which the job may run."}
	JobOutputGroupComparatorClass = Text{"mapreduce.job.output.group.comparator.class", "",
		"KeyFieldBasedComparator, TYPE$Comparator", "mapred.output.value.groupfn.class",
		"Comparator that groups keys for Reduce, unless the program sets one. By default, keys that the sort " +
			"order considers equal form a group."}
	JobOutputKeyClass = Text{"mapreduce.job.output.key.class", "", "class name", "mapred.output.key.class",
		"Type of the job's output keys if neither the program nor the input format defines it."}
	JobOutputKeyComparatorClass = Text{"mapreduce.job.output.key.comparator.class", "",
		"KeyFieldBasedComparator, TYPE$Comparator, LongWritable$DecreasingComparator", "mapred.output.key.comparator.class",
		"Comparator that orders keys, unless the program sets one. The default is the order of the key type."}
	JobOutputValueClass = Text{"mapreduce.job.output.value.class", "", "class name", "mapred.output.value.class",
		"Type of the job's output values if neither the program nor the input format defines it."}
	JobOutputFormatClass = Text{"mapreduce.job.outputformat.class", "", "class name of an output format",
		"mapreduce.outputformat.class mapred.output.format.class",
		"Output format of the job, unless the program sets one. The Java package is optional."}
	JobPartitionerClass = Text{"mapreduce.job.partitioner.class", "",
		"HashPartitioner, KeyFieldBasedPartitioner, TotalOrderPartitioner",
		"mapreduce.partitioner.class mapred.partitioner.class",
		"Partitioner that assigns keys to reducers, unless the program sets one. The default is HashPartitioner."}
	JobPriority = Text{"mapreduce.job.priority", "NORMAL", "VERY_HIGH HIGH NORMAL LOW VERY_LOW", "mapred.job.priority",
		"Priority of the job."}
	JobQueueName = Text{"mapreduce.job.queuename", "default", "a queue", "mapred.job.queue.name",
		"Queue of the job."}
	JobRedactedProperties = List{"mapreduce.job.redacted-properties", "", "comma-separated keys", "",
		"Keys of the job whose values the JobTracker never shows, not even in the history. It shows " +
			"`*********(redacted)` instead. The job's tasks get the values."}
	JobReduceClass = Text{"mapreduce.job.reduce.class", "", "class name", "mapreduce.reduce.class mapred.reducer.class",
		"Class of Streaming's reducer if the reducer is not a command. A Go program sets its reducer in code."}
	JobReduceSlowStartCompletedMaps = Float{"mapreduce.job.reduce.slowstart.completedmaps", "0.05", "0 to 1",
		"mapred.reduce.slowstart.completed.maps",
		"Share of the maps that must have completed before reducers start."}
	JobReduces = Int{"mapreduce.job.reduces", "1", "0 to 100000; 0 = map-only", "mapred.reduce.tasks",
		"Number of reducers."}
	JobRunningMapLimit = Int{"mapreduce.job.running.map.limit", "0", "0 to 1000000; 0 = no limit", "",
		"Maximum number of concurrent maps of the job."}
	JobRunningReduceLimit = Int{"mapreduce.job.running.reduce.limit", "0", "0 to 1000000; 0 = no limit", "",
		"Maximum number of concurrent reducers of the job."}
	JobSkipOutDir = Text{"mapreduce.job.skip.outdir", "", "path", "mapred.skip.out.dir",
		"Directory for skipped records, in SequenceFiles named after attempts. The default is _logs/skip in the " +
			"output directory. With `none`, howdah does not keep skipped records."}
	JobSkipRecords = Bool{"mapreduce.job.skiprecords", "false", "true, false", "mapred.skip.on",
		"Set for tasks: whether the attempt runs in skipping mode."}
	JobSpeculativeMinimumAllowedTasks = Int{"mapreduce.job.speculative.minimum-allowed-tasks", "10", "0 to 1000000", "",
		"mrv2: number of concurrent second attempts that are always allowed, separately for a job's maps and for " +
			"its reducers."}
	JobSpeculativeRetryAfterNoSpeculate = Int{"mapreduce.job.speculative.retry-after-no-speculate", "1000",
		"ms, 1 to 86400000", "",
		"mrv2: time until the next check if no task was slow."}
	JobSpeculativeRetryAfterSpeculate = Int{"mapreduce.job.speculative.retry-after-speculate", "15000",
		"ms, 1 to 86400000", "",
		"mrv2: time until the next check if a task was slow."}
	JobSpeculativeSlowNodeThreshold = Float{"mapreduce.job.speculative.slownodethreshold", "1.0", "0 to 100",
		"mapred.speculative.execution.slowNodeThreshold",
		"late, if howdah.speculation.late.threshold is `deviation`: number of standard deviations above the mean " +
			"duration at which a TaskTracker is slow."}
	JobSpeculativeSlowTaskThreshold = Float{"mapreduce.job.speculative.slowtaskthreshold", "1.0", "0 to 100",
		"mapred.speculative.execution.slowTaskThreshold",
		"late, if howdah.speculation.late.threshold is `deviation`: number of standard deviations below the mean " +
			"rate of progress at which a task is slow."}
	JobSpeculativeSpeculativeCapTotalTasks = Float{"mapreduce.job.speculative.speculative-cap-total-tasks", "0.01",
		"0 to 1", "",
		"mrv2: limit on concurrent second attempts, as a share of a job's maps or of its reducers. The largest of " +
			"this limit, mapreduce.job.speculative.speculativecap, and " +
			"mapreduce.job.speculative.minimum-allowed-tasks applies."}
	JobSpeculativeSpeculativeCap = Float{"mapreduce.job.speculative.speculativecap", "0.1", "0 to 1",
		"mapred.speculative.execution.speculativeCap mapreduce.job.speculative.speculative-cap-running-tasks",
		"Limit on concurrent second attempts, as a share of a job's running maps or running reducers (mrv2) or of " +
			"the cluster's slots (late). With late, the limit is at least the number of slots of the largest " +
			"TaskTracker."}
	JobSplitMetaInfoMaxSize = Int{"mapreduce.job.split.metainfo.maxsize", "16777216", "bytes, 1k to 128m",
		"mapreduce.jobtracker.split.metainfo.maxsize",
		"Maximum size of the job.splitmetainfo file that the JobTracker accepts. The file contains the hosts and " +
			"lengths of a job's splits."}
	JobTags = Text{"mapreduce.job.tags", "", "comma-separated tags", "",
		"On YARN: tags by which tools can find the job."}
	JobUserName = Text{"mapreduce.job.user.name", "", "user", "user.name",
		"User who submits the job. The default is the client's user in HDFS (hadoop.security.authentication) " +
			"or, if that user is unknown, the user of the process."}
	JobUserHistoryLocation = Text{"mapreduce.job.userhistorylocation", "none", "directory or none",
		"hadoop.job.history.user.location",
		"Directory that receives another copy of a job's history, in Hadoop 1's format. The copy is in the " +
			"_logs/history subdirectory."}
	JobUserLogRetainHours = Int{"mapreduce.job.userlog.retain.hours", "24", "hours, 1 to 8760",
		"mapred.userlog.retain.hours",
		"How long nodes keep the logs of ended jobs. After a restart, a TaskTracker treats jobs as ended if they have " +
			"no new attempts on that TaskTracker."}
	JobWorkingDir = Text{"mapreduce.job.working.dir", "", "path", "mapred.working.dir",
		"Base directory of the job's relative paths."}
	JobHistoryCleanerEnable = Bool{"mapreduce.jobhistory.cleaner.enable", "true", "true, false", "",
		"Whether the JobTracker and the history server delete old history files in Hadoop's formats."}
	JobHistoryCleanerIntervalMS = Int{"mapreduce.jobhistory.cleaner.interval-ms", "86400000", "ms, 1000 to 2^50", "",
		"Minimum time between searches for old history files. The JobTracker searches when a job ends, and the history " +
			"server at this interval."}
	JobHistoryDoneDir = Text{"mapreduce.jobhistory.done-dir", "none", "directory or none", "",
		"Directory for the .jhist files and configurations of finished jobs, in YYYY/MM/DD/SERIAL subdirectories. " +
			"With `none`, howdah job -history -jhist DIR writes the files of selected jobs."}
	JobHistoryIntermediateDoneDir = Text{"mapreduce.jobhistory.intermediate-done-dir", "", "directory", "",
		"Directory to use instead of mapreduce.jobhistory.done-dir if a JobHistoryServer moves the files from there. " +
			"The directory has one subdirectory per user."}
	JobHistoryMaxAgeMS = Int{"mapreduce.jobhistory.max-age-ms", "604800000", "ms, 0 to 2^50; 0 = never", "",
		"Age after which the JobTracker deletes history files below mapreduce.jobhistory.done-dir and " +
			"mapreduce.jobtracker.jobhistory.completed.location."}
	JobHistoryWebAppAddress = Text{"mapreduce.jobhistory.webapp.address", "0.0.0.0:19888", "host:port", "",
		"Address of the history server. Clients query that of an existing YARN cluster to find out why the task that " +
			"ended a job failed. If neither this key nor howdah.security.secret.file is set, howdah historyserver listens " +
			"only at 127.0.0.1."}
	JobTrackerAddress = Text{"mapreduce.jobtracker.address", "local", "local or host:port", "mapred.job.tracker",
		"Address of the JobTracker. For clients, `local` means that there is no JobTracker. A JobTracker with " +
			"`local` listens on " + LocalJobTracker + "."}
	JobTrackerExpireTrackersInterval = Int{"mapreduce.jobtracker.expire.trackers.interval", "600000", "ms, 1000 to 1d",
		"mapred.tasktracker.expiry.interval",
		"How long a TaskTracker may be silent before the JobTracker considers it lost."}
	JobTrackerHeartbeatsInSecond = Int{"mapreduce.jobtracker.heartbeats.in.second", "100", "1 to 100000",
		"mapred.heartbeats.in.second",
		"Maximum number of regular heartbeats per second from all TaskTrackers together. It determines the heartbeat " +
			"interval."}
	JobTrackerHostsExcludeFileName = Text{"mapreduce.jobtracker.hosts.exclude.filename", "", "file",
		"mapred.hosts.exclude",
		"File that lists the hosts whose TaskTrackers must not join."}
	JobTrackerHostsFileName = Text{"mapreduce.jobtracker.hosts.filename", "", "file", "mapred.hosts",
		"File that lists the hosts whose TaskTrackers may join."}
	JobTrackerHTTPAddress = Text{"mapreduce.jobtracker.http.address", "127.0.0.1:50030", "host:port",
		"mapred.job.tracker.http.address",
		"Address of the JobTracker's web page."}
	JobTrackerJobHistoryCompletedLocation = Text{"mapreduce.jobtracker.jobhistory.completed.location", "none",
		"directory or none", "mapred.job.tracker.history.completed.location",
		"Directory for the history of finished jobs in Hadoop 1's format, in version-1/JOBTRACKER/YYYY/MM/DD/SERIAL " +
			"subdirectories."}
	JobTrackerKerberosPrincipal = Text{"mapreduce.jobtracker.kerberos.principal", "", "principal", "",
		"Kerberos principal of the JobTracker. With it, the JobTracker renews jobs' delegation tokens and lets users " +
			"and nodes log in. _HOST stands for the JobTracker's host, which clients take from its address."}
	JobTrackerKeytabFile = Text{"mapreduce.jobtracker.keytab.file", "", "local file", "",
		"Keytab of the JobTracker."}
	JobTrackerMaxMapMemoryMB = Int{"mapreduce.jobtracker.maxmapmemory.mb", "-1", "-1 to 1048576 MiB; -1 = no limit",
		"mapred.cluster.max.map.memory.mb",
		"Maximum memory that a map may request. The JobTracker rejects jobs whose maps request more."}
	JobTrackerMaxReduceMemoryMB = Int{"mapreduce.jobtracker.maxreducememory.mb", "-1", "-1 to 1048576 MiB; -1 = no limit",
		"mapred.cluster.max.reduce.memory.mb",
		"Maximum memory that a reducer may request. The JobTracker rejects jobs whose reducers request more."}
	JobTrackerMaxTasksPerJob = Int{"mapreduce.jobtracker.maxtasks.perjob", "-1", "-1 or 1 to 1000000; -1 = 2000000",
		"mapred.jobtracker.maxtasks.per.job",
		"Maximum number of tasks per job."}
	JobTrackerRetiredJobsCacheSize = Int{"mapreduce.jobtracker.retiredjobs.cache.size", "1000", "0 to 1000000",
		"mapred.job.tracker.retiredjobs.cache.size",
		"Number of recently ended jobs, across all users, that the JobTracker lists even after it has dropped their " +
			"tasks from memory (mapred.jobtracker.completeuserjobs.maximum). It can show any ended job by ID, from the " +
			"history."}
	JobTrackerStagingRootDir = Text{"mapreduce.jobtracker.staging.root.dir", "${hadoop.tmp.dir}/mapred/staging", "path",
		"",
		"Directory in which clients store a job's files before they submit the job."}
	JobTrackerSystemDir = Text{"mapreduce.jobtracker.system.dir", "${hadoop.tmp.dir}/mapred/system", "path",
		"mapred.system.dir",
		"Shared directory with a file that the JobTracker writes. By reading this file, other nodes verify that " +
			"they share the JobTracker's storage."}
	JobTrackerTaskScheduler = Text{"mapreduce.jobtracker.taskscheduler", "fifo", "a scheduler's name or Hadoop's class",
		"mapred.jobtracker.taskScheduler",
		"Scheduling policy."}
	JobTrackerTaskTrackerMaxBlacklists = Int{"mapreduce.jobtracker.tasktracker.maxblacklists", "4", "0 to 1000",
		"mapred.max.tracker.blacklists",
		"Number of successful jobs that must have avoided a TaskTracker before all jobs avoid it. 0 turns off this " +
			"rule."}
)

var jobKeys = []declared{
	&AggregateMaxNumUniqueValues, &ClientOutputFilter, &ClientProgressMonitorPollInterval, &ClusterACLsEnabled,
	&ClusterAdministrators, &ClusterLocalDir, &ClusterMapMemoryMB, &ClusterReduceMemoryMB, &FieldSelDataFieldSeparator,
	&FieldSelMapOutputKeyValueFieldsSpec, &FieldSelReduceOutputKeyValueFieldsSpec, &FileOutputCommitterMarkSuccessfulJobs,
	&FrameworkName, &InputFileInputFormatInputDirNonrecursiveIgnoreSubdirs, &InputFileInputFormatInputDirRecursive,
	&InputFileInputFormatInputDir, &InputFileInputFormatListStatusNumThreads, &InputFileInputFormatSplitMaxSize,
	&InputFileInputFormatSplitMinSize, &InputFileInputFormatSplitMinSizePerNode, &InputFileInputFormatSplitMinSizePerRack,
	&InputKeyValueLineRecordReaderKeyValueSeparator, &InputLineInputFormatLinesPerMap, &InputLineRecordReaderLineMaxLength,
	&InputMultipleInputsDirFormats, &InputMultipleInputsDirMappers, &JobACLModifyJob, &JobACLViewJob, &JobCacheArchives,
	&JobCacheArchivesFileSizes, &JobCacheArchivesTimestamps, &JobCacheArchivesVisibilities, &JobCacheFiles,
	&JobCacheFilesFileSizes, &JobCacheFilesTimestamps, &JobCacheFilesVisibilities, &JobCacheLocalArchives,
	&JobCacheLocalFiles, &JobCombineClass, &JobCompleteCancelDelegationTokens, &JobCountersCounterNameMax,
	&JobCountersGroupNameMax, &JobCountersGroupsMax, &JobCountersMax, &JobCredentialsBinary, &JobDeadline,
	&JobEndNotificationMaxAttempts, &JobEndNotificationMaxRetryInterval, &JobEndNotificationProxy,
	&JobEndNotificationRetryAttempts, &JobEndNotificationRetryInterval, &JobEndNotificationTimeout, &JobEndNotificationURL,
	&JobHDFSServers, &JobID, &JobInputFormatClass, &JobJVMNumTasks, &JobLocalDir, &JobLocalityWaitFactor, &JobMapClass,
	&JobMaps, &JobMaxTaskFailuresPerTracker, &JobName, &JobNodeLabelExpression, &JobOutputGroupComparatorClass,
	&JobOutputKeyClass, &JobOutputKeyComparatorClass, &JobOutputValueClass, &JobOutputFormatClass, &JobPartitionerClass,
	&JobPriority, &JobQueueName, &JobRedactedProperties, &JobReduceClass,
	&JobReduceSlowStartCompletedMaps, &JobReduces, &JobRunningMapLimit,
	&JobRunningReduceLimit, &JobSkipOutDir, &JobSkipRecords, &JobSpeculativeMinimumAllowedTasks,
	&JobSpeculativeRetryAfterNoSpeculate, &JobSpeculativeRetryAfterSpeculate, &JobSpeculativeSlowNodeThreshold,
	&JobSpeculativeSlowTaskThreshold, &JobSpeculativeSpeculativeCapTotalTasks, &JobSpeculativeSpeculativeCap,
	&JobSplitMetaInfoMaxSize, &JobTags,
	&JobUserName, &JobUserHistoryLocation, &JobUserLogRetainHours, &JobWorkingDir, &JobHistoryCleanerEnable,
	&JobHistoryCleanerIntervalMS, &JobHistoryDoneDir, &JobHistoryIntermediateDoneDir, &JobHistoryMaxAgeMS,
	&JobHistoryWebAppAddress, &JobTrackerAddress, &JobTrackerExpireTrackersInterval, &JobTrackerHeartbeatsInSecond,
	&JobTrackerHostsExcludeFileName, &JobTrackerHostsFileName, &JobTrackerHTTPAddress,
	&JobTrackerJobHistoryCompletedLocation, &JobTrackerKerberosPrincipal, &JobTrackerKeytabFile, &JobTrackerMaxMapMemoryMB,
	&JobTrackerMaxReduceMemoryMB, &JobTrackerMaxTasksPerJob, &JobTrackerRetiredJobsCacheSize, &JobTrackerStagingRootDir,
	&JobTrackerSystemDir, &JobTrackerTaskScheduler, &JobTrackerTaskTrackerMaxBlacklists,
}
