// Package procfs reads the parents and resource usage of processes from Linux's /proc.
package procfs
