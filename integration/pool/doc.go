// Package pool tests what lies below MR-clusters with real processes: nodes in the back ends that need root or a daemon, and the
// services of a node with real Hadoop.
package pool
