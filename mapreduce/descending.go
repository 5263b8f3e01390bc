package mapreduce

// Descending returns the reverse order of c, like Hadoop's DecreasingComparator for LongWritable.
func Descending(c Comparator) Comparator { return descending{c} }

type descending struct{ c Comparator }

func (d descending) Compare(a, b []byte) int  { return d.c.Compare(b, a) }
func (d descending) Prefix(key []byte) uint64 { return ^d.c.Prefix(key) }
