// Package formats compares file formats with Apache Hadoop in both directions. We read the files
// that Hadoop's classes write, and they read ours.
package formats
