// Package hdfs tests dfs/hdfs, and jobs that use it, against a real HDFS with daemons that die,
// hang, and return wrong data. It contains only tests.
package hdfs
