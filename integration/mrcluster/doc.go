// Package mrcluster tests a real pool of MR-clusters. The nodes are processes on this machine. Some
// tests kill daemons at random times.
package mrcluster
