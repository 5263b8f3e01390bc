// Package chaos runs jobs on a real cluster while it injects two faults at a time. It checks every
// reply that a client receives. Start with [History], which records clients' calls, and
// [History.Check], which finds broken promises in the record. TestChaos performs the run, and make
// chaos starts it.
package chaos
