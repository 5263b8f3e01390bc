// Package integration tests the whole system with real processes and real faults. `make
// integration` runs its tests and those of the packages below it. Packages integration/minicluster
// and integration/apachehadoop start most of the clusters.
package integration
