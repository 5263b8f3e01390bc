// Package fsshell compares `howdah fs` with Apache Hadoop's `hadoop fs`. It runs the same commands
// in two directories of one HDFS. Its tests have the build tag integration.
package fsshell
