// Package compose tests docker/compose.yaml. The tests build the images, start the cluster, run
// jobs on HDFS, kill containers, and change the number of nodes. Finally, they check that nothing
// is left behind. `make compose-test` runs them.
package compose
