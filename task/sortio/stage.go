package sortio

// stage holds a few records before they are added to the table. The table is scattered over memory,
// so looking up keys one by one mostly waits for memory. Because the stage has many keys, it loads
// their slots in tight loops, in which the processor waits for many of them at the same time.
type stage struct {
	recs    [stageRecords]staged
	n       int
	bytes   [stageBytes]byte
	used    int
	touched uint64 // unused result
}

type staged struct {
	hash       uint32
	part       int32
	off        uint16 // start of the key; the value follows
	klen, vlen uint16
}

const (
	stageRecords = 32
	stageBytes   = 4 << 10
)

// collectStaged adds a record that is destined for the table. A record too large for the stage goes
// directly to the table.
func (c *Collector) collectStaged(partition int, key, value []byte) error {
	s := &c.stage
	size := len(key) + len(value)
	if s.n == stageRecords || size > stageBytes-s.used {
		if err := c.flushStage(); err != nil {
			return err
		}
		if c.table == nil || size > stageBytes {
			return c.place(partition, key, value)
		}
	}
	if s.n == 0 {
		c.table.warm()
	}
	s.recs[s.n] = staged{c.table.hash(partition, key), int32(partition), uint16(s.used), uint16(len(key)),
		uint16(len(value))}
	s.n++
	s.used += copy(s.bytes[s.used:], key)
	s.used += copy(s.bytes[s.used:], value)
	return nil
}

// place stores a record. If there is not enough room, it spills first.
func (c *Collector) place(partition int, key, value []byte) error {
	if ok, err := c.add(partition, key, value); ok || err != nil {
		return err
	}
	return c.full(partition, key, value)
}

// flushStage moves the staged records to the table, or to the buffer that has replaced the table.
func (c *Collector) flushStage() error {
	s := &c.stage
	if s.n == 0 {
		return c.failed
	}
	recs := s.recs[:s.n]
	s.n, s.used = 0, 0
	s.touched = c.table.touch(recs)
	for i := range recs {
		r := &recs[i]
		mid := int(r.off) + int(r.klen)
		end := mid + int(r.vlen)
		key, value := s.bytes[r.off:mid:mid], s.bytes[mid:end:end]
		if c.table == nil {
			if err := c.place(int(r.part), key, value); err != nil {
				return err
			}
			continue
		}
		ok, err := c.table.add(r.hash, int(r.part), key, value)
		if err != nil {
			return c.fail(err)
		}
		if !ok {
			if err := c.full(int(r.part), key, value); err != nil {
				return err
			}
		}
	}
	return nil
}

// touch loads the slots of records, then the blocks to which they point. Most blocks are shorter
// than a cache line but may span two of them.
func (t *table) touch(recs []staged) (sum uint64) {
	var offs [stageRecords]uint32
	for i := range recs {
		offs[i] = uint32(t.slots[recs[i].hash&t.mask])
	}
	for _, off := range offs[:len(recs)] { // 0 for a free slot
		sum += uint64(t.buf.arena[max(off, blockHead)-blockHead]) + uint64(t.buf.arena[off+16])
	}
	return sum
}
