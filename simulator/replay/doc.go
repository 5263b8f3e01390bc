// Package replay tells what a job of a trace becomes when it runs again: its specification, and how long each of its tasks
// takes. Both engines, the one with beats and simulator/tasklevel, take it from here, so that they cannot differ in it.
package replay
