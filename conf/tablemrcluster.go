package conf

// Keys for pools and MR-clusters.
var (
	MRClusterAgentDir = Text{"howdah.mrcluster.agent.dir", "",
		"directory; default ${hadoop.tmp.dir}/mrcluster/agent-NAME", "",
		"Directory for all files of a node's agent, including the data that an MR-cluster stores on the node."}
	MRClusterAgentHost = Text{"howdah.mrcluster.agent.host", "",
		"address; default that of howdah.gossip.address (0.0.0.0 = the machine's name), else 127.0.0.1", "",
		"Address of a node. The daemons of its MR-cluster listen on this address."}
	MRClusterAgentName = Text{"howdah.mrcluster.agent.name", "",
		"name without spaces or slashes; default the machine's name",
		"",
		"Name of a node, unique in its pool."}
	MRClusterAttempts = Int{"howdah.mrcluster.attempts", "3", "1 to 1000", "",
		"Maximum number of times that the manager tries to deploy an MR-cluster and load its data. An attempt also " +
			"fails after this number of failed node starts."}
	MRClusterBackend = Text{"howdah.mrcluster.backend", "local", "command, docker, local, netns", "",
		"How the manager starts nodes: as processes on this machine (`local`), as network namespaces (`netns`, Linux " +
			"and root only), as containers (`docker`), or with howdah.mrcluster.command.start and related commands " +
			"(`command`)."}
	MRClusterClustersMaximum = Int{"howdah.mrcluster.clusters.maximum", "1000", "1 to 1000000", "",
		"Maximum number of MR-clusters that a manager accepts."}
	MRClusterCommandDir = Text{"howdah.mrcluster.command.dir", "${hadoop.tmp.dir}/mrcluster/{name}",
		"directory, with {name}", "",
		"`command` back end: directory for all files of a node's agent. `{dir}` stands for this directory."}
	MRClusterCommandHost = Text{"howdah.mrcluster.command.host", "",
		"address; default the first global IPv4 address of this machine, else 127.0.0.1", "",
		"`command` back end: address at which nodes reach the manager."}
	MRClusterCommandList = Text{"howdah.mrcluster.command.list", "", "command", "",
		"`command` back end: command that prints one line per node: `NAME`, `NAME HOST`, or `NAME HOST " +
			"running|stopped`. HOST may be `-`, which stands for howdah.mrcluster.command.node.host."}
	MRClusterCommandNodeHost = Text{"howdah.mrcluster.command.node.host", "{name}", "address, with {name}", "",
		"`command` back end: address of a node for which howdah.mrcluster.command.list prints none."}
	MRClusterCommandProgram = Text{"howdah.mrcluster.command.program", "",
		"path; default that of the manager's program", "",
		"`command` back end: path of howdah on the nodes."}
	MRClusterCommandStart = Text{"howdah.mrcluster.command.start", "", "command", "",
		"`command` back end: command that starts a node and its agent. The command must exit while the agent keeps " +
			"running. `{name}`, `{host}`, and `{dir}` stand for the node's name, address, and directory. The word " +
			"`{agent}` stands for the words of the agent's command, and `{agent:sh}` stands for the same command quoted " +
			"for a shell."}
	MRClusterCommandStop = Text{"howdah.mrcluster.command.stop", "", "command", "",
		"`command` back end: command that stops a node's agent cleanly and removes the node and its `{dir}`. The " +
			"command must also succeed if the node does not exist."}
	MRClusterCommandTimeoutMS = Int{"howdah.mrcluster.command.timeout.ms", "120000", "ms, 100 to 86400000", "",
		"`command` back end: time limit for each command. The manager kills a command that exceeds it."}
	MRClusterCoreBytes = Int{"howdah.mrcluster.core.bytes", "0",
		"bytes, 0 to 2^60; 0 = ignore the amount of data", "",
		"Amount of data per core node. Without --core, howdah mrcluster create uses it to compute the number of core " +
			"nodes from the amount of data to load."}
	MRClusterCreateACL = Text{"howdah.mrcluster.create.acl", "",
		"comma-separated users, a space, and comma-separated groups; or *", "",
		"Users, in addition to administrators, who may create their own MR-clusters."}
	MRClusterDockerDir = Text{"howdah.mrcluster.docker.dir", "/var/lib/howdah", "directory", "",
		"`docker` back end: directory in the container for all files of the agent."}
	MRClusterDockerImage = Text{"howdah.mrcluster.docker.image", "howdah", "image", "",
		"`docker` back end: image for the nodes. For MR-clusters with their own HDFS, the image must contain Java and " +
			"Hadoop's jars. The howdah-hdfs image has the jars in /opt/hadoop/lib."}
	MRClusterDockerOptions = Text{"howdah.mrcluster.docker.options", "", "words", "",
		"`docker` back end: additional options for docker create, such as limits, volumes, and capabilities."}
	MRClusterDockerProgram = Text{"howdah.mrcluster.docker.program", "howdah", "program", "",
		"`docker` back end: path of howdah in the image."}
	MRClusterDrainTimeoutMS = Int{"howdah.mrcluster.drain.timeout.ms", "600000", "10 to 86400000", "",
		"How long a node may take to leave its MR-cluster. After that time, a node without data leaves " +
			"immediately, and a node with data stays in the MR-cluster."}
	MRClusterExpiryMasterMS = Int{"howdah.mrcluster.expiry.master.ms", "600000", "10 to 86400000", "",
		"How long the agent of an MR-cluster's master may be silent before the manager deploys the MR-cluster again. " +
			"After the same time, the manager forgets a lost node without data."}
	MRClusterExpiryMS = Int{"howdah.mrcluster.expiry.ms", "30000", "10 to 86400000", "",
		"How long the agent of a node that is not a master may be silent before the manager considers the node lost."}
	MRClusterGrow = Choice{"howdah.mrcluster.grow", "transient-core", "transient, transient-core", "",
		"Default kind of node that an MR-cluster gains when it grows. Transient nodes store no data."}
	MRClusterHDFSHeapMB = Int{"howdah.mrcluster.hdfs.heap.mb", "512", "MiB, 32 to 1048576", "",
		"Java heap of each NameNode and DataNode of an MR-cluster."}
	MRClusterHDFSJars = Text{"howdah.mrcluster.hdfs.jars", "", "folder", "",
		"Folder on every node with the jars of hadoop-common, hadoop-hdfs, hadoop-hdfs-client, and their " +
			"dependencies. MR-clusters with their own HDFS need this folder."}
	MRClusterHDFSJava = Text{"howdah.mrcluster.hdfs.java", "", "program; default java in JAVA_HOME, else in PATH", "",
		"Java executable that runs the NameNodes and DataNodes of MR-clusters."}
	MRClusterHDFSJavaOptions = Text{"howdah.mrcluster.hdfs.java.options", "-XX:+UseSerialGC -XX:TieredStopAtLevel=1",
		"words", "",
		"Additional options for howdah.mrcluster.hdfs.java. The default options reduce the CPU time of Java's startup."}
	MRClusterHeartbeatMS = Int{"howdah.mrcluster.heartbeat.ms", "1000", "10 to 600000", "",
		"Time between an agent's reports."}
	MRClusterHistoryDir = Text{"howdah.mrcluster.history.dir", "",
		"URI of a directory that all nodes can reach, or none; default history in howdah.mrcluster.manager.dir " +
			"if the nodes share the manager's disk",
		"",
		"Directory for the .jhist files and configurations of MR-clusters' jobs. Each MR-cluster has an OWNER/NAME " +
			"subdirectory. If an agent or MR-cluster sets mapreduce.jobhistory.done-dir, that setting overrides this " +
			"key. Without either directory, the jobs' history is lost when the " +
			"deployment ends."}
	MRClusterIdleMS = Int{"howdah.mrcluster.idle.ms", "0", "0 to 31536000000; 0 = howdah.mrcluster.interval.ms", "",
		"How long an MR-cluster may be idle before the manager saves its output and releases its nodes."}
	MRClusterIntervalMS = Int{"howdah.mrcluster.interval.ms", "60000", "10 to 86400000", "",
		"Interval (T) at which the manager computes weights and shares."}
	MRClusterJobTracker = Text{"howdah.mrcluster.jobtracker", "", "absolute path; default the agent's program", "",
		"Program on an agent's node whose `jobtracker` command starts the JobTracker of an MR-cluster, such as one with " +
			"its own scheduler. The `--binary` of an MR-cluster overrides this key."}
	MRClusterManagerAddress = Text{"howdah.mrcluster.manager.address", "",
		"host:port; default port 9011 of the back end's address, or 127.0.0.1:9011 for commands", "",
		"Address of the manager of MR-clusters, for the manager and for commands. Port 0 means any port."}
	MRClusterManagerDir = Text{"howdah.mrcluster.manager.dir", "${hadoop.tmp.dir}/mrcluster/manager", "directory", "",
		"Directory of the manager's journal and of the nodes that the manager starts on this machine."}
	MRClusterManagerHTTPAddress = Text{"howdah.mrcluster.manager.http.address", "",
		"host:port; default port 50090 of the back end's address", "",
		"Address of the manager's web page. Port 0 means any port."}
	MRClusterManagerKerberosPrincipal = Text{"howdah.mrcluster.manager.kerberos.principal", "", "principal", "",
		"Kerberos principal of the manager. With it, the manager lets users and nodes log in. _HOST stands for the " +
			"manager's host."}
	MRClusterManagerKeytabFile = Text{"howdah.mrcluster.manager.keytab.file", "", "local file", "",
		"Keytab of the manager."}
	MRClusterName = Text{"howdah.mrcluster.name", "", "name", "",
		"MR-cluster for a client's jobs, queries, and file commands, as with `--mrcluster`. This key overrides " +
			"mapreduce.jobtracker.address and mapreduce.framework.name, and `-jt` overrides this key."}
	MRClusterNetNSCores = Float{"howdah.mrcluster.netns.cores", "0", "0 to 1000; 0 = all cores, else at least 0.01", "",
		"`netns` back end: CPU time that all processes of a node may use together, in cores."}
	MRClusterNetNSRateMbit = Int{"howdah.mrcluster.netns.rate.mbit", "0", "0 to 100000; 0 = no limit", "",
		"`netns` back end: rate of a node's link in each direction, in Mbit/s."}
	MRClusterNodes = Int{"howdah.mrcluster.nodes", "0", "0 to 1000", "",
		"Number of nodes that the manager starts through its back end and keeps running. 0 means that the " +
			"manager starts no nodes."}
	MRClusterNodesMaximum = Int{"howdah.mrcluster.nodes.maximum", "10000", "1 to 1000000", "",
		"Maximum number of nodes in a pool."}
	MRClusterOutputsWaitMS = Int{"howdah.mrcluster.outputs.wait.ms", "60000", "1 to 86400000", "",
		"How long a departing node waits, after its other work has ended, for jobs that still need its map outputs. " +
			"After that time, the maps run again elsewhere."}
	MRClusterPrograms = List{"howdah.mrcluster.programs", "", "comma-separated absolute paths", "",
		"Programs, and directories of programs, that `howdah mrcluster create --binary` may name on this agent's " +
			"node. They run as the agent's user. The agent's own user may name any program."}
	MRClusterRetryMS = Int{"howdah.mrcluster.retry.ms", "10000", "10 to 86400000", "",
		"Base delay before the manager saves output again, or uses a node again, after a failure. The delay doubles " +
			"with each additional failure, up to 64 times this value. The manager retries loading without delay."}
	MRClusterSampleMS = Int{"howdah.mrcluster.sample.ms", "1000", "10 to 600000", "",
		"How often the agent of an MR-cluster's master queries the MR-cluster's JobTracker and NameNode. The " +
			"agent's next report includes the results."}
	MRClusterShrink = Choice{"howdah.mrcluster.shrink", "kind", "kind, delayed", "",
		"How nodes without data leave a shrinking MR-cluster. With `kind`, they leave immediately, and their tasks run " +
			"again elsewhere. With `delayed`, they leave as nodes with data do, once their tasks have ended and no job " +
			"needs their output."}
	MRClusterStartTimeoutHDFSMS = Int{"howdah.mrcluster.start.timeout.hdfs.ms", "600000", "10 to 86400000", "",
		"Like howdah.mrcluster.start.timeout.ms, but for MR-clusters with their own HDFS."}
	MRClusterStartTimeoutMS = Int{"howdah.mrcluster.start.timeout.ms", "120000", "10 to 86400000", "",
		"How long the daemons of a node may take to start before the manager tries another node."}
	MRClusterTaskTracker = Text{"howdah.mrcluster.tasktracker", "", "absolute path; default the agent's program", "",
		"Program on an agent's node whose `tasktracker` command starts the TaskTracker of an MR-cluster, such as one " +
			"with its own estimator. The `--binary` of an MR-cluster overrides this key."}
	MRClusterThreshold = Float{"howdah.mrcluster.threshold", "10", "0 to 1000000000000", "",
		"Threshold (tau), in s^2. Weights change shares only while the global discrimination exceeds it."}
	MRClusterUserMaximum = Int{"howdah.mrcluster.user.maximum", "100", "0 to 1000000; 0 = no limit", "",
		"Maximum number of MR-clusters per user. Only administrators may create more for a user."}
	MRClusterWeights = Text{"howdah.mrcluster.weights", "TD", "JD, DD, TD, PU, DU, RU, JS, JT, TT, DS, EQ, None", "",
		"Basis of the weights of MR-clusters. `JD`, `DD`, and `TD` are based on job, data, and task demand. `PU`, " +
			"`DU`, and `RU` are based on processor usage, disk usage, and both. `JS` is based on job slowdown. `JT` and " +
			"`TT` are based on job and task throughput. `DS` is based on deadline slack. With `EQ`, all weights are " +
			"equal. With `None`, MR-clusters do not grow."}
	MRClusterWeightsA = Float{"howdah.mrcluster.weights.a", "2", "above 1, to 1000000", "",
		"Parameter a of the JT, TT, and DS weights."}
	MRClusterWeightsPsi = Float{"howdah.mrcluster.weights.psi", "0.5", "0 to 1", "",
		"Parameter psi of the RU weights, which is the share of processor usage."}
	MRClusterWeightsQueue = Choice{"howdah.mrcluster.weights.queue", "in-queue", "in-queue, waiting, unfinished", "",
		"Which jobs and tasks count toward weights based on demand or throughput. With `in-queue`, jobs count until " +
			"they end, and tasks count until they start. With `waiting`, jobs count only while some of their tasks wait. " +
			"With `unfinished`, jobs and tasks count until they end."}
	MRClusterWeightsUsage = Choice{"howdah.mrcluster.weights.usage", "normalised", "normalised, absolute", "",
		"How the RU weights combine usages: after normalizing each one across the MR-clusters (`normalised`), or as " +
			"they are (`absolute`)."}
	MRClusterWindow = Choice{"howdah.mrcluster.window", "interval", "interval, request", "",
		"Period over which the manager computes discrimination: the last interval (`interval`), or the time " +
			"since the request for the MR-cluster (`request`)."}
)

