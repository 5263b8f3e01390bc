// Package growshrink lets an MR-cluster with an HDFS of its own grow and shrink under a running TeraSort, on nodes that are network
// namespaces with a fifth of a core and slow links. By random schedules nothing may be lost (`make growshrink`), and growing must be
// worth it (`make growshrink-time`). Both take root, Java, and many minutes.
package growshrink
