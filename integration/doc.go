// Package integration tests the whole with real processes and real faults: `make integration`. The harness is
// integration/minicluster; integration/apachehadoop starts the real Hadoop to compare with.
package integration
