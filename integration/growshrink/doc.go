// Package growshrink grows and shrinks an MR-cluster with its own HDFS during a TeraSort. The nodes
// are network namespaces with a fifth of a core and slow links. `make growshrink` checks that
// random schedules lose no data. `make growshrink-time` checks that growing shortens the job. Both
// require root and Java, and take many minutes.
package growshrink
