// Package yarn runs a program's jobs on an existing Apache Hadoop cluster. It submits each job
// through Hadoop Streaming, which runs the program as mapper and reducer (task/piped). It needs a
// Hadoop client on this machine, in HADOOP_HOME or PATH.
package yarn
