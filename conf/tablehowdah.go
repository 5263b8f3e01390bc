package conf

// Keys that are specific to howdah.
var (
	AdaptiveAverageCapacity = Bool{"howdah.adaptive.average.capacity", "true", "true, false", "",
		"Reverse-Adaptive: whether a job's average need for slots until its goal (s_req) is at most the average " +
			"capacity until then."}
	AdaptiveCapacityBuffer = Int{"howdah.adaptive.capacity.buffer", "0", "0 to 100, percent", "",
		"Adaptive schedulers: share of the predicted capacity that the plan keeps in reserve."}
	AdaptiveCapacityEnforcedBy = Choice{"howdah.adaptive.capacity.enforced.by", "scheduler", "scheduler, trackers", "",
		"Adaptive schedulers: which component keeps tasks within the capacity. With `trackers`, the scheduler " +
			"expects TaskTrackers to report fewer slots as the capacity falls, which howdah's own TaskTrackers " +
			"do not do."}
	AdaptiveCapacityFile = Text{"howdah.adaptive.capacity.file", "", "file", "",
		"Adaptive schedulers: file that lists the capacity over time, for all TaskTrackers together or for each one."}
	AdaptiveCapacitySource = Choice{"howdah.adaptive.capacity.source", "file", "file, measured, manager", "",
		"Adaptive schedulers: whether the capacity comes from the capacity file (`file`), from the load of other " +
			"programs that TaskTrackers measure (`measured`), or, in an MR-cluster, from the manager's decisions about " +
			"its nodes (`manager`)."}
	AdaptiveCycle = Duration{"howdah.adaptive.cycle", "10000", "ms, 10 to 1h", "",
		"Adaptive schedulers: time between runs of the placement algorithm."}
	AdaptiveHorizon = Choice{"howdah.adaptive.horizon", "task", "task, cycle", "",
		"Reverse-Adaptive: where reverse fitting, which plans backward from the goals, stops. With `task`, it stops " +
			"one mean task length from now, but no earlier than one control cycle from now. With `cycle`, it stops one " +
			"control cycle from now."}
	AdaptiveLate = Choice{"howdah.adaptive.late", "", "demote, top, others", "",
		"Adaptive schedulers: how to treat late jobs. With `demote`, they get one slot each, and more only if no other " +
			"job needs them. With `top`, they get all slots first. With `others`, they count as jobs without a goal. The " +
			"default is `top` for the noms10 variant and `demote` otherwise."}
	AdaptiveLateWhen = Choice{"howdah.adaptive.late.when", "passed", "passed, hopeless", "",
		"Adaptive schedulers: whether a job counts as late once its goal has passed (`passed`) or as soon as its " +
			"pending maps cannot all end in time, even if they use all slots (`hopeless`)."}
	AdaptiveSurplus = Choice{"howdah.adaptive.surplus", "max", "max, min", "",
		"Adaptive schedulers: whether jobs also get slots that no job needs (`max`) or such slots stay idle (`min`)."}
	AdaptiveTaskLength = Choice{"howdah.adaptive.task.length", "first", "first, profile, guess", "",
		"Adaptive schedulers: whether a task's estimated length comes from the job's finished tasks (`first`), the " +
			"job's profile (`profile`), or howdah.adaptive.task.length.guess (`guess`)."}
	AdaptiveTaskLengthGuess = Duration{"howdah.adaptive.task.length.guess", "60000", "ms, 1 to 240h", "",
		"Adaptive schedulers: assumed length of a task if nothing else is known."}
	AdaptiveVariant = Choice{"howdah.adaptive.variant", "middleware11", "middleware11, noms10", "",
		"Variant of the Adaptive scheduler: scheduling by utility and placement (`middleware11`), or by the jobs' " +
			"need for slots (`noms10`)."}
	AdaptiveWholeTasks = Bool{"howdah.adaptive.whole.tasks", "true", "true, false", "",
		"Adaptive schedulers: whether estimates assume that tasks cannot be split."}
	ArchiveMaximumEntries = Int{"howdah.archive.maximum.entries", "1000000", "1 to 100000000", "",
		"Maximum number of files, directories, and links in an archive or directory of the distributed cache."}
	ArchiveMaximumRatio = Int{"howdah.archive.maximum.ratio", "200", "0 to 1000000; 0 = no limit", "",
		"Maximum ratio of an unpacked archive's size to the archive's own size. The limit applies only to archives " +
			"that unpack to more than 64 MiB. mapreduce.tasktracker.cache.local.size limits the size itself."}
	BBPFrom = Int{"howdah.bbp.from", "", "0 to 2^63-1", "",
		"Set for distbbp tasks: first term of the series that the job computes."}
	BBPParts = Int{"howdah.bbp.parts", "1", "1 to 100000", "",
		"Set for bbp and distbbp tasks: maximum number of maps."}
	BBPSize = Int{"howdah.bbp.size", "4", "1 to 10^8", "",
		"Set for bbp tasks: number of digits."}
	BBPSkip = Int{"howdah.bbp.skip", "", "0 to 2^60", "",
		"Set for distbbp tasks: number of bits of π to skip."}
	BBPStart = Int{"howdah.bbp.start", "1", "1 to 10^8", "",
		"Set for bbp tasks: position of the first digit."}
	BBPTo = Int{"howdah.bbp.to", "", "0 to 2^63-1", "",
		"Set for distbbp tasks: term after the last one that the job computes."}
	BTWorldGroup = Int{"howdah.btworld.group", "3600", "s, 1 to 3162240000", "",
		"Set for btworld tasks: length of the intervals (\"moments\") into which the queries divide time."}
	BTWorldScrapes = Int{"howdah.btworld.scrapes", "", "0 to 2^40", "",
		"Set for btworld-generate tasks: total number of lines that the maps write."}
	BTWorldSeed = Text{"howdah.btworld.seed", "", "number", "",
		"Set for btworld-generate tasks: seed for the random numbers."}
	BTWorldSkew = Int{"howdah.btworld.skew", "", "0 to 4", "",
		"Set for btworld-generate tasks: exponent of Zipf's law for the sizes of trackers."}
	BTWorldSwarms = Int{"howdah.btworld.swarms", "1", "1 to 2^30", "",
		"Set for btworld-generate tasks: number of scrapes per moment."}
	BTWorldTop = Int{"howdah.btworld.top", "10", "1 to 10000", "",
		"Set for btworld tasks: number of top entries in each answer."}
	BTWorldTrackers = Int{"howdah.btworld.trackers", "1", "1 to 10000", "",
		"Set for btworld-generate tasks: number of trackers."}
	CapacityAssignMultiple = Bool{"howdah.capacity.assign.multiple", "true", "true, false", "",
		"capacity: whether one heartbeat may assign several reducers. Hadoop assigns only one."}
	CapacityFile = Text{"howdah.capacity.file", "capacity-scheduler.xml", "file", "",
		"capacity, ngm: file with the queues and their shares, such as " +
			"mapred.capacity-scheduler.queue.NAME.capacity."}
	ClientConnectTimeout = Int{"howdah.client.connect.timeout", "0", "ms, 0 to 1d; 0 = three attempts", "",
		"How long a client tries to reach a JobTracker for the first time. With --mrcluster, 0 means " +
			"howdah.client.reconnect.timeout, because the manager has already reached the JobTracker."}
	ClientReconnectTimeout = Int{"howdah.client.reconnect.timeout", "300000", "ms, 0 to 1d", "",
		"How long a client that has lost the connection to a JobTracker tries to reach it again."}
	ContainerReduceLimit = Float{"howdah.container.reduce.limit", "0.5", "0 to 1", "",
		"drf, ngm: maximum share of the memory that the reducers of all jobs with waiting maps may use together."}
	DataGenKind = Text{"howdah.datagen.kind", "", "word", "",
		"Set for datagen tasks: kind of data to generate."}
	DataGenRecords = Int{"howdah.datagen.records", "", "0 to 2^40", "",
		"Set for datagen tasks: total number of lines that the maps write."}
	DataGenSeed = Text{"howdah.datagen.seed", "", "number", "",
		"Set for datagen tasks: seed for the random numbers."}
	DFSIOBytes = Int{"howdah.dfsio.bytes", "1048576", "bytes, 0 to 2^63-1", "",
		"Set for dfsio maps: bytes per file."}
	DFSIOFiles = Int{"howdah.dfsio.files", "1", "1 to 100000", "",
		"Set for dfsio maps: number of files."}
	DFSIOTest = Text{"howdah.dfsio.test", "", "read, write, append", "",
		"Set for dfsio maps: operation to measure."}
	DHFSPercentageOf = Choice{"howdah.dhfs.percentage.of", "capacity", "capacity, unused", "",
		"Base of the percentages of borrowed slots: all slots of the kind (`capacity`), or the slots that tasks " +
			"of that kind leave free (`unused`)."}
	DHFSPercentageOfBorrowedMapSlots = Float{"howdah.dhfs.percentageOfBorrowedMapSlots", "100", "0 to 100",
		"percentageOfBorrowedMapSlots",
		"pi-dhfs, pd-dhfs, fifo-dhfs: percentage of map slots that reducers may borrow."}
	DHFSPercentageOfBorrowedReduceSlots = Float{"howdah.dhfs.percentageOfBorrowedReduceSlots", "100", "0 to 100",
		"percentageOfBorrowedReduceSlots",
		"pi-dhfs, pd-dhfs, fifo-dhfs: percentage of reduce slots that maps may borrow."}
	DHFSPreemptBorrowed = Bool{"howdah.dhfs.preempt.borrowed", "false", "true, false", "",
		"Whether preemption may kill tasks in borrowed slots. If true, preemption kills these tasks first."}
	DHFSRelaxLocality = Bool{"howdah.dhfs.relax.locality", "true", "true, false", "",
		"Whether pd-dhfs assigns a map far from its input if it cannot assign any other task."}
	DRFHold = Bool{"howdah.drf.hold", "true", "true, false", "",
		"drf: whether to reserve a TaskTracker for the user, queue, or job with the smallest share if its next " +
			"task does not fit yet."}
	DRFShareBy = Choice{"howdah.drf.share.by", "user", "user, queue, job", "",
		"drf: whether users, queues, or jobs share the cluster."}
	DRFWeights = List{"howdah.drf.weights", "", "comma-separated name=weight, 0.000001 to 1000000", "",
		"drf: weights by which users or queues share the cluster. Unlisted names have weight 1."}
	EDFBound = Choice{"howdah.edf.bound", "average", "low, average, up", "",
		"Which of ARIA's bounds minedf and minedf-wc use to compute how many slots a job needs to meet its deadline."}
	EDFLearn = Bool{"howdah.edf.learn", "true", "true, false", "",
		"Whether minedf and minedf-wc compute the slots of a job without a profile once its first wave of maps " +
			"ends. Until then, the job may use all slots. If false, such a job may always use all slots."}
	EDFResize = Bool{"howdah.edf.resize", "false", "true, false", "",
		"Whether minedf and minedf-wc recompute the slots of a job with a profile whenever one of its tasks ends. If " +
			"howdah.edf.learn is true, they always do this for jobs without a profile."}
	FifoAssignMultiple = Bool{"howdah.fifo.assign.multiple", "true", "true, false", "",
		"fifo: whether one heartbeat may assign several reducers, and more maps after a map that is far from its " +
			"input. Hadoop does neither."}
	FileChecksums = Choice{"howdah.file.checksums", "verify", "none, verify, write", "",
		"How howdah uses the .NAME.crc files of Hadoop's local file system. With `none`, howdah ignores them. With " +
			"`verify`, howdah checks the files that it reads against any existing .crc files. With `write`, howdah also " +
			"writes them for new files."}
	GossipAddress = Text{"howdah.gossip.address", "", "host:port; port 0 = any", "",
		"Address that a daemon uses for gossip, over both TCP and UDP. If unset, a JobTracker does not gossip, and a " +
			"TaskTracker or an agent gossips only if it has a member to join. A manager of MR-clusters always gossips."}
	GossipJoin = List{"howdah.gossip.join", "", "comma-separated host:port", "",
		"Members through which a daemon joins the gossip."}
	GossipKeyFile = Text{"howdah.gossip.key.file", "", "file with 16, 24, or 32 bytes", "",
		"File with the secret key that encrypts the gossip."}
	HDFSDefaultReplication = Int{"howdah.hdfs.default.replication", "", "1 to 512", "",
		"Number of replicas of each block of new files on the HDFS of fs.defaultFS if dfs.replication is not " +
			"set. howdah sets this key for clients of an MR-cluster with its own HDFS."}
	HDFSRetryTimeout = Duration{"howdah.hdfs.retry.timeout", "120000", "ms, 0 to 1d", "",
		"How long a client that has lost the connection to a NameNode tries to reach it again."}
	HDFSSafeModeTimeout = Duration{"howdah.hdfs.safemode.timeout", "120000", "ms, 0 to 1d", "",
		"How long calls wait for a NameNode to leave safe mode. The fs and dfsadmin commands do not wait unless this " +
			"key is set."}
	HDFSWriteBuffer = Size{"howdah.hdfs.write.buffer", "67108864", "bytes or k m g, 0 to 1t", "",
		"Memory that a process may use for unfinished blocks. If all DataNodes of a block die, a client can write the " +
			"block again from this memory. A block that does not fit in this memory depends on the remaining DataNodes."}
	IPCMemory = Size{"howdah.ipc.memory", "268435456", "bytes or k m g, 16m to 1t", "",
		"Memory for requests that the JobTracker is reading or handling. The same amount again is available for " +
			"replies larger than 64 KiB that clients have not yet accepted. A request or reply waits up to 10 s for " +
			"memory."}
	JobCommitter = Bool{"howdah.job.committer", "false", "true, false", "",
		"Set for jobs: whether the program has its own committer. If so, setup and cleanup tasks run."}
	JobDemandMapCPU = Float{"howdah.job.demand.map.cpu", "", "0 to 1024, cores", "",
		"Adaptive schedulers: CPU that a map of the job uses."}
	JobDemandMapIO = Float{"howdah.job.demand.map.io", "", "0 to 100, percent of a node", "",
		"Adaptive schedulers: disk and network capacity that a map of the job uses."}
	JobDemandMapMemory = Float{"howdah.job.demand.map.memory", "", "0 to 16777216, MiB", "",
		"Adaptive schedulers: memory that a map of the job uses."}
	JobDemandReduceCPU = Float{"howdah.job.demand.reduce.cpu", "", "0 to 1024, cores", "",
		"Adaptive schedulers: CPU that a reducer of the job uses after its shuffle."}
	JobDemandReduceIO = Float{"howdah.job.demand.reduce.io", "", "0 to 100, percent of a node", "",
		"Adaptive schedulers: disk and network capacity that a reducer of the job uses after its shuffle."}
	JobDemandReduceMemory = Float{"howdah.job.demand.reduce.memory", "", "0 to 16777216, MiB", "",
		"Adaptive schedulers: memory that a reducer of the job uses after its shuffle."}
	JobDemandShuffleCPU = Float{"howdah.job.demand.shuffle.cpu", "", "0 to 1024, cores", "",
		"Adaptive schedulers: CPU that a reducer of the job uses during its shuffle."}
	JobDemandShuffleIO = Float{"howdah.job.demand.shuffle.io", "", "0 to 100, percent of a node", "",
		"Adaptive schedulers: disk and network capacity that a reducer of the job uses during its shuffle."}
	JobDemandShuffleMemory = Float{"howdah.job.demand.shuffle.memory", "", "0 to 16777216, MiB", "",
		"Adaptive schedulers: memory that a reducer of the job uses during its shuffle."}
	JobProfile = Text{"howdah.job.profile", "", "a profile as howdah sim profile prints it", "",
		"Durations of the job's phases, for schedulers that plan ahead. If unset, howdah uses the durations of " +
			"the last successful job with the same user and name."}
	JobProfileFrom = Text{"howdah.job.profile.from", "", "a job's id", "",
		"Set for jobs: id of the job whose history supplied howdah.job.profile."}
	JobProgramID = Text{"howdah.job.program.id", "", "hash", "",
		"Set for jobs: hash of the binary that contains the job's code."}
	JobProgramJob = Text{"howdah.job.program.job", "", "name", "",
		"Set for jobs: name of the job in the binary."}
	JobProgramPath = Text{"howdah.job.program.path", "", "URI", "",
		"Set for jobs: URI of the binary, if the client had to ship it."}
	JobTrackerAdviceAgree = Int{"howdah.jobtracker.advice.agree", "3", "1 to 1000", "",
		"How many times in a row the what-if prediction must advise the same scheduler before the JobTracker switches."}
	JobTrackerAdviceGainMin = Float{"howdah.jobtracker.advice.gain.min", "5", "0 to 100", "",
		"Least predicted gain, in percent of the value under the active scheduler, for which the JobTracker switches."}
	JobTrackerAdviceGoal = Text{"howdah.jobtracker.advice.goal", "", "time, missed, makespan", "",
		"What a switch must improve: the mean time until jobs end, the number of missed deadlines, or the time until " +
			"all jobs end. If unset, missed deadlines if the prediction can reduce them, otherwise time."}
	JobTrackerAdviceInterval = Duration{"howdah.jobtracker.advice.interval", "0", "ms, 0 to 1d; 0 = off", "",
		"How often the JobTracker predicts what other schedulers would achieve, and switches if that pays (see howdah " +
			"sim what-if --advise)."}
	JobTrackerAdviceRest = Duration{"howdah.jobtracker.advice.rest", "600000", "ms, 0 to 1d", "",
		"Least time between a change of the scheduler and the next switch by advice."}
	JobTrackerAdviceSchedulers = List{"howdah.jobtracker.advice.schedulers", "fifo,fair,capacity,minedf-wc",
		"comma-separated names", "", "Schedulers among which the JobTracker chooses by advice."}
	JobTrackerDir = Text{"howdah.jobtracker.dir", "${hadoop.tmp.dir}/mapred/jobtracker", "directory", "",
		"The JobTracker's private local directory, which contains its journal, the tokens of jobs, and the history."}
	JobTrackerEndWait = Int{"howdah.jobtracker.end.wait", "30000", "ms, 0 to 1h", "",
		"How long the JobTracker waits for TaskTrackers to confirm that a job's attempts have ended before it ends " +
			"the job."}
	JobTrackerHeartbeatIntervalMin = Int{"howdah.jobtracker.heartbeat.interval.min", "300", "ms, 1 to 60000", "",
		"Lower limit of the heartbeat interval. A TaskTracker with news sends a heartbeat earlier."}
	JobTrackerJobsMaximum = Int{"howdah.jobtracker.jobs.maximum", "10000", "0 to 1000000; 0 = no limit", "",
		"Maximum number of unfinished jobs."}
	JobTrackerNotificationHosts = List{"howdah.jobtracker.notification.hosts", "",
		"comma-separated host names, patterns such as *.example.org, addresses, and networks such as 10.0.0.0/8", "",
		"Hosts that the JobTracker may call at the end of jobs (mapreduce.job.end-notification.url), and proxies for " +
			"these calls. If unset, it may call any address except loopback, link-local, and multicast addresses. A " +
			"JobTracker that other hosts cannot reach may also call loopback addresses."}
	JobTrackerRecoveryGrace = Int{"howdah.jobtracker.recovery.grace", "0", "ms, 0 to 1d; 0 = the expiry interval", "",
		"How long TaskTrackers have to report after a restart of the JobTracker."}
	JobTrackerRegistrationsSecond = Int{"howdah.jobtracker.registrations.second", "200", "1 to 1000000", "",
		"Maximum number of registrations per second that the JobTracker accepts, after a burst of ten times that " +
			"number. A TaskTracker retries a rejected registration."}
	JobTrackerTrackersMaximum = Int{"howdah.jobtracker.trackers.maximum", "10000", "0 to 1000000; 0 = no limit", "",
		"Maximum number of live TaskTrackers."}
	JobTrackerUserConfMaximum = Size{"howdah.jobtracker.user.conf.maximum", "134217728",
		"bytes or k m g, 0 to 1t; 0 = no limit", "",
		"Memory that the configurations, credentials, and splits of a user's unfinished jobs may occupy together. A " +
			"split counts as 160 bytes, plus 48 for each of its hosts, plus its size in job.splitmetainfo. If a user's " +
			"finished jobs, including their tasks, occupy more than a quarter of this memory, the JobTracker retires the " +
			"oldest ones early."}
	JobTrackerUserJobsMaximum = Int{"howdah.jobtracker.user.jobs.maximum", "5000", "0 to 1000000; 0 = no limit", "",
		"Maximum number of unfinished jobs per user."}
	KMeansCenters = Text{"howdah.kmeans.centers", "", "path", "",
		"Set for kmeans tasks: path of the previous round's centers."}
	KMeansClusters = Int{"howdah.kmeans.clusters", "10", "1 to 100000", "",
		"Set for kmeans tasks: number of clusters."}
	KMeansSeed = Int{"howdah.kmeans.seed", "1", "number", "",
		"Set for kmeans tasks: seed for the initial centers."}
	LoadGenMapProfile = Text{"howdah.loadgen.map.profile", "", "phases", "",
		"Set for loadgen tasks: phases of a map."}
	LoadGenReduceProfile = Text{"howdah.loadgen.reduce.profile", "", "phases", "",
		"Set for loadgen tasks: phases of a reducer."}
	LoadGenSeed = Int{"howdah.loadgen.seed", "1", "number", "",
		"Set for loadgen tasks: seed for the skew."}
	LoadGenSkew = Float{"howdah.loadgen.skew", "", "0 to 1", "",
		"Set for loadgen tasks: maximum relative difference between a task's work and its profile."}
	LoadGenSkewLive = Float{"howdah.loadgen.skew.live", "", "0 to 1", "",
		"Set for loadgen tasks: maximum relative difference between a task's live objects and its profile."}
	LoadGenSteps = Int{"howdah.loadgen.steps", "50", "1 to 100000", "",
		"Set for loadgen tasks: number of steps in which a task does its work."}
	MapPatienceMS = Int{"howdah.map.patience.ms", "300000", "ms, 1000 to 86400000", "",
		"drf, ngm, and policies with dynamic slots: how long the maps of a job may wait while none of them " +
			"runs. After that time, the scheduler kills a reducer of the job to make room."}
	Orchestrator = Choice{"howdah.orchestrator", "off", "off, watch, on", "",
		"MROrchestrator's mode on the JobTracker and the TaskTrackers. With `on`, MROrchestrator moves CPU and memory " +
			"between the running tasks of a node. With `watch`, it makes the same decisions but changes nothing. " +
			"MROrchestrator needs control groups (howdah.tasktracker.cgroups). To move memory, it also needs " +
			"howdah.tasktracker.cgroups.memory."}
	OrchestratorAlphaCPU = Int{"howdah.orchestrator.alpha.cpu", "200", "100 to 10000", "",
		"Maximum factor, as a percentage, by which MROrchestrator scales the estimated CPU of a lagging task. The " +
			"minimum factor is its inverse."}
	OrchestratorAlphaMemory = Int{"howdah.orchestrator.alpha.memory", "200", "100 to 10000", "",
		"Maximum factor, as a percentage, by which MROrchestrator scales the estimated memory of a lagging task that " +
			"is short of memory. MROrchestrator never scales the estimate down."}
	OrchestratorChange = Int{"howdah.orchestrator.change", "2", "0 to 100", "",
		"Minimum change that MROrchestrator makes, as a percentage of the task's current share."}
	OrchestratorContended = Int{"howdah.orchestrator.contended", "90", "0 to 100", "",
		"CPU use of a node, as a percentage of its CPU, at which the node's tasks count as contending for CPU."}
	OrchestratorControl = Choice{"howdah.orchestrator.control", "cpu+memory", "cpu, memory, cpu+memory", "",
		"Resources that MROrchestrator moves."}
	OrchestratorCoordinate = Bool{"howdah.orchestrator.coordinate", "true", "true, false", "",
		"Whether a task gets more CPU only if its whole job benefits. If false, MROrchestrator compares the " +
			"tasks of each node only with each other."}
	OrchestratorDeviation = Int{"howdah.orchestrator.deviation", "20", "0 to 100", "",
		"Percentage by which a task's use must deviate from the mean of its job's phase before the task can count as " +
			"short of CPU, or as a CPU or memory hog."}
	OrchestratorEpochMS = Int{"howdah.orchestrator.epoch.ms", "20000", "20 to 86400000", "",
		"Time between rounds of decisions. It must not be less than howdah.orchestrator.sample.ms."}
	OrchestratorEstimator = Choice{"howdah.orchestrator.estimator", "regression", "regression, uniform", "",
		"How MROrchestrator estimates a task's need: from the task's own use and progress (`regression`), or as the " +
			"mean over the task's phase (`uniform`)."}
	OrchestratorEstimatorOwn = Text{"howdah.orchestrator.estimator.own", "",
		"name; default howdah.orchestrator.estimator", "",
		"Estimator of the TaskTracker's own program (Go package tasktracker/tasktrackermain) that MROrchestrator uses. " +
			"A TaskTracker whose program has no such estimator does not start."}
	OrchestratorFloorCPU = Int{"howdah.orchestrator.floor.cpu", "50", "0 to 100", "",
		"Minimum CPU share that a task keeps when it gives up CPU, as a percentage of an equal share of the node's CPU."}
	OrchestratorFloorMemoryMB = Int{"howdah.orchestrator.floor.memory.mb", "64", "1 to 1048576", "",
		"Minimum memory share that a task keeps when it gives up memory, in MiB."}
	OrchestratorGlobalHaltFile = Text{"howdah.orchestrator.global.halt.file", "", "path of a file", "",
		"For tests: while this file exists, MROrchestrator's manager in the JobTracker stops as if it had died."}
	OrchestratorHeadroom = Int{"howdah.orchestrator.headroom", "10", "0 to 100", "",
		"Amount of a resource beyond its need that a task keeps when it gives up some of the resource, as a percentage " +
			"of its need. If howdah.orchestrator.coordinate is false, this key applies only to memory."}
	OrchestratorHistory = Int{"howdah.orchestrator.history", "512", "4 to 100000", "",
		"Number of measurement windows to keep for each task."}
	OrchestratorLend = Bool{"howdah.orchestrator.lend", "true", "true, false", "",
		"Whether running tasks may get memory that was not assigned to any task at launch, such as the memory of empty " +
			"slots. If false, memory moves only between running tasks."}
	OrchestratorLocalHaltFile = Text{"howdah.orchestrator.local.halt.file", "", "path of a file", "",
		"For tests: while this file exists on a TaskTracker's node, MROrchestrator's manager on that node stops as " +
			"if it had died."}
	OrchestratorNodeCPU = Int{"howdah.orchestrator.node.cpu", "0", "0 to 1000000", "",
		"CPU for the TaskTracker's tasks, in thousandths of a core. 0 means the part of the machine that other " +
			"programs leave free (howdah.tasktracker.other-load.interval)."}
	OrchestratorPressed = Int{"howdah.orchestrator.pressed", "95", "0 to 100", "",
		"Memory use of a task, as a percentage of its memory share, at which the task counts as short of memory."}
	OrchestratorSampleMS = Int{"howdah.orchestrator.sample.ms", "5000", "10 to 86400000", "",
		"Time between measurements of the tasks' use of CPU and memory."}
	OrchestratorStep = Int{"howdah.orchestrator.step", "25", "0 to 1000", "",
		"Percentage by which MROrchestrator raises the estimate for a task that is short of memory. The increase is " +
			"fixed because the task's need cannot be measured."}
	OrchestratorStraggle = Int{"howdah.orchestrator.straggle", "20", "0 to 10000", "",
		"Percentage by which a task's time must exceed the mean of its phase to make the task a straggler."}
	OrchestratorWindow = Int{"howdah.orchestrator.window", "1", "1 to 1000", "",
		"Number of measurements in one window."}
	PageRankDamping = Int{"howdah.pagerank.damping", "850000", "millionths, 0 to 1000000", "",
		"Set for pagerank tasks: damping factor."}
	PageRankDangling = Int{"howdah.pagerank.dangling", "", "billionths, 0 to 2^62", "",
		"Set for pagerank tasks: total rank of the pages without links."}
	PageRankPages = Int{"howdah.pagerank.pages", "1", "1 to 2^33", "",
		"Set for pagerank tasks: number of pages."}
	PiMaps = Int{"howdah.pi.maps", "1", "1 to 100000", "",
		"Set for pi tasks: number of maps."}
	PiSamples = Int{"howdah.pi.samples", "1", "1 to 2^52", "",
		"Set for pi tasks: number of points per map."}
	QueueACLFile = Text{"howdah.queue.acl.file", "mapred-queue-acls.xml", "file", "howdah.capacity.acl.file",
		"File that specifies who may submit jobs to each queue, who may see and change the jobs in it, and whether it " +
			"accepts jobs. Its keys are mapred.queue.NAME.acl-submit-job, .acl-administer-jobs, and .state. " +
			"mapreduce.cluster.acls.enabled turns on the access control lists."}
	RandomTextWriterSeed = Int{"howdah.randomtextwriter.seed", "1", "0 to 2^63-1", "",
		"Seed for the words that randomtextwriter writes."}
	RandomWriterSeed = Int{"howdah.randomwriter.seed", "1", "0 to 2^63-1", "",
		"Seed for the random bytes that randomwriter writes."}
	ShuffleThrottle = Int{"howdah.shuffle.throttle", "0", "bytes per second, 0 to 1099511627776; 0 = no limit", "",
		"Limit on the total rate at which a TaskTracker serves map outputs, for studying slow networks. The limit does " +
			"not affect outputs on the reducer's own TaskTracker."}
	SleepInTracker = Bool{"howdah.sleep.in-tracker", "false", "true, false", "",
		"Whether TaskTrackers themselves run the tasks of a sleep job, without a process per task."}
	SleepLoad = Choice{"howdah.sleep.load", "sleep", "sleep, cpu, io", "",
		"Load that a sleep job's tasks create: none (`sleep`), computation (`cpu`), or writing and reading a file in " +
			"the working directory (`io`). Tasks that the TaskTrackers themselves run always sleep."}
	SleepMapRecords = Int{"howdah.sleep.map.records", "1", "1 to 2147483647", "",
		"Number of six-byte records that each map of a sleep job writes for each reducer."}
	SleepMapTimes = Text{"howdah.sleep.map.times", "", "ms, comma-separated", "",
		"Sleep times of a sleep job's maps, in order of map number. Maps beyond the end of the list use " +
			"mapreduce.sleepjob.map.sleep.time."}
	SleepReduceTimes = Text{"howdah.sleep.reduce.times", "", "ms, comma-separated", "",
		"Sleep times of a sleep job's reducers, in order of reducer number. Reducers beyond the end of the list use " +
			"mapreduce.sleepjob.reduce.sleep.time."}
	SleepShuffleTime = Int{"howdah.sleep.shuffle.time", "0", "ms, 0 to 2^63-1", "",
		"Time that a reducer's shuffle takes after the last map output is available, in a sleep job whose " +
			"tasks the TaskTrackers themselves run."}
	SleepShuffleTimes = Text{"howdah.sleep.shuffle.times", "", "ms, comma-separated", "",
		"Like howdah.sleep.shuffle.time, but with one time per reducer, in order of reducer number."}
	Speculation = Text{"howdah.speculation", "hadoop1", "hadoop1 late mrv2 none", "",
		"Rule that decides when a slow task gets a second attempt."}
	SpeculationGap = Float{"howdah.speculation.gap", "0.2", "0 to 1", "",
		"hadoop1: how far a task's progress must fall behind the average before the task gets a second attempt."}
	SpeculationIntervalMS = Int{"howdah.speculation.interval.ms", "1000", "ms, 1 to 86400000", "",
		"Time between checks for a job's slow tasks. For mrv2, other keys set this time, and howdah only rounds the " +
			"times of the checks up to multiples of this value."}
	SpeculationLagMS = Int{"howdah.speculation.lag.ms", "60000", "ms, 0 to 86400000", "",
		"hadoop1, late: how long an attempt must have run before it can count as slow."}
	SpeculationLatePercentile = Float{"howdah.speculation.late.percentile", "25", "0 to 100", "",
		"late: percentile of progress rates below which a task is slow, and percentile of completed work below which a " +
			"TaskTracker is slow."}
	SpeculationLateThreshold = Choice{"howdah.speculation.late.threshold", "percentile", "percentile, deviation", "",
		"late: limit for slow tasks, which is either a percentile, as in the paper (`percentile`), or a number of " +
			"standard deviations from the mean, as in Hadoop 0.21 (`deviation`)."}
	TaskTrackerCGroups = Text{"howdah.tasktracker.cgroups", "auto", "auto, off, required", "",
		"Whether each child of a TaskTracker runs in a kernel control group, which limits and measures the child. " +
			"With `auto`, a child runs in a control group if the user can create control groups (Linux)."}
	TaskTrackerCGroupsHierarchy = Text{"howdah.tasktracker.cgroups.hierarchy", "/howdah", "path of a group",
		"yarn.nodemanager.linux-container-executor.cgroups.hierarchy",
		"Parent of the TaskTracker's control groups, relative to the mount point."}
	TaskTrackerCGroupsMemory = Bool{"howdah.tasktracker.cgroups.memory", "true", "true, false",
		"yarn.nodemanager.pmem-check-enabled",
		"Whether the kernel kills processes of an attempt whose control group uses more memory than " +
			"mapreduce.map.memory.mb or mapreduce.reduce.memory.mb."}
	TaskTrackerCGroupsMemorySoftLimitPercentage = Int{"howdah.tasktracker.cgroups.memory.soft-limit-percentage", "90",
		"0 to 100; 0 = no soft limit", "yarn.nodemanager.resource.memory.cgroups.soft-limit-percentage",
		"Soft memory limit of an attempt, as a percentage of the hard limit. Its effect depends on the kernel."}
	TaskTrackerCGroupsMount = Text{"howdah.tasktracker.cgroups.mount", "/sys/fs/cgroup", "directory",
		"yarn.nodemanager.linux-container-executor.cgroups.mount-path",
		"Mount point of the kernel's control groups."}
	TaskTrackerCGroupsStrictCPU = Bool{"howdah.tasktracker.cgroups.strict-cpu", "false", "true, false",
		"yarn.nodemanager.linux-container-executor.cgroups.strict-resource-usage",
		"Whether an attempt's vcores limit its CPU time even if the node has idle CPU time."}
	TaskTrackerChildJobs = Int{"howdah.tasktracker.child.jobs", "100", "1 to 1000000", "",
		"Maximum number of jobs for which a child process runs tasks, one after another. A job to which it returns " +
			"counts again. Bundled applications share children if their jobs have the same user, memory, and cores, and " +
			"need no files from the distributed cache. Streaming jobs share none. If a job sets " +
			"mapreduce.job.jvm.numtasks, that limit still applies."}
	TaskTrackerEnvWhitelist = List{"howdah.tasktracker.env-whitelist",
		"PATH,TZ,LANG,LANGUAGE,LC_ALL,TMPDIR,LD_LIBRARY_PATH,JAVA_HOME,HADOOP_HOME,HADOOP_CONF_DIR,KRB5_CONFIG,GOCOVERDIR",
		"comma-separated names", "yarn.nodemanager.env-whitelist",
		"Environment variables that tasks inherit from their TaskTracker. Tasks also inherit variables whose names " +
			"start with HOWDAH_. HOME, USER, LOGNAME, and SHELL are set for the user that the task runs as."}
	TaskTrackerMemoryMB = Int{"howdah.tasktracker.memory.mb", "0", "MiB, 0 to 1073741824; 0 = 1024 per slot",
		"yarn.nodemanager.resource.memory-mb",
		"Amount of a node's memory that tasks may use, for schedulers that place tasks by memory."}
	TaskTrackerOtherLoadInterval = Int{"howdah.tasktracker.other-load.interval", "5000", "ms, 0 to 3600000; 0 = never",
		"",
		"How often a TaskTracker measures the share of its node's CPU that other programs use (Linux)."}
	TaskTrackerTaskProcesses = Int{"howdah.tasktracker.task.processes", "1024", "0 to 4194304; 0 = no limit", "",
		"Maximum number of processes and threads per task. Without control groups, the limit applies only to tasks " +
			"that a TaskTracker runs as another user. Across the whole node, that user can then have at most this number " +
			"multiplied by the TaskTracker's number of slots."}
	TaskTrackerVCores = Int{"howdah.tasktracker.vcores", "0", "0 to 100000; 0 = one per slot",
		"yarn.nodemanager.resource.cpu-vcores",
		"Number of a node's cores that tasks may use, for schedulers that place tasks by cores."}
	TaskTrackerWaitForWork = Bool{"howdah.tasktracker.wait-for-work", "true", "true, false", "",
		"Whether the JobTracker notifies TaskTrackers of work between heartbeats."}
	TaskTrackerWarmChildren = Int{"howdah.tasktracker.warm.children", "2", "0 to 1000", "",
		"Number of child processes that a TaskTracker starts in advance."}
	TFIDFDocuments = Int{"howdah.tfidf.documents", "", "0 to 2^63-1", "",
		"Set for tfidf tasks: number of documents."}
	YARNErrorsDir = Text{"howdah.yarn.errors.dir", "", "directory", "",
		"Set for jobs on YARN: directory in which attempts record the reason for their failure."}
	YARNTaskJavaOpts = Text{"howdah.yarn.task.java.opts", "-Xmx200m", "options", "",
		"On YARN: options of the Java process that Hadoop runs in each task alongside the program."}
)

