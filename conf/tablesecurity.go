package conf

// Keys for users' rights and for the users as whom tasks run.
var (
	BannedUsers = List{"banned.users", "yarn,mapred,hdfs,bin", "comma-separated names", "",
		"Users that TaskTrackers never run tasks as. See howdah.tasktracker.run-as."}
	HadoopProxyUserGroups = List{"hadoop.proxyuser.USER.groups", "", "comma-separated groups, or *", "",
		"Groups whose members USER may act for. The accounts on the JobTracker's machine determine group membership. " +
			"USER stands for a user with a token or a Kerberos login. USER also needs hadoop.proxyuser.USER.hosts."}
	HadoopProxyUserHosts = List{"hadoop.proxyuser.USER.hosts", "", "comma-separated hosts, 10.0.0.0/8, or *", "",
		"Hosts from which USER may act for other users."}
	HadoopProxyUserUsers = List{"hadoop.proxyuser.USER.users", "", "comma-separated users, or *", "",
		"Users that USER may act for. USER also needs hadoop.proxyuser.USER.hosts."}
	HadoopSecurityAuthToLocal = Text{"hadoop.security.auth_to_local", "", "rules, DEFAULT", "",
		"Rules that map Kerberos principals to user names. Without rules, the user name of a principal in the default " +
			"realm is the principal without its host and realm."}
	HadoopSecurityAuthentication = Text{"hadoop.security.authentication", "simple", "simple, kerberos", "",
		"How HDFS identifies users: by the name that the client sends (`simple`), or by Kerberos (`kerberos`). With " +
			"`kerberos`, clients also log in to a JobTracker or manager that has a principal."}
	SecurityKerberosKeytab = Text{"howdah.security.kerberos.keytab", "", "local file", "",
		"Keytab for the login. If unset, howdah uses the ticket cache ($KRB5CCNAME)."}
	SecurityKerberosPrincipal = Text{"howdah.security.kerberos.principal", "", "principal", "",
		"Principal for the login with the keytab. _HOST stands for this host."}
	SecurityRPCAddresses = List{"howdah.security.rpc.addresses", "", "comma-separated host:port or :port", "",
		"Additional addresses at which clients without TLS reach this JobTracker or manager, for example through a " +
			"container's published port. An entry without a host stands for every host. The daemon looks up names when " +
			"it starts. It rejects clients that have called any address other than these and its own. List only ports at " +
			"which no other user can listen."}
	SecuritySecretFile = Text{"howdah.security.secret.file", "", "local file of at least 32 bytes", "",
		"File with the secret that the daemons and administrators of a cluster share. If unset, howdah creates a " +
			"separate secret for each user, and daemons accept connections only on loopback addresses. The file must not " +
			"be readable by other users."}
	HadoopSecuritySensitiveConfigKeys = Text{"hadoop.security.sensitive-config-keys",
		"secret$,password$,username$,ssl.keystore.pass$,fs.s3.*[Ss]ecret.?[Kk]ey," +
			"fs.s3a.*.server-side-encryption.key,fs.s3a.encryption.algorithm,fs.s3a.encryption.key," +
			"fs.azure\\.account.key.*,credential$,oauth.*secret,oauth.*password,oauth.*token," +
			"hadoop.security.sensitive-config-keys", "comma-separated regular expressions", "",
		"Keys whose values the JobTracker never shows, not even in the history. It shows `<redacted>` instead. The " +
			"patterns in the JobTracker's own configuration apply. A job lists its own keys in " +
			"mapreduce.job.redacted-properties."}
	SecurityTLS = Choice{"howdah.security.tls", "off", "auto, files, off", "",
		"Whether gRPC, web pages, and the shuffle use TLS. With `auto`, the daemons derive a CA from the secret and " +
			"issue their certificates themselves. With `files`, every daemon and client has a certificate in files. All " +
			"daemons and clients of a cluster must have the same value."}
	SecurityTLSCAFile = Text{"howdah.security.tls.ca.file", "", "local file", "",
		"PEM file with the certificates of the CAs that sign the certificates of all daemons and clients, if " +
			"howdah.security.tls is `files`."}
	SecurityTLSCertFile = Text{"howdah.security.tls.cert.file", "", "local file", "",
		"PEM file with the certificate of this daemon or client, if howdah.security.tls is `files`. howdah rereads the " +
			"file when it changes."}
	SecurityTLSKeyFile = Text{"howdah.security.tls.key.file", "", "local file", "",
		"PEM file with the private key of howdah.security.tls.cert.file. The file must not be readable by other users."}
	SecurityTokenFile = Text{"howdah.security.token.file", "", "local file", "",
		"File with a token (howdah token create). Commands, clients, TaskTrackers, and agents present this token " +
			"instead of a Kerberos login or the secret. If unset, and if this user has no ticket and cannot read " +
			"howdah.security.secret.file, they present the token in howdah/token in the user's configuration directory " +
			"(~/.config). The file must not be readable by other users."}
	SecurityWebHosts = List{"howdah.security.web.hosts", "", "comma-separated NAME or NAME:PORT", "",
		"Additional names for the daemon in the URLs of its pages. A name without a port covers URLs with the daemon's " +
			"own port and URLs without a port. The daemon's IP address, localhost, and the host's own name are always " +
			"allowed. Daemons reject requests with other names or ports, because they could be meant for another server."}
	TaskTrackerRunAs = Choice{"howdah.tasktracker.run-as", "user", "user, tracker", "",
		"User that tasks run as. With `user`, tasks run as the job's user. A TaskTracker that runs as root switches to " +
			"that user (Linux), and any other TaskTracker rejects other users' jobs. With `tracker`, all tasks run as " +
			"the TaskTracker's user, so everyone who can submit a job can do what that user can do."}
	MinUserID = Int{"min.user.id", "1000", "0 to 4294967294", "",
		"Lowest user ID that a TaskTracker runs tasks as, so that no job runs as a system user. See " +
			"howdah.tasktracker.run-as."}
	SecurityJobClientProtocolACL = Text{"security.job.client.protocol.acl", "*",
		"comma-separated users, a space, and comma-separated groups; or *", "",
		"Users, in addition to administrators, whose clients may call the JobTracker. If an MR-cluster sets this key, " +
			"it lists the users who may use the MR-cluster in addition to its owner. The default is then nobody."}
)

var securityKeys = []declared{
	&BannedUsers, &HadoopProxyUserGroups, &HadoopProxyUserHosts, &HadoopProxyUserUsers, &HadoopSecurityAuthToLocal,
	&HadoopSecurityAuthentication, &HadoopSecuritySensitiveConfigKeys,
	&SecurityKerberosKeytab, &SecurityKerberosPrincipal, &SecurityRPCAddresses, &SecuritySecretFile,
	&SecurityTLS, &SecurityTLSCAFile, &SecurityTLSCertFile, &SecurityTLSKeyFile, &SecurityTokenFile, &SecurityWebHosts,
	&TaskTrackerRunAs, &MinUserID, &SecurityJobClientProtocolACL,
}
