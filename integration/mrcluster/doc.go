// Package mrcluster tests a real pool of MR-clusters whose nodes are processes of this machine: its manager, agents, JobTrackers and
// TaskTrackers, killed at any moment.
package mrcluster
