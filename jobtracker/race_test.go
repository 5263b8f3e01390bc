//go:build race

package jobtracker

// raceDetector: schedules run ten times as slowly, and one goroutine owns each machine anyway.
const raceDetector = true
