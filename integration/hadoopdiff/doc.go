// Package hadoopdiff runs the same job with the same configuration on Apache Hadoop and on howdah.
// It compares the names and contents of the output files and the counters that the input
// determines.
//
// A Case is one row in a table of jobs. On Hadoop's side, one JVM runs many jobs
// (java/JobServer.java). On howdah's side, bin/howdah runs each job. java/Twins.java contains
// counterparts of programs that Hadoop lacks. docs/reference/hadoop-differences.md lists the known
// differences.
package hadoopdiff
