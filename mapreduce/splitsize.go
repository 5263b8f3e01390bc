package mapreduce

import "github.com/howdah/howdah/conf"

// The classes whose names stand before a split in Hadoop's job.split.
const (
	fileSplitClass       = "org.apache.hadoop.mapreduce.lib.input.FileSplit"
	combineSplitClass    = "org.apache.hadoop.mapreduce.lib.input.CombineFileSplit"
	oldFileSplitClass    = "org.apache.hadoop.mapred.FileSplit"
	oldCombineSplitClass = "org.apache.hadoop.mapred.lib.CombineFileSplit"
)

// HadoopSize gives the bytes that a split takes in Hadoop's job.split, which is what its counter SPLIT_RAW_BYTES counts: the
// name of the class, then what the class writes. Jobs of Hadoop's old classes (mapred.mapper.new-api is false) have others.
// A split without files has no counterpart there and counts as it is here.
func (s *Split) HadoopSize(c *conf.Config) int64 {
	file, combine := fileSplitClass, combineSplitClass
	if oldMapper(c) {
		file, combine = oldFileSplitClass, oldCombineSplitClass
	}
	switch {
	case len(s.Chunks) == 0:
		return int64(len(EncodeSplit(nil, s)))
	case len(s.Chunks) == 1 && !s.Combined:
		return textSize(file) + textSize(s.Chunks[0].Path) + 8 + 8
	}
	n := textSize(combine) + 8 + 3*4
	for _, c := range s.Chunks {
		n += textSize(c.Path) + 8 + 8
	}
	return n
}

// textSize is the length of a string that Text.writeString wrote.
func textSize(s string) int64 { return int64(len(AppendVInt(nil, int32(len(s)))) + len(s)) }
