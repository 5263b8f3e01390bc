package conf

// Keys for file systems and keys common to all of Hadoop.
var (
	DFSBlockSize = Size{"dfs.blocksize", "134217728", "bytes or k m g, 512 to 1t", "dfs.block.size",
		"Block size of new files on HDFS, a multiple of dfs.bytes-per-checksum. For the split size of local " +
			"files, see fs.local.block.size."}
	DFSBytesPerChecksum = Size{"dfs.bytes-per-checksum", "512", "bytes, 1 to 1m", "io.bytes.per.checksum",
		"Bytes per checksum in new files on HDFS."}
	DFSChecksumType = Text{"dfs.checksum.type", "CRC32C", "CRC32C, CRC32", "",
		"Type of the checksums of new files on HDFS."}
	DFSClientWritePacketSize = Size{"dfs.client-write-packet-size", "65536", "bytes, 512 to 8m", "dfs.write.packet.size",
		"Bytes that a client sends to DataNodes in one packet."}
	DFSClientBlockWriteRetries = Int{"dfs.client.block.write.retries", "3", "0 to 100", "",
		"Number of retries with a new DataNode pipeline. After a block's first pipeline fails, a client tries one new " +
			"pipeline, and then retries up to this number of times."}
	DFSClientMaxBlockAcquireFailures = Int{"dfs.client.max.block.acquire.failures", "3", "0 to 100", "",
		"Number of times that a client requests new locations for a block that it cannot read. 0 means the default."}
	DFSClientReadPrefetchSize = Size{"dfs.client.read.prefetch.size", "",
		"bytes, 1 to 2^50; default ten times dfs.blocksize", "",
		"Size of the part of a file whose block locations a client requests in one call."}
	DFSClientSocketTimeout = Duration{"dfs.client.socket-timeout", "60000", "ms, 10 to 1d", "",
		"How long a DataNode may be silent before a client tries another replica or pipeline."}
	DFSClientSocketCacheCapacity = Int{"dfs.client.socketcache.capacity", "16", "0 to 4096", "",
		"Number of unused connections to DataNodes that a client keeps."}
	DFSClientSocketCacheExpiryMsec = Duration{"dfs.client.socketcache.expiryMsec", "3000", "ms, 1 to 1h", "",
		"How long a client keeps an unused connection to a DataNode."}
	DFSClientUseDataNodeHostName = Bool{"dfs.client.use.datanode.hostname", "false", "true, false", "",
		"Whether clients connect to DataNodes by host name. If false, clients connect by IP address."}
	DFSDataTransferProtection = Text{"dfs.data.transfer.protection", "",
		"comma-separated authentication, integrity, privacy", "",
		"Protection levels for data transfer with a secured HDFS, in order of preference. If unset, the client uses " +
			"the lowest level that the DataNode offers."}
	DFSEncryptDataTransferCipherSuites = Text{"dfs.encrypt.data.transfer.cipher.suites", "", "AES/CTR/NoPadding", "",
		"Cipher that the client offers to DataNodes for encrypted data transfer. If unset, SASL encrypts the " +
			"data, which is slower."}
	DFSHANameNodes = List{"dfs.ha.namenodes", "", "names", "",
		"NameNodes of an HA name service. The name service is a suffix of the key: `dfs.ha.namenodes.SERVICE`."}
	DFSHosts = Text{"dfs.hosts", "", "file", "",
		"File that lists the DataNodes that may join. `hdfs getconf -includeFile` prints its name."}
	DFSHostsExclude = Text{"dfs.hosts.exclude", "", "file", "",
		"File that lists the DataNodes that must leave. `hdfs getconf -excludeFile` prints its name."}
	DFSNameNodeHTTPAddress = Text{"dfs.namenode.http-address", "0.0.0.0:9870", "host:port", "",
		"Address of a NameNode's web pages, which `howdah fsck` and `howdah haadmin` ask. For HA, the name service and the " +
			"NameNode are suffixes of the key: `dfs.namenode.http-address.SERVICE.NAME`. The host 0.0.0.0 stands for the " +
			"host of the NameNode's RPC address."}
	DFSNameNodeKerberosPrincipal = Text{"dfs.namenode.kerberos.principal", "", "principal", "",
		"Kerberos principal of the NameNodes. _HOST stands for each NameNode's host."}
	DFSNameNodeKerberosPrincipalPattern = Text{"dfs.namenode.kerberos.principal.pattern", "", "glob", "",
		"Pattern that a NameNode's principal must match, for clusters in other realms."}
	DFSNameNodeRPCAddress = Text{"dfs.namenode.rpc-address", "", "host:port", "",
		"Address of a NameNode of a name service. The name service and, for HA, the NameNode are suffixes of the key: " +
			"`dfs.namenode.rpc-address.SERVICE.NAME`."}
	DFSNameServices = List{"dfs.nameservices", "", "names", "",
		"Name services, which may replace host:port in hdfs:// URIs."}
	DFSReplication = Int{"dfs.replication", "3", "1 to 512", "",
		"Number of replicas of each block of new files on HDFS."}
	DistCpCopyOverwrite = Bool{"distcp.copy.overwrite", "false", "true, false", "",
		"Whether distcp replaces existing files at the target even if they match the source. `-overwrite` sets this " +
			"key."}
	DistCpIgnoreFailures = Bool{"distcp.ignore.failures", "false", "true, false", "",
		"Whether distcp continues after a file that it cannot copy. `-i` sets this key."}
	DistCpListingFilePath = Text{"distcp.listing.file.path", "", "path", "",
		"Set for distcp tasks: file that lists the files to copy."}
	DistCpMapBandwidthMB = Float{"distcp.map.bandwidth.mb", "0", "MiB/s, 0 to 1000000000; 0 = no limit", "",
		"Maximum rate at which each distcp map copies data. `-bandwidth` sets this key."}
	DistCpMaxMaps = Int{"distcp.max.maps", "20", "1 to 100000", "",
		"Set for distcp jobs: maximum number of maps (`-m`)."}
	DistCpPreserveStatus = Text{"distcp.preserve.status", "", "letters of rbugpt", "",
		"Set for distcp tasks: attributes that copies preserve (`-p`)."}
	DistCpSkipCRC = Bool{"distcp.skip.crc", "false", "true, false", "",
		"Whether distcp skips the comparison of checksums. `-skipcrccheck` sets this key."}
	DistCpSyncFolders = Bool{"distcp.sync.folders", "false", "true, false", "",
		"Whether distcp replaces existing files at the target unless they are known to match the source. `-update` " +
			"sets this key."}
	DistCpTargetFinalPath = Text{"distcp.target.final.path", "", "URI", "",
		"Set for distcp tasks: target of the copy."}
	DistCpTargetWorkPath = Text{"distcp.target.work.path", "", "URI", "",
		"Set for distcp tasks: directory of unfinished copies."}
	DistCpTotalBytes = Int{"distcp.total.bytes", "", "bytes, 0 to 2^62", "",
		"Set for distcp jobs: total size of the files."}
	FileBytesPerChecksum = Int{"file.bytes-per-checksum", "512", "bytes, 1 to 16777216", "",
		"Bytes per checksum in new local files. See howdah.file.checksums."}
	FixedLengthInputFormatRecordLength = Int{"fixedlengthinputformat.record.length", "", "bytes, 1 to 2^31-1", "",
		"Bytes per record of FixedLengthInputFormat, which requires this key."}
	FSDefaultFS = Text{"fs.defaultFS", "file:///", "URI", "fs.default.name",
		"File system of paths without a scheme."}
	FSLocalBlockSize = Size{"fs.local.block.size", "33554432", "bytes or k m g, 1 or more", "",
		"Block size that howdah assumes for local files. It determines the size of splits."}
	FSPermissionsUmaskMode = Text{"fs.permissions.umask-mode", "022", "octal, or u=rwx,g=rx,o=rx",
		"dfs.umask dfs.umaskmode",
		"Permissions of new files and directories on HDFS. The octal form contains the permissions that HDFS " +
			"withholds, and the symbolic form lists those that it grants."}
	FSTrashInterval = Int{"fs.trash.interval", "0", "minutes, 0 to 52560000", "",
		"How long -expunge keeps checkpoints of HOME/.Trash, to which -rm moves files on HDFS. 0 means that -rm " +
			"deletes files immediately. An interval set on the NameNode takes precedence."}
	HadoopJobUGI = Text{"hadoop.job.ugi", "", "user,group,...", "",
		"User on a cluster without security, as in Hadoop 0.20. howdah uses the first name and ignores the groups. " +
			"$HADOOP_USER_NAME takes precedence."}
	HadoopLogDir = Text{"hadoop.log.dir", "${hadoop.tmp.dir}/logs", "directory", "",
		"A TaskTracker's log directory. Its userlogs subdirectory contains the logs of attempts."}
	HadoopRPCProtection = Text{"hadoop.rpc.protection", "", "comma-separated authentication, integrity, privacy", "",
		"Protection levels for calls to a secured NameNode, in order of preference. If unset, the client uses the " +
			"lowest level that the NameNode offers."}
	HadoopShellSafelyDeleteLimitNumFiles = Int{"hadoop.shell.safely.delete.limit.num.files", "100", "0 or more", "",
		"Maximum number of files in a directory that -rm -safely deletes without confirmation. 0 means no limit."}
	HadoopTmpDir = Text{"hadoop.tmp.dir", "/tmp/hadoop-${user.name}", "directory", "",
		"Parent of the other local directories."}
	TestBuildData = Text{"test.build.data", "", "directory", "",
		"Directory for the files of dfsio and mrbench. If unset, these programs use /benchmarks/TestDFSIO and " +
			"/benchmarks/MRBench."}
	TestIOFileBufferSize = Int{"test.io.file.buffer.size", "1000000", "bytes, 1 to 2^30", "",
		"Set for dfsio maps: bytes that a map reads or writes in one call (`-bufferSize`)."}
	TextInputFormatRecordDelimiter = Text{"textinputformat.record.delimiter", "", "text", "",
		"Text that ends a line of text input. Key-value text input and the N-line input format ignore this " +
			"key. If unset, LF, CR, and CR LF end a line."}
)

