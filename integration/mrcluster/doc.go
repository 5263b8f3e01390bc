// Package mrcluster tests a real MR-cluster pool. The nodes are processes on this machine. Some
// tests kill daemons at random times.
package mrcluster
