package staging

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
)

// job.split contains splitMagic and one record per split. A record consists of the length of the
// body and its CRC32C, four bytes each, and the body in the encoding of mapreduce.EncodeSplit.
//
// job.splitmetainfo contains metaMagic and one such record. Its body encodes numbers as varints and
// strings with a length prefix.
const (
	splitMagic = "SPL\x01"
	metaMagic  = "META-SP\x01"
	maxRecord  = 64 << 20 // maximum size of a split's body, in bytes; enough to combine a million small files
)

// recordHead is the size of a record without its body, in bytes.
const recordHead = 8

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

var errTorn = errors.New("the record is damaged or incomplete")

func encodeSplits(splits []mapreduce.Split) ([]byte, []job.SplitMeta) {
	out := []byte(splitMagic)
	metas := make([]job.SplitMeta, len(splits))
	var body []byte
	for i := range splits {
		s := &splits[i]
		metas[i] = job.SplitMeta{Hosts: s.Hosts[:min(len(s.Hosts), maxHosts)], Length: s.Length, Offset: int64(len(out))}
		body = mapreduce.EncodeSplit(body[:0], s)
		out = appendRecord(out, body)
	}
	return out, metas
}

func appendRecord(out, body []byte) []byte {
	out = binary.BigEndian.AppendUint32(out, uint32(len(body)))
	out = binary.BigEndian.AppendUint32(out, crc32.Checksum(body, castagnoli))
	return append(out, body...)
}

func readBody(r io.Reader, max uint32) ([]byte, error) {
	var head [recordHead]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return nil, errTorn
	}
	size := binary.BigEndian.Uint32(head[:])
	if size > max {
		return nil, fmt.Errorf("a record has %d bytes; the limit is %d", size, max)
	}
	// The buffer grows with the bytes that arrive, not with the announced length.
	body, err := io.ReadAll(io.LimitReader(r, int64(size)))
	if err != nil || len(body) != int(size) || crc32.Checksum(body, castagnoli) != binary.BigEndian.Uint32(head[4:]) {
		return nil, errTorn
	}
	return body, nil
}

func readRecord(r *bufio.Reader) (*mapreduce.Split, error) {
	body, err := readBody(r, maxRecord)
	if err != nil {
		return nil, err
	}
	return mapreduce.DecodeSplit(body)
}

func appendMeta(out []byte, metas []job.SplitMeta) []byte {
	body := binary.AppendUvarint(nil, uint64(len(metas)))
	for _, m := range metas {
		body = appendTexts(body, m.Hosts)
		body = binary.AppendVarint(body, m.Length)
		body = binary.AppendVarint(body, m.Offset)
	}
	return appendRecord(append(out, metaMagic...), body)
}

// parseMeta parses a job.splitmetainfo with at most max splits. It also returns the approximate
// size of the result in the JobTracker's memory. If that exceeds memory, the error wraps ErrMemory.
// If memory is 0, there is no limit.
func parseMeta(b []byte, max int, memory int64) ([]job.SplitMeta, int64, error) {
	refuse := func(kind failure.Kind, err error) ([]job.SplitMeta, int64, error) {
		return nil, 0, failure.New(kind, "parse", MetaFile, err)
	}
	b, ok := bytes.CutPrefix(b, []byte(metaMagic))
	if !ok {
		return refuse(failure.Corrupt, errors.New("it is not a file of split information"))
	}
	if len(b) < recordHead || int64(binary.BigEndian.Uint32(b)) != int64(len(b)-recordHead) ||
		binary.BigEndian.Uint32(b[4:]) != crc32.Checksum(b[recordHead:], castagnoli) {
		return refuse(failure.Corrupt, errTorn)
	}
	p := parser{b: b[recordHead:], known: map[string]string{}, memory: math.MaxInt64}
	if memory > 0 {
		p.memory = memory
	}
	n := p.count(3)
	if n > max {
		return nil, 0, failure.New(failure.Limit, "parse", MetaFile, fmt.Errorf("the job has %d splits; the "+
			"limit is %d", n, max)).
			Fix("make the splits larger (mapreduce.input.fileinputformat.split.minsize)")
	}
	p.use(int64(len(p.b)) + SplitMemory*int64(n)) // a snapshot of the journal is about as large as the file
	if p.limit != nil {
		return refuse(failure.Limit, p.limit)
	}
	metas := make([]job.SplitMeta, n)
	for i := range metas {
		metas[i] = job.SplitMeta{Hosts: p.hosts(), Length: p.int(), Offset: p.int()}
		if p.limit != nil {
			return refuse(failure.Limit, fmt.Errorf("split %d: %w", i, p.limit))
		}
	}
	if err := p.end(); err != nil {
		return refuse(failure.Corrupt, err)
	}
	return metas, p.used, nil
}

