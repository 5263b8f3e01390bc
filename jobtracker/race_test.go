//go:build race

package jobtracker

// raceDetector reports whether the race detector is enabled. The detector makes these tests ten
// times slower, even though each machine is used by a single goroutine.
const raceDetector = true