var mrclusterKeys = []declared{
	&MRClusterAgentDir, &MRClusterAgentHost, &MRClusterAgentName, &MRClusterAttempts, &MRClusterBackend,
	&MRClusterClustersMaximum, &MRClusterCommandDir, &MRClusterCommandHost, &MRClusterCommandList,
	&MRClusterCommandNodeHost, &MRClusterCommandProgram, &MRClusterCommandStart, &MRClusterCommandStop,
	&MRClusterCommandTimeoutMS, &MRClusterCoreBytes, &MRClusterCreateACL, &MRClusterDockerDir, &MRClusterDockerImage,
	&MRClusterDockerOptions, &MRClusterDockerProgram, &MRClusterDrainTimeoutMS, &MRClusterExpiryMasterMS,
	&MRClusterExpiryMS, &MRClusterGrow, &MRClusterHDFSHeapMB, &MRClusterHDFSJars, &MRClusterHDFSJava,
	&MRClusterHDFSJavaOptions, &MRClusterHeartbeatMS, &MRClusterHistoryDir, &MRClusterIdleMS, &MRClusterIntervalMS,
	&MRClusterJobTracker, &MRClusterManagerAddress, &MRClusterManagerDir, &MRClusterManagerHTTPAddress,
	&MRClusterManagerKerberosPrincipal, &MRClusterManagerKeytabFile, &MRClusterName,
	&MRClusterNetNSCores, &MRClusterNetNSRateMbit, &MRClusterNodes, &MRClusterNodesMaximum, &MRClusterOutputsWaitMS,
	&MRClusterPrograms, &MRClusterRetryMS, &MRClusterSampleMS, &MRClusterShrink, &MRClusterStartTimeoutHDFSMS,
	&MRClusterStartTimeoutMS, &MRClusterTaskTracker, &MRClusterThreshold, &MRClusterUserMaximum,
	&MRClusterWeights, &MRClusterWeightsA, &MRClusterWeightsPsi, &MRClusterWeightsQueue, &MRClusterWeightsUsage,
	&MRClusterWindow,
}
