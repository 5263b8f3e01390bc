package conf

import "iter"

// table goes through the one list of known keys, sorted by name, which lies in several files. It is plain data that the linker lays out:
// nothing of it runs at start-up. docs/configuration.md is generated from it.
func table() iter.Seq[*Key] {
	return func(yield func(*Key) bool) {
		for _, part := range [][]Key{hadoopKeys, howdahKeys, mapredKeys, jobKeys, taskKeys, streamKeys} {
			for i := range part {
				if !yield(&part[i]) {
					return
				}
			}
		}
	}
}