var hadoopKeys = []declared{
	&DFSBlockSize, &DFSBytesPerChecksum, &DFSChecksumType, &DFSClientWritePacketSize,
	&DFSClientBlockWriteRetries,
	&DFSClientMaxBlockAcquireFailures, &DFSClientReadPrefetchSize, &DFSClientSocketTimeout, &DFSClientSocketCacheCapacity,
	&DFSClientSocketCacheExpiryMsec, &DFSClientUseDataNodeHostName, &DFSDataTransferProtection,
	&DFSEncryptDataTransferCipherSuites, &DFSHANameNodes, &DFSHosts, &DFSHostsExclude, &DFSNameNodeHTTPAddress,
	&DFSNameNodeKerberosPrincipal,
	&DFSNameNodeKerberosPrincipalPattern, &DFSNameNodeRPCAddress, &DFSNameServices, &DFSReplication, &DistCpCopyOverwrite,
	&DistCpIgnoreFailures, &DistCpListingFilePath, &DistCpMapBandwidthMB, &DistCpMaxMaps, &DistCpPreserveStatus,
	&DistCpSkipCRC, &DistCpSyncFolders, &DistCpTargetFinalPath, &DistCpTargetWorkPath, &DistCpTotalBytes,
	&FileBytesPerChecksum, &FixedLengthInputFormatRecordLength, &FSDefaultFS, &FSLocalBlockSize,
	&FSPermissionsUmaskMode, &FSTrashInterval,
	&HadoopJobUGI, &HadoopLogDir,
	&HadoopRPCProtection,
	&HadoopShellSafelyDeleteLimitNumFiles, &HadoopTmpDir,
	&TestBuildData, &TestIOFileBufferSize,
	&TextInputFormatRecordDelimiter,
}
