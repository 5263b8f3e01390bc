package codec

import "fmt"

const bzip2Block = 100_000 // block size in bytes, per level

// bzip2Decoder decodes blocks. It reverses Huffman coding, move-to-front coding, the block sort,
// and run-length coding.
type bzip2Decoder struct {
	bits   bitReader
	level  int
	tables [6]codeTable
	picks  []byte   // index of the table for each group of symbols
	order  []uint32 // low 8 bits: a byte; other bits: the index of the next entry
	sorted []byte   // the block, still run-length encoded
	off    int      // offset in sorted
	last   int      // the previous byte; -1 at the start of a block
	same   int      // number of equal bytes in a row, up to 4
	repeat int      // number of additional repetitions of last
	crc    uint32   // checksum of the delivered bytes
	want   uint32   // checksum in the block's header
}

// block decodes the block after a marker, except for its run-length coding, which expand reverses.
func (d *bzip2Decoder) block() error {
	d.want = d.bits.take(32)
	d.crc, d.off, d.last, d.same, d.repeat = ^uint32(0), 0, -1, 0, 0
	random := d.bits.take(1) == 1
	origin := d.bits.take(24)
	n, err := d.symbols()
	if err != nil {
		return err
	}
	if err := d.bits.fault(); err != nil {
		return err
	}
	if int(origin) >= n {
		return fmt.Errorf("%w: a block starts at byte %d of %d", errBzip2, origin, n)
	}
	d.unsort(n, origin)
	if random {
		derandomise(d.sorted)
	}
	return nil
}

// used reads the set of bytes that occur in the block.
func (d *bzip2Decoder) used() (all [256]byte, n int) {
	groups := d.bits.take(16)
	for g := range 16 {
		if groups>>(15-g)&1 == 0 {
			continue
		}
		in := d.bits.take(16)
		for i := range 16 {
			if in>>(15-i)&1 == 1 {
				all[n] = byte(16*g + i)
				n++
			}
		}
	}
	return all, n
}

// codes reads the Huffman tables and the table number of each group of symbols.
func (d *bzip2Decoder) codes(symbols int) error {
	tables, groups := int(d.bits.take(3)), int(d.bits.take(15))
	if tables < 2 || tables > 6 || groups == 0 {
		return fmt.Errorf("%w: %d tables for %d groups", errBzip2, tables, groups)
	}
	front := [6]byte{0, 1, 2, 3, 4, 5}
	d.picks = d.picks[:0]
	for range groups {
		i := 0
		for ; d.bits.take(1) == 1; i++ {
			if i+1 == tables {
				return fmt.Errorf("%w: unknown table", errBzip2)
			}
		}
		pick := front[i]
		copy(front[1:i+1], front[:i])
		front[0] = pick
		d.picks = append(d.picks, pick)
	}
	for t := range tables {
		var lengths [maxSymbols]byte
		length := d.bits.take(5)
		for s := range symbols {
			for {
				if length < 1 || length > maxCodeLen {
					return fmt.Errorf("%w: a code has %d bits", errBzip2, length)
				}
				if d.bits.take(1) == 0 {
					break
				}
				length += 1 - 2*d.bits.take(1)
			}
			lengths[s] = byte(length)
		}
		d.tables[t].build(lengths[:symbols])
	}
	return nil
}

// symbols decodes the block's symbols into order, one entry per byte. It returns the number of
// bytes.
func (d *bzip2Decoder) symbols() (n int, err error) {
	front, used := d.used()
	if used == 0 {
		return 0, fmt.Errorf("%w: a block uses no bytes", errBzip2)
	}
	end := used + 1 // symbols 0 and 1 are digits of run lengths; positions from 1 on follow
	if err := d.codes(used + 2); err != nil {
		return 0, err
	}
	limit := d.level * bzip2Block
	if cap(d.order) < limit {
		d.order = make([]uint32, 9*bzip2Block)
	}
	order := d.order[:limit]
	run, digit := 0, 0
	for group := 0; ; group++ {
		if group == len(d.picks) {
			return 0, fmt.Errorf("%w: more symbols than groups", errBzip2)
		}
		table := &d.tables[d.picks[group]]
		for range groupLength {
			s, ok := table.next(&d.bits)
			if !ok {
				return 0, fmt.Errorf("%w: unknown code", errBzip2)
			}
			if s <= 1 {
				if digit > 20 {
					return 0, fmt.Errorf("%w: a run does not end", errBzip2)
				}
				run += (s + 1) << digit
				digit++
				continue
			}
			if run > 0 {
				if run > limit-n {
					return 0, fmt.Errorf("%w: a block has too many bytes", errBzip2)
				}
				for i := range run {
					order[n+i] = uint32(front[0])
				}
				n += run
				run, digit = 0, 0
			}
			if s == end {
				return n, nil
			}
			if n == limit {
				return 0, fmt.Errorf("%w: a block has too many bytes", errBzip2)
			}
			b := front[s-1]
			copy(front[1:s], front[:s-1])
			front[0] = b
			order[n] = uint32(b)
			n++
		}
	}
}

// unsort reverses the block sort.
func (d *bzip2Decoder) unsort(n int, origin uint32) {
	order := d.order[:n]
	var next [256]uint32
	for _, b := range order {
		next[byte(b)]++
	}
	sum := uint32(0)
	for b, count := range next {
		next[b] = sum
		sum += count
	}
	for i := range order {
		b := byte(order[i])
		order[next[b]] |= uint32(i) << 8
		next[b]++
	}
	if cap(d.sorted) < n {
		d.sorted = make([]byte, 9*bzip2Block)
	}
	d.sorted = d.sorted[:n]
	at := order[origin] >> 8
	for i := range d.sorted {
		x := order[at]
		d.sorted[i] = byte(x)
		at = x >> 8
	}
}

// expand writes bytes of the block to p and returns their number, which is 0 at the end of the
// block. After four equal bytes, the block contains a count of additional repetitions.
func (d *bzip2Decoder) expand(p []byte) int {
	n := 0
	for n < len(p) {
		if d.repeat > 0 {
			k := min(d.repeat, len(p)-n)
			for i := range k {
				p[n+i] = byte(d.last)
			}
			n += k
			d.repeat -= k
			continue
		}
		if d.off == len(d.sorted) {
			break
		}
		b := d.sorted[d.off]
		d.off++
		if d.same == 4 {
			d.repeat, d.same = int(b), 0
			continue
		}
		if int(b) == d.last {
			d.same++
		} else {
			d.same, d.last = 1, int(b)
		}
		p[n] = b
		n++
	}
	d.crc = crcBzip2(d.crc, p[:n])
	return n
}
