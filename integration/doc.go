// Package integration tests the whole system with real processes and real faults. `make
// integration` runs the tests. They use the package integration/minicluster, and
// integration/apachehadoop for comparisons with Apache Hadoop.
package integration
