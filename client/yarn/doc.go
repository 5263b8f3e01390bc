// Package yarn runs a program's jobs on an existing cluster of Apache Hadoop: the program is shipped and submitted through
// Hadoop Streaming, whose mapper and reducer it is (task/piped). It needs Hadoop's own client on this machine (HADOOP_HOME).
package yarn
