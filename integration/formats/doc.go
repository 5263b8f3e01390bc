// Package formats compares file formats with Apache Hadoop both ways: what Hadoop's classes wrote is read here, what is
// written here is read by them, and its example programs run on both sides with every format and codec.
package formats
