// Package chaos runs jobs on a real cluster while injecting two faults at a time, and checks every
// reply to a client. Start with [History], which records clients' calls, and [History.Check], which
// finds broken promises in it. TestChaos is the run itself; make chaos starts it.
package chaos
