package keyfield

import "math"

// Hash returns Hadoop's hash of the fields of a key. text must be valid UTF-8 and not serialized.
// The hash starts at 0 and becomes 31*h + byte, with signed bytes, for every byte of all ranges. A
// missing range has no effect. f must not be Whole.
func (f *Fields) Hash(text []byte) int32 {
	var h int32
	for i := range f.spans {
		first, last, ok := f.bounds(text, 0, &f.spans[i])
		if !ok || first < 0 || last < first {
			continue
		}
		for _, c := range text[first : last+1] {
			h = 31*h + int32(int8(c))
		}
	}
	return h
}

// Partition maps a hash to a reducer from 0 to n-1.
func Partition(hash int32, n int) int { return int(hash&math.MaxInt32) % n }
