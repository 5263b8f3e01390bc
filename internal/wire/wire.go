// Package wire holds the messages of howdah's protocols: client (clients to the JobTracker), tracker (TaskTrackers to the
// JobTracker) and umbilical (a TaskTracker and its children). docs/protocol.md explains them; the code below this folder is generated, but for columns.go.
package wire

//go:generate go run -C ../../tools ./protogen
