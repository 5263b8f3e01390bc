// Package wire contains the messages of howdah's protocols: client (clients to the JobTracker),
// tracker (TaskTrackers to the JobTracker), umbilical (tasks to their TaskTracker), pool (agents
// and clients to the manager of MR-clusters), and token (administrators, users, and nodes to the
// JobTracker and the manager). docs/reference/protocol.md explains them. The code in the folders
// below is generated, except columns.go and version.go.
package wire

//go:generate go run -C ../../build/tools ./protogen
