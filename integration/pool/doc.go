// Package pool tests the layers below MR-clusters with real processes. It covers nodes on back ends
// that require root or a daemon, and a node's services with real Hadoop.
package pool
