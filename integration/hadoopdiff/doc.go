// Package hadoopdiff runs the same job with the same configuration on Apache Hadoop and here, and compares what a user sees:
// names and bytes of the output files, and the counters that the input determines.
//
// A Case is a few lines of a table. Hadoop's side is one JVM for many jobs (java/JobServer.java), ours is bin/howdah. What
// Hadoop has no program for stands in java/Twins.java. docs/hadoop-differences.md lists what is known to differ.
package hadoopdiff
