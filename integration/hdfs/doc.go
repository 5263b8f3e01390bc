// Package hdfs tests dfs/hdfs, and jobs on it, against a real HDFS whose parts die, hang and lie. All is in tests.
package hdfs
