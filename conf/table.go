package conf

import "iter"

// table iterates over all known keys, which several files declare. The keys are plain data, so the
// program runs no code for them at startup. docs/reference/configuration.md is generated from the
// table.
func table() iter.Seq[*Key] {
	return func(yield func(*Key) bool) {
		for _, part := range [][]declared{hadoopKeys, howdahKeys, mapredKeys, jobKeys, taskKeys, streamKeys} {
			for _, k := range part {
				if !yield(k.key()) {
					return
				}
			}
		}
		for i := range idleKeys {
			if !yield(&idleKeys[i]) {
				return
			}
		}
	}
}