// These constants limit the hosts of splits. A host name has at most 253 bytes in the DNS, and a
// block at most 512 replicas (dfs.replication.max). maxNames is the maximum number of different
// host names in a file.
const (
	maxHostName = 255
	maxHosts    = 512
	maxNames    = 100_000
)

// Approximate sizes of splits in the JobTracker's memory, in bytes. They include the lists with
// which the JobTracker finds local tasks, and the overhead of garbage collection.
const (
	SplitMemory   = 160
	replicaMemory = 48  // for each host of each split
	nameMemory    = 100 // for each different host name
)

// ErrMemory reports that splits exceed MetaLimit.Memory.
var ErrMemory = errors.New("the splits occupy too much memory")

func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

func appendTexts(b []byte, list []string) []byte {
	b = binary.AppendUvarint(b, uint64(len(list)))
	for _, s := range list {
		b = appendText(b, s)
	}
	return b
}

// parser parses the body of a record. After damaged data, all later values are zero, and end
// returns errTorn.
type parser struct {
	b     []byte
	bad   bool
	limit error             // error for a value that exceeds its limit
	known map[string]string // host names so far; identical ones share memory

	used, memory int64 // approximate size of the result, and its limit
}

// use adds n bytes to the size of the result. If the size then exceeds memory, it sets limit.
func (p *parser) use(n int64) {
	p.used += n
	if p.used > p.memory && p.limit == nil {
		p.limit = ErrMemory
	}
}

// count reads the number of elements that follow. Each element has at least size bytes. If the rest
// of the body is too short for that many elements, count records an error, so that damaged data
// cannot cause large allocations.
func (p *parser) count(size int) int {
	n, k := binary.Uvarint(p.b)
	if k <= 0 || n > uint64(len(p.b)/size) {
		p.bad, p.b = true, nil
		return 0
	}
	p.b = p.b[k:]
	return int(n)
}

func (p *parser) int() int64 {
	v, k := binary.Varint(p.b)
	if k <= 0 {
		p.bad, p.b = true, nil
		return 0
	}
	p.b = p.b[k:]
	return v
}

func (p *parser) hosts() []string {
	n := p.count(1)
	if n == 0 {
		return nil
	}
	if n > maxHosts {
		p.limit = fmt.Errorf("it has %d hosts; the limit is %d", n, maxHosts)
		return nil
	}
	if p.use(replicaMemory * int64(n)); p.limit != nil {
		return nil
	}
	list := make([]string, n)
	for i := range list {
		list[i] = p.host()
	}
	return list
}

func (p *parser) host() string {
	n := p.count(1)
	if n > len(p.b) {
		p.bad, p.b = true, nil
		return ""
	}
	if n > maxHostName {
		p.limit = fmt.Errorf("the name of a host has %d bytes; the limit is %d", n, maxHostName)
		return ""
	}
	b := p.b[:n]
	p.b = p.b[n:]
	if name, ok := p.known[string(b)]; ok {
		return name
	}
	if p.use(nameMemory + int64(n)); p.limit != nil {
		return ""
	}
	if len(p.known) == maxNames {
		p.limit = fmt.Errorf("the file has more than %d different host names", maxNames)
		return ""
	}
	name := string(b)
	p.known[name] = name
	return name
}

func (p *parser) end() error {
	if p.bad || len(p.b) != 0 {
		return errTorn
	}
	return nil
}
