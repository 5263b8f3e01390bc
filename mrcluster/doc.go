// Package mrcluster implements the manager of Fawkes, which shares a pool of nodes among
// MR-clusters that grow and shrink. It admits MR-clusters in a global FIFO order. After every
// interval T, it computes a weight for each active MR-cluster from the reports of its JobTracker.
// If the discrimination exceeds a threshold, it moves nodes from MR-clusters above their weighted
// share to those below. It never takes core nodes from a deployed MR-cluster, and a node never
// belongs to two MR-clusters. While an MR-cluster is deployed, a node that stores its data does not
// leave until the data has been moved.
//
// Start with Machine, its Input, and its Output. The machine uses no clock, no I/O, and no
// goroutines. It produces facts, which become visible only after the driver has written them to the
// journal. Each reply to an agent repeats the state that its node must reach (Desired), so a lost
// message or a restarted manager costs only time. PAPER.md maps the parts of the paper to this
// package.
package mrcluster
