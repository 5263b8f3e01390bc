// Package formats compares file formats with Apache Hadoop in both directions. We read the files of
// Hadoop's classes, and they read ours. Hadoop's example programs run on both sides with every
// format and codec.
package formats
