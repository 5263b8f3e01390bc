package sortvalidator

import (
	"errors"
	"fmt"
	"hash/crc32"
	"iter"
	"strconv"

	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
	"github.com/howdah/howdah/mapreduce/aggregate"
)

// checker computes the statistics of one file, which is part of either the sort's input or its
// output. In the output, it also checks that keys are in order and in the right part.
type checker struct {
	side        string
	keys        mapreduce.Type
	partitioner mapreduce.Partitioner
	parts, part int
	last        []byte
	any         bool
	sum         sum
}

// sum holds statistics that do not depend on the order of records.
type sum struct {
	records, bytes, checksum int64
}

// Setup implements mapreduce.Setupper.
func (k *checker) Setup(c *mapreduce.Context) (err error) {
	k.keys, _ = c.RecordTypes()
	if k.side == unsorted || k.keys == nil {
		return nil
	}
	if k.partitioner, k.parts, err = partitioner(c.Conf, k.keys); err != nil {
		return err
	}
	k.part, err = partOf(c.Task().Split)
	return err
}

// Map implements mapreduce.Mapper.
func (k *checker) Map(c *mapreduce.Context, key, value []byte, _ mapreduce.Emitter) error {
	k.sum.records++
	k.sum.bytes += int64(len(key) + len(value))
	k.sum.checksum += int64(crc32.Update(crc32.ChecksumIEEE(key), crc32.IEEETable, value))
	if k.side == unsorted {
		return nil
	}
	wrong := func(why string) error {
		return failure.New(failure.User, "validate sort", fmt.Sprintf("record %d of %v", k.sum.records, c.Task().Split),
			errors.New(why))
	}
	if k.any && k.keys.Compare(k.last, key) > 0 {
		return wrong("its key is less than the previous key")
	}
	if p := k.partitioner.Partition(key, value, k.parts); p != k.part {
		return wrong(fmt.Sprintf("its key belongs in part %d of %d", p, k.parts))
	}
	k.any, k.last = true, append(k.last[:0], key...)
	return nil
}

// Cleanup implements mapreduce.Cleanuper.
func (k *checker) Cleanup(_ *mapreduce.Context, out mapreduce.Emitter) error {
	for _, x := range []struct {
		what string
		n    int64
	}{{"records", k.sum.records}, {"bytes", k.sum.bytes}, {"checksum", k.sum.checksum}} {
		err := out.Emit(text.Append(nil, []byte(aggregate.LongValueSum+":"+k.side+" "+x.what)),
			text.Append(nil, strconv.AppendInt(nil, x.n, 10)))
		if err != nil {
			return err
		}
	}
	return nil
}

var (
	text, _ = mapreduce.CodecOf[mapreduce.Text]()
	long, _ = mapreduce.CodecOf[int64]()
)

// pairs emits each record as a key, with the value 1 for the input and -1 for the sorted output.
type pairs struct {
	sorted   bool
	buf, key []byte
	count    []byte
}

// Map implements mapreduce.Mapper.
func (p *pairs) Map(_ *mapreduce.Context, key, value []byte, out mapreduce.Emitter) error {
	if p.count == nil {
		n := int64(1)
		if p.sorted {
			n = -1
		}
		p.count = long.Append(nil, n)
	}
	// The length of the key comes first. It distinguishes records that differ only in the boundary
	// between key and value.
	p.buf = append(append(mapreduce.AppendVLong(p.buf[:0], int64(len(key))), key...), value...)
	p.key = text.Append(p.key[:0], p.buf)
	return out.Emit(p.key, p.count)
}

// balance returns an error for a record that is more frequent on one side of the sort than on the
// other.
type balance struct{}

func (*balance) Reduce(_ *mapreduce.Context, record mapreduce.Text, counts iter.Seq[int64],
	_ *mapreduce.Out[mapreduce.Text, int64]) error {
	n := int64(0)
	for c := range counts {
		n += c
	}
	if n != 0 {
		return failure.New(failure.User, "validate sort", fmt.Sprintf("record %.40x", []byte(record)),
			fmt.Errorf("the record occurs %d times more often in the input than in the output", n))
	}

	return nil
}
