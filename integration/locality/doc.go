// Package locality runs jobs on TaskTrackers that share network namespaces with DataNodes, and
// checks where the tasks run. Its tests have the build tag integration and need root.
package locality
