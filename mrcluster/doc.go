// Package mrcluster is the manager of Fawkes: it shares a pool of nodes among MR-clusters that grow and shrink. It admits them
// in one global FIFO, weighs them every T by what their JobTrackers tell, and moves nodes from those that have more than their
// weight to those that have less. No MR-cluster falls below its core, no node is in two of them, and no node that holds data
// leaves before the data has another place.
//
// Machine is pure: no clock, no I/O, no goroutine. Facts are decided, then journaled, then told. What nodes should run is a
// state that agents are told again with every report (Desired), so a lost message or a restarted manager costs nothing but
// time. PAPER.md says where everything comes from.
package mrcluster
