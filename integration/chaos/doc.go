// Package chaos runs jobs on a real cluster while two faults at a time strike it, and checks every
// reply to a client. Start with [History], which records the calls of clients, and [History.Check],
// which finds broken promises in it. TestChaos is the run itself; make chaos starts it.
package chaos
