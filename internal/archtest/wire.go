package archtest

import "fmt"

// speaksWire lists the packages that may import internal/wire and its sub-packages, because they
// send or receive messages. An entry includes all sub-folders. All other packages use plain types,
// such as those of job/status.
var speaksWire = []string{
	"internal/wire",
	"internal/transport", // connects clients to the JobTracker or the manager
	"internal/rpc",       // encodes errors; its tests send messages
	"jobtracker/daemon",  // serves TaskTrackers with columnar messages
	"tasktracker/daemon", // calls the JobTracker and communicates with children
	"mrcluster/daemon",   // the manager and its agents
	"task/child",         // communicates with its TaskTracker
}

// checkWire returns the reason why package from must not import package to, or "" if the import is
// allowed.
func checkWire(from, to string) string {
	if !within(to, "internal/wire") {
		return ""
	}
	for _, folder := range speaksWire {
		if within(from, folder) {
			return ""
		}
	}
	return fmt.Sprintf("%s imports %s: messages end at the door; use job/status, mrcluster/status, or a client", from, to)
}
