package conf

import "iter"

// lists returns the lists of keys, each sorted by name.
func lists() [][]declared {
	return [][]declared{hadoopKeys, howdahKeys, mrclusterKeys, mapredKeys, jobKeys, taskKeys, streamKeys, securityKeys}
}

// declarations iterates over the keys that have a meaning here. They are declared in several files.
// The keys are plain data, so they require no code at startup.
func declarations() iter.Seq[declared] {
	return func(yield func(declared) bool) {
		for _, part := range lists() {
			for _, k := range part {
				if !yield(k) {
					return
				}
			}
		}
	}
}

// table iterates over all known keys. docs/reference/configuration.md is generated from the table.
func table() iter.Seq[*Key] {
	return func(yield func(*Key) bool) {
		for k := range declarations() {
			if !yield(k.key()) {
				return
			}
		}
		for i := range idleKeys {
			if !yield(&idleKeys[i]) {
				return
			}
		}
	}
}
