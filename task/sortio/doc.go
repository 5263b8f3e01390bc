// Package sortio collects a map's output, writes it sorted to the local disk, and merges sorted
// runs for reducers. Its parts are:
//
//   - Collector puts records into an arena. It sorts 16-byte metas (prefix of the key, offset,
//     partition), using a radix sort for large numbers of them, and compares whole keys only if
//     prefixes are equal. When the buffer is full, the collector combines and spills the records.
//     Close merges the spills.
//   - Writer and Segment write and read the files. Every frame of up to 128 KiB has its own checksum
//     and is optionally compressed. Segment verifies data before delivering it.
//   - Merger is a loser tree over runs in memory and on disk. It orders equal keys by their tags (the
//     map's index or the spill's number) and then by position in their run. The result therefore
//     does not depend on the order of merges.
//   - Groups splits a merged sequence into groups with streamed values.
//
// The configuration limits the total memory. There are no allocations per record.
package sortio