var howdahKeys = []declared{
	&AdaptiveAverageCapacity, &AdaptiveCapacityBuffer, &AdaptiveCapacityEnforcedBy, &AdaptiveCapacityFile,
	&AdaptiveCapacitySource, &AdaptiveCycle, &AdaptiveHorizon, &AdaptiveLate, &AdaptiveLateWhen, &AdaptiveSurplus,
	&AdaptiveTaskLength, &AdaptiveTaskLengthGuess, &AdaptiveVariant, &AdaptiveWholeTasks, &ArchiveMaximumEntries,
	&ArchiveMaximumRatio, &BBPFrom, &BBPParts, &BBPSize, &BBPSkip, &BBPStart, &BBPTo, &BTWorldGroup,
	&BTWorldScrapes, &BTWorldSeed, &BTWorldSkew, &BTWorldSwarms, &BTWorldTop, &BTWorldTrackers,
	&CapacityAssignMultiple, &CapacityFile, &ClientConnectTimeout, &ClientReconnectTimeout, &ContainerReduceLimit,
	&DataGenKind, &DataGenRecords, &DataGenSeed, &DFSIOBytes, &DFSIOFiles, &DFSIOTest, &DHFSPercentageOf,
	&DHFSPercentageOfBorrowedMapSlots, &DHFSPercentageOfBorrowedReduceSlots, &DHFSPreemptBorrowed, &DHFSRelaxLocality,
	&DRFHold, &DRFShareBy, &DRFWeights, &EDFBound, &EDFLearn, &EDFResize, &FifoAssignMultiple, &FileChecksums,
	&GossipAddress, &GossipJoin, &GossipKeyFile, &HDFSDefaultReplication, &HDFSRetryTimeout, &HDFSSafeModeTimeout,
	&HDFSWriteBuffer, &IPCMemory, &JobCommitter, &JobDemandMapCPU, &JobDemandMapIO, &JobDemandMapMemory,
	&JobDemandReduceCPU,
	&JobDemandReduceIO, &JobDemandReduceMemory, &JobDemandShuffleCPU, &JobDemandShuffleIO, &JobDemandShuffleMemory,
	&JobProfile, &JobProfileFrom, &JobProgramID, &JobProgramJob, &JobProgramPath, &JobTrackerAdviceAgree,
	&JobTrackerAdviceGainMin, &JobTrackerAdviceGoal, &JobTrackerAdviceInterval, &JobTrackerAdviceRest,
	&JobTrackerAdviceSchedulers, &JobTrackerDir, &JobTrackerEndWait,
	&JobTrackerHeartbeatIntervalMin, &JobTrackerJobsMaximum, &JobTrackerNotificationHosts,
	&JobTrackerRecoveryGrace, &JobTrackerRegistrationsSecond, &JobTrackerTrackersMaximum, &JobTrackerUserConfMaximum,
	&JobTrackerUserJobsMaximum,
	&KMeansCenters, &KMeansClusters, &KMeansSeed, &LoadGenMapProfile, &LoadGenReduceProfile, &LoadGenSeed, &LoadGenSkew,
	&LoadGenSkewLive, &LoadGenSteps, &MapPatienceMS,
	&Orchestrator, &OrchestratorAlphaCPU, &OrchestratorAlphaMemory, &OrchestratorChange,
	&OrchestratorContended, &OrchestratorControl, &OrchestratorCoordinate, &OrchestratorDeviation, &OrchestratorEpochMS,
	&OrchestratorEstimator, &OrchestratorEstimatorOwn, &OrchestratorFloorCPU, &OrchestratorFloorMemoryMB,
	&OrchestratorGlobalHaltFile,
	&OrchestratorHeadroom, &OrchestratorHistory, &OrchestratorLend, &OrchestratorLocalHaltFile, &OrchestratorNodeCPU,
	&OrchestratorPressed, &OrchestratorSampleMS, &OrchestratorStep, &OrchestratorStraggle, &OrchestratorWindow,
	&PageRankDamping, &PageRankDangling, &PageRankPages, &PiMaps, &PiSamples, &QueueACLFile, &RandomTextWriterSeed,
	&RandomWriterSeed, &ShuffleThrottle, &SleepInTracker, &SleepLoad,
	&SleepMapRecords,
	&SleepMapTimes, &SleepReduceTimes, &SleepShuffleTime, &SleepShuffleTimes, &Speculation, &SpeculationGap,
	&SpeculationIntervalMS, &SpeculationLagMS, &SpeculationLatePercentile, &SpeculationLateThreshold, &TaskTrackerCGroups,
	&TaskTrackerCGroupsHierarchy, &TaskTrackerCGroupsMemory, &TaskTrackerCGroupsMemorySoftLimitPercentage,
	&TaskTrackerCGroupsMount, &TaskTrackerCGroupsStrictCPU, &TaskTrackerChildJobs, &TaskTrackerEnvWhitelist,
	&TaskTrackerMemoryMB, &TaskTrackerOtherLoadInterval, &TaskTrackerTaskProcesses, &TaskTrackerVCores,
	&TaskTrackerWaitForWork, &TaskTrackerWarmChildren, &TFIDFDocuments, &YARNErrorsDir, &YARNTaskJavaOpts,
}
