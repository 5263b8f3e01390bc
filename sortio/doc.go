// Package sortio sorts: it collects a map's output and leaves it sorted on the local disk, and it merges sorted runs for
// reducers. Its parts:
//
//   - Collector: records go into an arena; metas of 16 bytes (prefix of the key, offset, partition) are sorted by radix,
//     keys are compared only where prefixes tie. A full buffer is combined and spilled; Close merges the spills.
//   - Writer and Segment: the files. Every frame of up to 128 KiB is checksummed and, if asked for, compressed on its
//     own; nothing is handed out before it is verified.
//   - Merger: a tree of losers over runs in memory and on disk. Equal keys come in the order of their tags (the map's
//     index, or the number of the spill), then as they lie in their run, so the result does not depend on which runs were
//     merged when.
//   - Groups: cuts a merged sequence into groups whose values stream.
//
// All memory is bounded by the configuration. Nothing is allocated per record.
package sortio
