package codec

import "errors"

var errBzip2 = errors.New("bad bzip2 data")

const (
	maxCodeLen  = 20
	maxSymbols  = 258 // 255 positions, two digits of run lengths, and the end of the block
	codeLookup  = 10  // number of bits that one lookup resolves
	groupLength = 50  // number of symbols that use the same table
)

// codeTable is one of a block's Huffman codes. Codes are canonical: codes of the same length are
// consecutive numbers in the order of their symbols.
type codeTable struct {
	lookup  [1 << codeLookup]uint16 // symbol<<5 | length; 0 means a longer code
	limit   [maxCodeLen + 2]int32   // the largest code of each length; -1 means no such code
	base    [maxCodeLen + 2]int32   // the first code of each length minus the number of shorter codes
	symbols [maxSymbols]uint16      // in the order of their codes
}

func (t *codeTable) build(lengths []byte) {
	n := 0
	var code int32
	clear(t.lookup[:])
	for l := 1; l <= maxCodeLen; l++ {
		t.base[l] = code - int32(n)
		for symbol, have := range lengths {
			if int(have) != l {
				continue
			}
			if t.symbols[n] = uint16(symbol); l <= codeLookup && code < 1<<l {
				first := int(code) << (codeLookup - l)
				for i := range 1 << (codeLookup - l) {
					t.lookup[first+i] = uint16(symbol)<<5 | uint16(l)
				}
			}
			n++
			code++
		}
		t.limit[l] = code - 1
		code <<= 1
	}
}

// next decodes a symbol. It returns false if the next bits are not a valid code.
func (t *codeTable) next(b *bitReader) (int, bool) {
	if b.bits < 32 {
		b.fill()
	}
	if e := t.lookup[b.acc>>(b.bits-codeLookup)&(1<<codeLookup-1)]; e != 0 {
		b.bits -= uint(e & 31)
		return int(e >> 5), true
	}
	for l := uint(1); l <= maxCodeLen; l++ {
		code := int32(b.acc >> (b.bits - l) & (1<<l - 1))
		if code <= t.limit[l] {
			b.bits -= l
			i := code - t.base[l]
			if i < 0 || i >= maxSymbols {
				return 0, false
			}
			return int(t.symbols[i]), true
		}
	}
	return 0, false
}
