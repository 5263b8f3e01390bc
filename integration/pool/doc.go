// Package pool tests the layers below MR-clusters with real processes. The tests cover the nodes of
// those back ends that require root or a daemon, and the services of a node with real Hadoop.
package pool
