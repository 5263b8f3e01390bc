// Package hadoopdiff runs the same job with the same configuration on Apache Hadoop and on howdah.
// It compares the names and contents of the output files and the counters that the input
// determines.
//
// A Case is one row in a table of jobs. Hadoop's side is one JVM for many jobs
// (java/JobServer.java), and our side is bin/howdah. java/Twins.java contains the programs that
// Hadoop lacks. docs/reference/hadoop-differences.md lists the known differences.
package hadoopdiff
