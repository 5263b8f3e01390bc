// Package yarn runs a program's jobs on an existing Apache Hadoop cluster. It ships and submits the
// program through Hadoop Streaming, with the program as mapper and reducer (task/piped). It needs
// Hadoop's client on this machine (HADOOP_HOME).
package yarn
