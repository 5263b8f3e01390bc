// Package growshrink lets an MR-cluster with an HDFS of its own grow and shrink under a running TeraSort, on nodes that are network
// namespaces with little CPU and slow links, by random schedules: nothing may be lost. It takes root, Java, and minutes a schedule:
// `make growshrink`.
package growshrink
