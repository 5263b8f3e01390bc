// Package piped runs an attempt as the mapper or reducer of a Hadoop Streaming job on YARN. The program, its jobs and their
// formats are the same as on a TaskTracker; YARN starts the processes, and Hadoop carries what maps have made to the reducers.
//
// A map gets one line on its standard input, "INDEX OFFSET": its number and where its split lies in job.split. It reads the
// split by itself, sorts and combines, and writes its finished map output to standard output in pieces:
//
//	key    partition, map, piece: three big-endian numbers of four bytes
//	value  of piece 0 the length, size and checksum of the segment; of the others up to 128 KiB of it
//
// in Streaming's raw bytes. The keys order as bytes do, so Hadoop sorts pieces, not records, and a total-order partitioner with
// the partitions' numbers as cut points gives each reducer its own. The reducer lays the segments down on its disk and merges
// them as it would merge those of a TaskTracker. So every comparator, grouping and combiner works, checksums cover the whole
// way, and the output is the same to the byte.
//
// Output files are written by the attempt itself into the directory that Hadoop's committer publishes. Counters, status and
// signs of life go to standard error in Streaming's way.
package piped
