package node

import (
	"fmt"
	"slices"
	"strings"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/auth/certs"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mrcluster"
)

// ownKey reports whether a setting is only for the manager and the agents. If daemons used the
// pool's gossip settings, the daemons of different MR-clusters would find each other.
func ownKey(key string) bool {
	return strings.HasPrefix(key, "howdah.mrcluster.") || strings.HasPrefix(key, "howdah.gossip.")
}

// decided lists the keys that a request may not set, because the node or the agent's configuration
// determines them. stored lists additional ones for an MR-cluster with its own HDFS.
var (
	decided = []string{conf.FrameworkName.Name, conf.HadoopTmpDir.Name, conf.HadoopLogDir.Name,
		conf.JobTrackerAddress.Name,
		conf.JobTrackerHTTPAddress.Name,
		conf.JobTrackerDir.Name, conf.TaskTrackerHTTPAddress.Name, conf.TaskTrackerHostName.Name,
		conf.ClusterLocalDir.Name, conf.SecuritySecretFile.Name, conf.SecurityTokenFile.Name, certs.KeyTLS, certs.KeyCert,
		certs.KeyKey,
		certs.KeyCA, conf.TaskTrackerRunAs.Name,
		conf.HadoopSecurityAuthentication.Name, conf.HadoopSecurityAuthToLocal.Name, conf.JobTrackerKerberosPrincipal.Name,
		conf.JobTrackerKeytabFile.Name, conf.TaskTrackerKerberosPrincipal.Name,
		conf.TaskTrackerKeytabFile.Name,
		conf.TaskTrackerTaskProcesses.Name, conf.TaskTrackerEnvWhitelist.Name, conf.MinUserID.Name, conf.BannedUsers.Name}
	stored = []string{conf.FSDefaultFS.Name, conf.JobTrackerSystemDir.Name, conf.JobTrackerStagingRootDir.Name}
)

// The daemons of an MR-cluster run as the agent's user. A user may therefore set only keys whose
// values cannot point a daemon at a file, a program, or an address: those with plain values and
// those in names. guards lists prefixes of keys with plain values that a user may not set, because
// they protect a node and its users from an MR-cluster.
var (
	names  = []string{conf.SecurityJobClientProtocolACL.Name, conf.JobTrackerTaskScheduler.Name, conf.Speculation.Name}
	guards = []string{"hadoop.", "ipc.", "howdah.ipc.", "howdah.security.", "howdah.archive.", conf.SleepInTracker.Name,
		conf.TaskTrackerCGroups.Name, conf.ClusterACLsEnabled.Name, conf.TaskTrackerCacheLocalSize.Name,
		conf.TaskUserLogLimitKB.Name, conf.TaskTrackerWarmChildren.Name, conf.TaskTrackerLocalDirMinSpaceKill.Name,
		conf.TaskTrackerLocalDirMinSpaceStart.Name,
		"howdah.jobtracker.user.", conf.UserJobConfLimit.Name, conf.JobSplitMetaInfoMaxSize.Name}
)

// CheckWishes rejects settings in a request that only the nodes or the agents' configuration may
// determine. Unless an administrator makes the request, it also rejects settings that could make a
// daemon do something that the user is not allowed to do.
func CheckWishes(s *mrcluster.Spec, admin bool) error {
	for _, kv := range s.Conf {
		name, value, _ := strings.Cut(kv, "=")
		key := conf.Canonical(name)
		why := "each node of an MR-cluster sets this key itself"
		switch {
		case ownKey(key):
			why = "this key is for the manager and the agents, not for the daemons of an MR-cluster"
		case s.HDFS && slices.Contains(stored, key):
			why = "the MR-cluster's HDFS contains that directory"
		case strings.HasPrefix(key, "hadoop.proxyuser."):
			why = "the agents' configuration says who may act for other users"
		case slices.Contains(decided, key):
		case !admin && !mayWish(name, value):
			return failure.New(failure.Permission, "create MR-cluster", s.Name,
				fmt.Errorf("setting %s: only holders of the secret or of an administrator's token may request this value", kv)).
				Fix("omit the key; settings of jobs can be those of howdah run")
		default:
			continue
		}
		return failure.New(failure.Usage, "create MR-cluster", s.Name,
			fmt.Errorf("setting %s: %s", kv, why)).Fix("omit the key, or set it for the agents if they read it")
	}
	return nil
}

// mayWish reports whether users who are not administrators may request a setting. They may not use
// '$' in a value, because it would refer to the agent's variables.
func mayWish(name, value string) bool {
	guarded := slices.ContainsFunc(guards, func(start string) bool {
		return strings.HasPrefix(conf.Canonical(name), start)
	})
	return (conf.Plain(name) && !guarded || slices.Contains(names, name)) && !strings.Contains(value, "$")
}
