package mapreduce

import "github.com/howdah/howdah/conf"

// The class names that precede a split in Hadoop's job.split.
const (
	fileSplitClass       = "org.apache.hadoop.mapreduce.lib.input.FileSplit"
	combineSplitClass    = "org.apache.hadoop.mapreduce.lib.input.CombineFileSplit"
	oldFileSplitClass    = "org.apache.hadoop.mapred.FileSplit"
	oldCombineSplitClass = "org.apache.hadoop.mapred.lib.CombineFileSplit"
)

// HadoopSize returns the size in bytes that the split would have in Hadoop's job.split. The
// SPLIT_RAW_BYTES counter reports this size. The size includes the class name. Jobs that use
// Hadoop's old API (mapred.mapper.new-api is false) use different classes. Hadoop has no splits
// without files. For such splits, HadoopSize returns the size in howdah's encoding.
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

// textSize returns the encoded length of a string written by Text.writeString.
func textSize(s string) int64 { return int64(len(AppendVInt(nil, int32(len(s)))) + len(s)) }
