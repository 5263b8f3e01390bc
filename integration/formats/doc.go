// Package formats compares file formats with Apache Hadoop in both directions. howdah reads files
// that Hadoop's classes wrote, and Hadoop's classes read files that howdah wrote.
package formats
