package mapreduce

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"strconv"

	"github.com/howdah/howdah/job/failure"
)

// IntPair is a composite key for secondary sort, ordered by First and then Second. If a job groups
// by FirstOfPair and partitions by FirstOfPairPartition, a reducer receives all values with the
// same First in one group, in order of Second. The bytes, order, and hash match Hadoop's
// SecondarySort example.
type IntPair struct{ First, Second int32 }

// IntPairWritable is the type of IntPair. It serializes two 4-byte numbers with inverted sign bits,
// so that the bytes sort in numeric order.
var IntPairWritable Type = intPairType{}

// Codec implements Writable.
func (IntPair) Codec() Codec[IntPair] {
	return Codec[IntPair]{IntPairWritable, func(dst []byte, v IntPair) []byte {
		dst = binary.BigEndian.AppendUint32(dst, uint32(v.First)^1<<31)
		return binary.BigEndian.AppendUint32(dst, uint32(v.Second)^1<<31)
	}, func(b []byte) (IntPair, error) { return pairOf(b), fixed("IntPair", b, 8) }}
}

func pairOf(b []byte) IntPair {
	p := prefix8(b)
	return IntPair{int32(p>>32) ^ math.MinInt32, int32(p) ^ math.MinInt32}
}

type intPairType struct{}

func (intPairType) Class() string           { return "org.apache.hadoop.examples.SecondarySort$IntPair" }
func (intPairType) Compare(a, b []byte) int { return bytes.Compare(a, b) }
func (intPairType) Prefix(b []byte) uint64  { return prefix8(b) }

func (intPairType) Hash(b []byte) int32 {
	p := pairOf(b)
	return p.First*157 + p.Second
}

func (intPairType) AppendText(dst, b []byte) []byte {
	p := pairOf(b)
	dst = strconv.AppendInt(dst, int64(p.First), 10)
	return strconv.AppendInt(append(dst, '\t'), int64(p.Second), 10)
}

// FirstBytes returns a comparator that compares only the first n serialized bytes. If it is a job's
// Group, all keys with the same first n bytes form a group.
func FirstBytes(n int) Comparator { return firstBytes(n) }

// FirstOfPair groups IntPairs by First.
var FirstOfPair = FirstBytes(4)

type firstBytes int

func (n firstBytes) cut(b []byte) []byte     { return b[:min(int(n), len(b))] }
func (n firstBytes) Compare(a, b []byte) int { return bytes.Compare(n.cut(a), n.cut(b)) }
func (n firstBytes) Prefix(b []byte) uint64  { return prefix8(n.cut(b)) }

// FirstOfPairPartition returns a partitioner that sends all IntPairs with the same First to the same
// reducer: |First*127| % n, as in Hadoop's example. For keys of another type, it returns an error of
// kind Config.
func FirstOfPairPartition(_ *Env, keys Type) (Partitioner, error) {
	if keys.Class() != IntPairWritable.Class() {
		return nil, failure.New(failure.Config, "partition by the first of a pair", "",
			errors.New("the keys have type "+keys.Class()))
	}
	return firstOfPair{}, nil
}

type firstOfPair struct{}

func (firstOfPair) Partition(key, _ []byte, n int) int {
	h := int64(pairOf(key).First * 127)
	if h < 0 {
		h = -h
	}
	return int(h % int64(n))
}
