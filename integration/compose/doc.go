// Package compose tests docker/compose.yaml: images are built, the cluster comes up and runs jobs on HDFS, loses containers, grows and
// shrinks, and leaves nothing behind. All is in tests; `make compose-test` runs them.
package compose
