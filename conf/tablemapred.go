package conf

// Keys that begin with io, ipc, or mapred.
var (
	IOCompressionCodecs = Text{"io.compression.codecs", "", "class names", "",
		"Codecs of input files. howdah rejects unknown classes. Otherwise, this key has no effect, because all of " +
			"howdah's codecs are always active."}
	IOMapIndexInterval = Int{"io.map.index.interval", "128", "records, 1 to 2^30", "",
		"Number of MapFile records per entry of the index."}
	IOSeqFileCompressBlockSize = Int{"io.seqfile.compress.blocksize", "1000000", "bytes, 1 to 2^30", "",
		"Bytes of keys and values in a block of a block-compressed SequenceFile, before compression."}
	IOSeqFileSyncInterval = Int{"io.seqfile.sync.interval", "102400", "bytes, 20 to 2^30", "",
		"Bytes between sync marks in a SequenceFile. Splits begin at sync marks."}
	IPCClientConnectMaxRetries = Int{"ipc.client.connect.max.retries", "10", "0 to 1000000", "",
		"How long a client tries to reach a NameNode for the first time, as a multiple of " +
			"ipc.client.connect.retry.interval. Tasks use howdah.hdfs.retry.timeout instead."}
	IPCClientConnectRetryInterval = Duration{"ipc.client.connect.retry.interval", "1000", "ms, 1 to 1h", "",
		"Unit of ipc.client.connect.max.retries. The pauses between attempts do not depend on it."}
	IPCClientConnectTimeout = Duration{"ipc.client.connect.timeout", "20000", "ms, 1 to 1h", "",
		"How long a connection attempt to a NameNode may take."}
	IPCClientConnectionMaxIdleTime = Duration{"ipc.client.connection.maxidletime", "10000", "ms, 10 to 1h", "",
		"How long a client keeps an unused connection to a NameNode."}
	IPCClientFallbackToSimpleAuthAllowed = Bool{"ipc.client.fallback-to-simple-auth-allowed", "false", "true, false", "",
		"Whether a client with Kerberos may use a cluster without security."}
	IPCClientRPCTimeoutMS = Duration{"ipc.client.rpc-timeout.ms", "120000", "ms, 100 to 1d", "",
		"How long a NameNode may take to answer a call."}
	IPCMaximumDataLength = Int{"ipc.maximum.data.length", "4194304", "bytes, 64k to 1g", "",
		"Maximum size of the requests that a JobTracker accepts and that its clients and TaskTrackers send. Replies " +
			"can be up to 64 MiB, or up to this size if it is larger."}
	IPCMaximumResponseLength = Size{"ipc.maximum.response.length", "134217728", "bytes or k m g, 64k to 2^31-1", "",
		"Maximum size of a NameNode's response."}
	IPCPingInterval = Duration{"ipc.ping.interval", "60000", "ms, 100 to 1h", "",
		"How long a NameNode may be silent before a client that is waiting for an answer pings it. If " +
			"ipc.client.connection.maxidletime is shorter, that time applies instead."}
	CapacitySchedulerDefaultInitAcceptJobsFactor = Int{"mapred.capacity-scheduler.default-init-accept-jobs-factor", "10",
		"1 to 1000000", "",
		"capacity, ngm: number of jobs that a queue accepts, as a multiple of its maximum number of active jobs."}
	CapacitySchedulerDefaultMaximumActiveTasksPerQueue = Int{
		"mapred.capacity-scheduler.default-maximum-active-tasks-per-queue", "200000", "1 to 2147483647", "",
		"capacity, ngm: maximum number of tasks in a queue's active jobs. The queue rejects a job with more tasks."}
	CapacitySchedulerDefaultMaximumActiveTasksPerUser = Int{
		"mapred.capacity-scheduler.default-maximum-active-tasks-per-user", "100000", "1 to 2147483647", "",
		"capacity, ngm: maximum number of tasks in one user's active jobs in a queue. The queue rejects a job with " +
			"more tasks."}
	CapacitySchedulerDefaultMinimumUserLimitPercent = Int{"mapred.capacity-scheduler.default-minimum-user-limit-percent",
		"100", "1 to 100", "",
		"capacity, ngm: minimum share of a queue that each of several users gets, as a percentage."}
	CapacitySchedulerDefaultSupportsPriority = Bool{"mapred.capacity-scheduler.default-supports-priority", "false",
		"true, false", "",
		"capacity, ngm: whether priorities order the jobs of a queue."}
	CapacitySchedulerDefaultUserLimitFactor = Float{"mapred.capacity-scheduler.default-user-limit-factor", "1",
		"0.000001 to 1000000", "",
		"capacity, ngm: maximum share for one user, as a multiple of the queue's capacity."}
	CapacitySchedulerMaximumSystemJobs = Int{"mapred.capacity-scheduler.maximum-system-jobs", "3000", "1 to 1000000", "",
		"capacity, ngm: maximum number of active jobs in all queues together."}
	CapacitySchedulerMaximumTasksAfterOffSwitch = Int{"mapred.capacity-scheduler.maximum-tasks-after-offswitch", "0",
		"0 to 32767", "",
		"capacity, ngm: number of additional tasks that a heartbeat may assign after it has assigned a map far from " +
			"its input. With capacity, the limit applies only to maps."}
	CapacitySchedulerMaximumTasksPerHeartbeat = Int{"mapred.capacity-scheduler.maximum-tasks-per-heartbeat", "32767",
		"1 to 32767", "",
		"capacity, ngm: maximum number of tasks that a heartbeat may assign."}
	ChildEnv = List{"mapred.child.env", "", "NAME=value, comma-separated", "",
		"Environment variables of all tasks."}
	ClusterAverageBlacklistThreshold = Float{"mapred.cluster.average.blacklist.threshold", "0.5", "0 to 100", "",
		"How far a TaskTracker's number of faults must exceed the average, as a fraction of the average, before the " +
			"JobTracker blacklists it."}
	DiskHealthCheckerInterval = Int{"mapred.disk.healthChecker.interval", "60000", "ms, 100 to 1d", "",
		"Time between checks of a TaskTracker's local disks."}
	FairSchedulerAllocationFile = Text{"mapred.fairscheduler.allocation.file", "fair-scheduler.xml", "file", "",
		"File with the pools of the Fair Scheduler: weights, minimum shares, and limits. The scheduler rereads a " +
			"changed file."}
	FairSchedulerAllowUndeclaredPools = Bool{"mapred.fairscheduler.allow.undeclared.pools", "true", "true, false", "",
		"Whether a job may name a pool that mapred.fairscheduler.allocation.file does not declare. If false, such a " +
			"job goes to the `default` pool."}
	FairSchedulerAssignMultiple = Bool{"mapred.fairscheduler.assignmultiple", "true", "true, false", "",
		"Whether the Fair Scheduler may assign more than one task per heartbeat."}
	FairSchedulerAssignMultipleMaps = Int{"mapred.fairscheduler.assignmultiple.maps", "-1",
		"-1 to 2147483647; -1 = no limit", "",
		"Maximum number of maps that the Fair Scheduler assigns per heartbeat."}
	FairSchedulerAssignMultipleReduces = Int{"mapred.fairscheduler.assignmultiple.reduces", "-1",
		"-1 to 2147483647; -1 = no limit", "",
		"Maximum number of reducers that the Fair Scheduler assigns per heartbeat."}
	FairSchedulerLoadMaxDiff = Float{"mapred.fairscheduler.load.max.diff", "0", "0 to 1", "",
		"How far a TaskTracker's load may exceed the cluster's load, as a fraction of the slots."}
	FairSchedulerLocalityDelay = Int{"mapred.fairscheduler.locality.delay", "-1",
		"ms, -1 to 86400000; -1 = 15 s or 1.5 heartbeat intervals, whichever is less", "",
		"How long a job waits to run a map on the node of its input, and how long it then waits to run one in " +
			"the rack of its input."}
	FairSchedulerLocalityDelayNode = Int{"mapred.fairscheduler.locality.delay.node", "",
		"ms, -1 to 86400000; default locality.delay", "mapred.fairscheduler.locality.delay.nodelocal",
		"How long a job waits to run a map on the node of its input."}
	FairSchedulerLocalityDelayRack = Int{"mapred.fairscheduler.locality.delay.rack", "",
		"ms, -1 to 86400000; default locality.delay", "mapred.fairscheduler.locality.delay.racklocal",
		"How long a job then waits to run a map in the rack of its input."}
	FairSchedulerPool = Text{"mapred.fairscheduler.pool", "", "a pool", "",
		"Pool of the job."}
	FairSchedulerPoolNameProperty = Text{"mapred.fairscheduler.poolnameproperty", "user.name",
		"name of a property of jobs", "",
		"Property that determines the pool of a job that names no pool. Another useful value is `group.name`. A " +
			"poolPlacementPolicy in mapred.fairscheduler.allocation.file replaces this rule."}
	FairSchedulerPreemption = Bool{"mapred.fairscheduler.preemption", "false", "true, false", "",
		"Whether the Fair Scheduler kills tasks for pools that have been below their share for too long."}
	FairSchedulerPreemptionInterval = Duration{"mapred.fairscheduler.preemption.interval", "15000", "ms, 1 to 1d", "",
		"How often the Fair Scheduler checks whether to kill tasks."}
	FairSchedulerPreemptionOnlyLog = Bool{"mapred.fairscheduler.preemption.only.log", "false", "true, false", "",
		"Whether preemption, even if enabled, kills no tasks. Unlike Hadoop, howdah does not log what it would kill."}
	FairSchedulerSizeBasedWeight = Bool{"mapred.fairscheduler.sizebasedweight", "false", "true, false", "",
		"Whether a job's weight grows with the binary logarithm of the number of its running and waiting tasks."}
	FairSchedulerUpdateInterval = Duration{"mapred.fairscheduler.update.interval", "500", "ms, 1 to 1d", "",
		"How often the Fair Scheduler computes shares. If mapred.fairscheduler.allocation.file sets no preemption " +
			"timeout, only fair-deficit uses this interval."}
	FairSchedulerWeightAdjuster = Text{"mapred.fairscheduler.weightadjuster", "",
		"org.apache.hadoop.mapred.NewJobWeightBooster", "",
		"Class that adjusts the weights of jobs."}
	JobTrackerBlacklistFaultTimeoutWindow = Int{"mapred.jobtracker.blacklist.fault-timeout-window", "180",
		"minutes, 0 to 1000000", "",
		"How long a TaskTracker's fault counts."}
	JobTrackerCompleteUserJobsMaximum = Int{"mapred.jobtracker.completeuserjobs.maximum", "100", "0 to 100000", "",
		"Maximum number of ended jobs per user that the JobTracker keeps in memory with their tasks. It reads the " +
			"tasks of older jobs from the history."}
	MapperNewAPI = Text{"mapred.mapper.new-api", "", "true, false", "",
		"Whether maps use Hadoop's new classes (true, the default) or its old classes, as in Streaming. With the " +
			"old classes, the files of a map-only job are named part-00000 instead of part-m-00000, and " +
			"mapreduce.job.maps is a hint."}
	NewJobWeightBoosterDuration = Duration{"mapred.newjobweightbooster.duration", "300000", "ms, 0 to 1d", "",
		"How long NewJobWeightBooster considers a job new."}
	NewJobWeightBoosterFactor = Float{"mapred.newjobweightbooster.factor", "3", "0.001 to 1000", "",
		"Factor for the weight of a new job."}
	QueueNames = List{"mapred.queue.names", "default", "comma-separated names", "mapreduce.jobtracker.queue.names",
		"Names of the queues."}
	ReducerNewAPI = Text{"mapred.reducer.new-api", "", "true, false", "",
		"Whether the files of reducers are named part-r-00000 (true, the default) or, as with Hadoop's old " +
			"classes, part-00000."}
	UserJobConfLimit = Int{"mapred.user.jobconf.limit", "5242880", "bytes, 1k to 32m", "",
		"Maximum size of job.xml that the JobTracker accepts."}
)

