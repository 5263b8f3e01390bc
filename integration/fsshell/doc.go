// Package fsshell compares `howdah fs` with Apache Hadoop's `hadoop fs`: the same commands on two directories of one HDFS.
// Its tests have the build tag integration.
package fsshell
