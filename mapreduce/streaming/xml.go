package streaming

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"strings"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
)

// readerByClass returns the input format for an -inputreader class.
func readerByClass(c *conf.Config) (mapreduce.InputFormat, error) {
	switch simpleName(conf.StreamRecordReaderClass.Get(c)) {
	case "StreamXmlRecordReader":
		_, err := xmlSettings(c)
		return xmlInput{}, err
	case "LineRecordReader":
		return mapreduce.KeyValueTextInput{}, nil
	}
	return nil, c.Refuse(conf.StreamRecordReaderClass.Name,
		errors.New("howdah does not have this record reader")).Fix("use StreamXmlRecordReader or LineRecordReader")
}

// xmlInput reads records from a begin mark to an end mark, like StreamXmlRecordReader. The record,
// with its marks, is the key, and the value is empty. A record belongs to the split in which it
// starts. Files are not decompressed.
type xmlInput struct{}

// Types returns Text for both key and value.
func (xmlInput) Types(*conf.Config) (key, value mapreduce.Type) {
	return mapreduce.TextWritable, mapreduce.TextWritable
}

// Splits splits the files like TextInput.
func (xmlInput) Splits(ctx context.Context, env *mapreduce.Env) ([]mapreduce.Split, error) {
	if _, err := xmlSettings(env.Conf); err != nil {
		return nil, err
	}
	return mapreduce.KeyValueTextInput{}.Splits(ctx, env)
}

// marks contains the settings of an xmlReader, mainly the marks that delimit a record.
type marks struct {
	begin, end string
	longest    int // in slow mode, the size in bytes of the range to search for a mark
	slow       bool
	beginExp   *regexp.Regexp // slow mode: matches CDATA[, ]]>, or the mark
	endExp     *regexp.Regexp
}

func xmlSettings(c *conf.Config) (*marks, error) {
	begin, end := &conf.StreamRecordReaderBegin, &conf.StreamRecordReaderEnd
	for _, key := range []*conf.Text{begin, end} {
		if key.Get(c) == "" {
			return nil, failure.New(failure.Config, "read", key.Name, errors.New("JobConf: missing required property")).
				Fix("write -inputreader StreamXmlRecordReader,begin=MARK,end=MARK")
		}
	}
	record, err := conf.StreamRecordReaderMaxRec.Get(c)
	if err != nil {
		return nil, err
	}
	ahead, err := conf.StreamRecordReaderLookAhead.GetOr(c, 2*record)
	if err != nil {
		return nil, err
	}
	m := &marks{begin: begin.Get(c), end: end.Get(c), longest: int(max(record, ahead))}
	if m.slow, err = conf.StreamRecordReaderSlowMatch.Get(c); err != nil || !m.slow {
		return m, err
	}
	if m.beginExp, err = cdataOr(m.begin); err == nil {
		m.endExp, err = cdataOr(m.end)
	}
	if err != nil {
		return nil, failure.New(failure.Config, "read", begin.Name+" or "+end.Name, err)
	}
	return m, nil
}

func cdataOr(mark string) (*regexp.Regexp, error) {
	return regexp.Compile(`(CDATA\[)|(\]\]>)|(` + mark + `)`)
}

// Open returns a reader for the records in s.
func (xmlInput) Open(c *mapreduce.Context, s *mapreduce.Split) (mapreduce.RecordReader, error) {
	m, err := xmlSettings(c.Conf)
	if err != nil {
		return nil, err
	}
	if len(s.Chunks) != 1 {
		return nil, failure.New(failure.Internal, "open", fmt.Sprint(s), errors.New("the split is not one range "+
			"of a file"))
	}
	chunk := s.Chunks[0]
	fs, name, err := c.FS.Resolve(chunk.Path)
	if err != nil {
		return nil, err
	}
	file, err := fs.Open(c.Context(), name)
	if err != nil {
		return nil, err
	}
	r := &xmlReader{c: c, marks: m, file: file, start: chunk.Start, pos: chunk.Start, end: chunk.Start + chunk.Length}
	r.in = bufio.NewReaderSize(io.NewSectionReader(file, chunk.Start, math.MaxInt64-chunk.Start), max(m.longest, 64<<10))
	if _, err := r.find(m.begin, m.beginExp, false); err != nil {
		file.Close()
		return nil, err
	}
	return r, nil
}

// xmlReader delivers the records of a split.
type xmlReader struct {
	*marks
	c               *mapreduce.Context
	file            io.Closer
	in              *bufio.Reader
	start, pos, end int64
	record          []byte
	key             []byte
	synced          bool // a CDATA mark has shown whether the position is inside CDATA
}