var mapredKeys = []declared{
	&IOCompressionCodecs, &IOMapIndexInterval, &IOSeqFileCompressBlockSize, &IOSeqFileSyncInterval,
	&IPCClientConnectMaxRetries, &IPCClientConnectRetryInterval, &IPCClientConnectTimeout, &IPCClientConnectionMaxIdleTime,
	&IPCClientFallbackToSimpleAuthAllowed, &IPCClientRPCTimeoutMS, &IPCMaximumDataLength, &IPCMaximumResponseLength,
	&IPCPingInterval, &CapacitySchedulerDefaultInitAcceptJobsFactor, &CapacitySchedulerDefaultMaximumActiveTasksPerQueue,
	&CapacitySchedulerDefaultMaximumActiveTasksPerUser, &CapacitySchedulerDefaultMinimumUserLimitPercent,
	&CapacitySchedulerDefaultSupportsPriority, &CapacitySchedulerDefaultUserLimitFactor,
	&CapacitySchedulerMaximumSystemJobs, &CapacitySchedulerMaximumTasksAfterOffSwitch,
	&CapacitySchedulerMaximumTasksPerHeartbeat, &ChildEnv, &ClusterAverageBlacklistThreshold, &DiskHealthCheckerInterval,
	&FairSchedulerAllocationFile, &FairSchedulerAllowUndeclaredPools, &FairSchedulerAssignMultiple,
	&FairSchedulerAssignMultipleMaps, &FairSchedulerAssignMultipleReduces, &FairSchedulerLoadMaxDiff,
	&FairSchedulerLocalityDelay, &FairSchedulerLocalityDelayNode, &FairSchedulerLocalityDelayRack, &FairSchedulerPool,
	&FairSchedulerPoolNameProperty, &FairSchedulerPreemption, &FairSchedulerPreemptionInterval,
	&FairSchedulerPreemptionOnlyLog, &FairSchedulerSizeBasedWeight, &FairSchedulerUpdateInterval,
	&FairSchedulerWeightAdjuster, &JobTrackerBlacklistFaultTimeoutWindow, &JobTrackerCompleteUserJobsMaximum,
	&MapperNewAPI, &NewJobWeightBoosterDuration, &NewJobWeightBoosterFactor, &QueueNames, &ReducerNewAPI,
	&UserJobConfLimit,
}
