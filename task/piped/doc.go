// Package piped runs an attempt as the mapper or reducer of a Hadoop Streaming job on YARN. The
// program, its jobs, and their formats are the same as on a TaskTracker, but YARN starts the
// processes, and Hadoop transports map output to the reducers.
//
// A map receives one line on its standard input, "INDEX OFFSET", with its number and the position
// of its split in job.split. It reads the split itself, sorts and combines the records, and writes
// its finished map output to standard output in pieces. The pieces are key-value pairs in
// Streaming's raw bytes:
//
//	key    partition, map, piece: three big-endian numbers of four bytes
//	value  of piece 0, the segment's raw length, length, checksum, and largest key;
//	       of each other piece, up to 128 KiB of the segment
//
// Because the keys sort as bytes, Hadoop sorts pieces instead of records. A total-order partitioner
// with the partition numbers as cut points sends each reducer its own pieces. The reducer writes
// the segments to disk and merges them in the same way as on a TaskTracker. Every comparator,
// grouping, and combiner therefore works, checksums cover the whole path, and the output is
// identical.
//
// The attempt writes its output files directly to the directory that Hadoop's committer publishes.
// Counters, status, and signs of life go to standard error in Streaming's format.
package piped
