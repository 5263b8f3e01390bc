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

// readerByClass gives the input format of an -inputreader.
func readerByClass(c *conf.Config) (mapreduce.InputFormat, error) {
	switch simpleName(c.Get(keyRecordReader)) {
	case "StreamXmlRecordReader":
		_, err := xmlSettings(c)
		return xmlInput{}, err
	case "LineRecordReader":
		return mapreduce.KeyValueTextInput{}, nil
	}
	return nil, c.Refuse(keyRecordReader, errors.New("no such reader here")).Fix("use StreamXmlRecordReader or LineRecordReader")
}

// xmlInput reads the stretches of files between two marks as keys with empty values (StreamXmlRecordReader). A record belongs to
// the split in which it begins.
type xmlInput struct{}

// Types gives Text and Text.
func (xmlInput) Types(*conf.Config) (key, value mapreduce.Type) {
	return mapreduce.TextWritable, mapreduce.TextWritable
}

// Splits cuts the files as those of lines.
func (xmlInput) Splits(ctx context.Context, env *mapreduce.Env) ([]mapreduce.Split, error) {
	if _, err := xmlSettings(env.Conf); err != nil {
		return nil, err
	}
	return mapreduce.KeyValueTextInput{}.Splits(ctx, env)
}

// marks are the settings of a reader.
type marks struct {
	begin, end string
	longest    int // bytes of a record, and of what is looked through for a mark, when slow
	slow       bool
	beginExp   *regexp.Regexp // slow: CDATA[, ]]>, or the mark
	endExp     *regexp.Regexp
}

func xmlSettings(c *conf.Config) (*marks, error) {
	m := &marks{begin: c.Get(readerPrefix + "begin"), end: c.Get(readerPrefix + "end")}
	for name, mark := range map[string]string{"begin": m.begin, "end": m.end} {
		if mark == "" {
			return nil, failure.New(failure.Config, "read", readerPrefix+name, errors.New("JobConf: missing required property")).
				Fix("write -inputreader StreamXmlRecordReader,begin=MARK,end=MARK")
		}
	}
	record, err := c.Int(readerPrefix+"maxrec", 50_000, 1, math.MaxInt32/4)
	if err != nil {
		return nil, err
	}
	ahead, err := c.Int(readerPrefix+"lookahead", 2*record, 1, math.MaxInt32/2)
	if err != nil {
		return nil, err
	}
	m.longest = int(max(record, ahead))
	if m.slow, err = c.Bool(readerPrefix+"slowmatch", false); err != nil || !m.slow {
		return m, err
	}
	if m.beginExp, err = cdataOr(m.begin); err == nil {
		m.endExp, err = cdataOr(m.end)
	}
	if err != nil {
		return nil, failure.New(failure.Config, "read", readerPrefix+"begin or "+readerPrefix+"end", err)
	}
	return m, nil
}

func cdataOr(mark string) (*regexp.Regexp, error) {
	return regexp.Compile(`(CDATA\[)|(\]\]>)|(` + mark + `)`)
}

// Open reads one split.
func (xmlInput) Open(c *mapreduce.Context, s *mapreduce.Split) (mapreduce.RecordReader, error) {
	m, err := xmlSettings(c.Conf)
	if err != nil {
		return nil, err
	}
	if len(s.Chunks) != 1 {
		return nil, failure.New(failure.Internal, "open", fmt.Sprint(s), errors.New("not one stretch of a file"))
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
	synced          bool // it is known whether we are inside CDATA
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

// find goes to a mark; with keep it takes what lies before it and the mark itself into the record.
func (r *xmlReader) find(mark string, exp *regexp.Regexp, keep bool) (bool, error) {
	if r.slow {
		return r.findSlow(exp, keep)
	}
	return r.findFast(mark, keep)
}

// findFast compares byte by byte. A byte that ends a partial match is never the first of another one: Hadoop's readers agree on
// that, and marks of XML do not repeat their beginning.
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

// skipTo takes what lies before the next byte c, or before the end.
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

// take consumes n bytes.
func (r *xmlReader) take(n int, keep bool) error {
	if keep {
		b, err := r.in.Peek(n)
		if err != nil {
			return err
		}
		if len(r.record)+n > maxXML {
			return failure.New(failure.RecordTooLarge, "read", fmt.Sprintf("record before byte %d", r.pos), fmt.Errorf("no %s in %d bytes", strings.TrimSpace(r.marks.end), maxXML))
		}
		r.record = append(r.record, b...)
	}
	r.pos += int64(n)
	_, err := r.in.Discard(n)
	return err
}

// maxXML bounds a record, in bytes: a mark that never comes must not fill the memory.
const maxXML = 256 << 20

// findSlow looks through the next stretch for the first mark that is not inside CDATA. Whether we are inside is known from the
// first CDATA mark on.
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
