package keyfield

import "math"

// Hash gives Hadoop's hash of the fields of a key's text, which must be valid UTF-8 and not serialised: 31*h + byte, bytes
// being signed, from 0 over all stretches. A missing one adds nothing. There must be options: see Whole.
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

// Partition turns a hash into a reducer, from 0 to n-1.
func Partition(hash int32, n int) int { return int(hash&math.MaxInt32) % n }
