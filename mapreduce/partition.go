package mapreduce

import "math"

// HashPartition returns the default partitioner, Hadoop's HashPartitioner: (hashCode &
// Integer.MAX_VALUE) % reducers. It uses Java's hashCode of the key, so that part files contain the
// same keys as Hadoop's.
func HashPartition(_ *Env, keys Type) (Partitioner, error) {
	return hashPartitioner{unordered(keys)}, nil
}

type hashPartitioner struct{ keys Type }

func (h hashPartitioner) Partition(key, _ []byte, n int) int {
	return int(h.keys.Hash(key)&math.MaxInt32) % n
}

func (hashPartitioner) ByKey() bool { return true }