func (r *xmlReader) Next() (key, value []byte, err error) {
	if r.pos >= r.end {
		return nil, nil, io.EOF
	}
	for _, want := range []struct {
		mark string
		exp  *regexp.Regexp
		keep bool
	}{{r.begin, r.beginExp, false}, {r.marks.end, r.endExp, true}} {
		if r.pos >= r.end {
			return nil, nil, io.EOF
		}
		r.record = r.record[:0]
		found, err := r.find(want.mark, want.exp, want.keep)
		if err != nil {
			return nil, nil, err
		}
		if !found {
			return nil, nil, io.EOF
		}
	}
	r.key = append(mapreduce.AppendVLong(r.key[:0], int64(len(r.record))), r.record...)
	return r.key, emptyText, nil
}

func (r *xmlReader) Progress() float32 {
	return min(float32(r.pos-r.start)/float32(max(r.end-r.start, 1)), 1)
}

func (r *xmlReader) Close() error {
	r.c.Inc(job.InputBytesRead, r.pos-r.start)
	return r.file.Close()
}

// find searches for the next mark and reports whether it found the mark. If keep is set, find moves
// past the mark and appends the skipped bytes, including the mark, to the record. Otherwise, it
// moves to the start of the mark.
func (r *xmlReader) find(mark string, exp *regexp.Regexp, keep bool) (bool, error) {
	if r.slow {
		return r.findSlow(exp, keep)
	}
	return r.findFast(mark, keep)
}

// findFast compares byte by byte. It never starts another match at the byte that ends a partial
// match. Hadoop's readers do the same, and the start of an XML mark does not recur within the mark.
func (r *xmlReader) findFast(mark string, keep bool) (bool, error) {
	for {
		if err := r.skipTo(mark[0], keep); err != nil {
			return false, err
		}
		ahead, err := r.in.Peek(len(mark))
		if err != nil && err != io.EOF {
			return false, err
		}
		matched := 0
		for matched < len(ahead) && ahead[matched] == mark[matched] {
			matched++
		}
		switch {
		case matched == len(mark) && keep:
			return true, r.take(matched, true)
		case matched == len(mark):
			return true, nil
		case matched == len(ahead): // the file ends
			return false, nil
		}
		if err := r.take(matched+1, keep); err != nil {
			return false, err
		}
	}
}

// skipTo consumes all bytes before the next c. If c does not occur again, it consumes the rest of
// the input.
func (r *xmlReader) skipTo(c byte, keep bool) error {
	for {
		if _, err := r.in.Peek(1); err != nil {
			if err == io.EOF {
				return nil
			}
			return err
		}
		ahead, err := r.in.Peek(r.in.Buffered())
		if err != nil {
			return err
		}
		n := bytes.IndexByte(ahead, c)
		if n >= 0 {
			return r.take(n, keep)
		}
		if err := r.take(len(ahead), keep); err != nil {
			return err
		}
	}
}

// take consumes n bytes. If keep is set, it appends them to the record.
func (r *xmlReader) take(n int, keep bool) error {
	if keep {
		b, err := r.in.Peek(n)
		if err != nil {
			return err
		}
		if len(r.record)+n > maxXML {
			return failure.New(failure.RecordTooLarge, "read", fmt.Sprintf("record before byte %d", r.pos),
				fmt.Errorf("no %s in %d bytes", strings.TrimSpace(r.marks.end), maxXML))
		}
		r.record = append(r.record, b...)
	}
	r.pos += int64(n)
	_, err := r.in.Discard(n)
	return err
}

// maxXML is the maximum size of a record in bytes. It limits memory use if a mark is missing.
const maxXML = 256 << 20

// findSlow searches the next range for the first mark outside CDATA. The first CDATA mark
// determines whether the position is inside CDATA.
func (r *xmlReader) findSlow(exp *regexp.Regexp, keep bool) (bool, error) {
	window, err := r.in.Peek(r.longest)
	if err != nil && err != io.EOF || len(window) == 0 {
		if err == io.EOF {
			err = nil
		}
		return false, err
	}
	first, outside, inside, accepted := [2]int{-1, -1}, r.synced, false, false
	for at := 0; !accepted; {
		m := exp.FindSubmatchIndex(window[at:])
		if m == nil || m[1] == 0 {
			break
		}
		switch {
		case m[2] >= 0:
			outside, inside = false, true
		case m[4] >= 0:
			outside, inside, first = true, false, [2]int{-1, -1}
		default:
			if first[0] < 0 {
				first = [2]int{at + m[0], at + m[1]}
			}
			accepted = outside
		}
		at += m[1]
	}
	if outside || inside {
		r.synced = true
	}
	if first[0] < 0 || inside {
		return false, r.take(len(window), false)
	}
	n := first[0]
	if keep {
		n = first[1]
	}
	return true, r.take(n, keep)
}
