// Package locality runs jobs with TaskTrackers beside DataNodes, each pair in a network namespace of its own, and looks where
// the tasks ran. Its tests have the build tag integration and need root.
package locality
