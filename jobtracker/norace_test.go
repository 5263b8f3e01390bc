//go:build !race

package jobtracker

const raceDetector = false
