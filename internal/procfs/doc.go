// Package procfs reads what Linux tells in /proc of processes: who their parents are and what they use.
package procfs
