// Package mrcluster tests a real pool of MR-clusters. The nodes are processes on this machine. The
// tests kill the manager, agents, JobTrackers, and TaskTrackers at random times.
package mrcluster
