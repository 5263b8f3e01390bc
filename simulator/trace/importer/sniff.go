package importer

import (
	"bufio"
	"bytes"
	"io"
	"strings"

	"github.com/howdah/howdah/jobtracker/history"
	"github.com/howdah/howdah/jobtracker/history/hadoop"
	"github.com/howdah/howdah/simulator/trace/codec"
)

// kind is the kind of a file's content.
type kind uint8

const (
	unknown kind = iota
	empty
	framed        // several files in one, each after a line !!FILE=name!!
	classic       // text history of a JobTracker
	jhist         // history of MapReduce on YARN
	rumen         // jobs or a topology as JSON
	swim          // a table
	journal       // this project's facts
	configuration // a job.xml
	export        // an exported trace
)

// sniffed is the number of bytes that determine a file's kind.
const sniffed = 64 << 10

// byteOrderMark is the byte sequence that some editors write at the start of a text file.
const byteOrderMark = "\xef\xbb\xbf"

// peek returns the first bytes of the input without consuming them. It does consume a byte order
// mark.
func peek(r *bufio.Reader) []byte {
	if head, _ := r.Peek(len(byteOrderMark)); string(head) == byteOrderMark {
		_, _ = r.Discard(len(byteOrderMark)) // cannot fail because the bytes are in the buffer
	}
	head, _ := r.Peek(sniffed)
	return head
}

type recognized struct {
	kind   kind
	origin string
}

// recognize determines the kind of the file from its first bytes.
func recognize(head []byte) recognized {
	if bytes.HasPrefix(head, []byte(history.Magic)) || bytes.HasPrefix(head, []byte(history.MagicSynced)) {
		return recognized{journal, "journal"}
	}
	text := bytes.TrimLeft(head, " \t\r\n\f")
	switch {
	case len(text) == 0:
		return recognized{kind: empty}
	case bytes.HasPrefix(text, []byte(framePrefix)):
		return recognized{kind: framed}
	case bytes.HasPrefix(text, []byte(hadoop.AvroJSON)), bytes.HasPrefix(text, []byte(hadoop.AvroBinary)):
		return recognized{jhist, "jhist"}
	case codec.Recognize(text):
		return recognized{export, "export"}
	case text[0] == '<':
		if bytes.Contains(text, []byte("<configuration")) {
			return recognized{kind: configuration}
		}
	case text[0] == '{' || text[0] == '[':
		return recognized{rumen, "rumen"}
	}
	for line := range bytes.Lines(text) {
		s := string(line)
		if _, _, ok := recordStart(s); ok {
			return recognized{classic, "classic"}
		}
		if _, err := swimLine(s); err == nil {
			return recognized{swim, "swim"}
		}
	}
	return recognized{}
}

const (
	framePrefix = "!!FILE="
	frameSuffix = "!!"
)

// frameName returns the name in the line, and reports whether the line starts a frame.
func frameName(line string) (string, bool) {
	line = strings.TrimSpace(line)
	if !strings.HasPrefix(line, framePrefix) || !strings.HasSuffix(line, frameSuffix) ||
		len(line) < len(framePrefix)+len(frameSuffix) {
		return "", false
	}
	return line[len(framePrefix) : len(line)-len(frameSuffix)], true
}

// frames reads a file that contains several files, each of its own kind.
func (im *Import) frames(path string, r *bufio.Reader) error {
	f := &frameReader{in: r}
	for {
		name, err := f.next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			im.damage(path, 0, "reading stopped: %v", err)
			return nil
		}
		inner := bufio.NewReaderSize(f, sniffed)
		if k := recognize(peek(inner)).kind; k == unknown || k == framed || k == export {
			im.damage(path, 0, "%s is not a log of a known kind", name)
			continue
		}
		if err := im.content(path+"!"+name, name, inner, nil, false); err != nil {
			return err
		}
	}
}

// frameReader returns the content of one frame after another. Lines can have any length.
type frameReader struct {
	in   *bufio.Reader
	rest []byte // rest of the current line
	mid  bool   // rest ends in the middle of a line
	name string // name of the next frame
	err  error
}

// next skips the rest of the current frame and moves to the next frame. It returns io.EOF if no
// frame is left.
func (f *frameReader) next() (string, error) {
	for f.name == "" && f.err == nil {
		f.fill()
	}
	name := f.name
	f.name, f.rest = "", nil
	if name == "" {
		return "", f.err
	}
	return name, nil
}

// fill reads more of the current line, or the next line. It stops at a line that starts a frame.
func (f *frameReader) fill() {
	piece, err := f.in.ReadSlice('\n')
	start := !f.mid
	f.mid = err == bufio.ErrBufferFull
	if err != nil && err != bufio.ErrBufferFull {
		f.err = err
	}
	if name, ok := frameName(string(piece[:min(len(piece), 4096)])); ok && start {
		f.name = name
		return
	}
	f.rest = piece
}

func (f *frameReader) Read(p []byte) (int, error) {
	for len(f.rest) == 0 {
		if f.name != "" {
			return 0, io.EOF
		}
		if f.err != nil {
			return 0, f.err
		}
		f.fill()
	}
	n := copy(p, f.rest)
	f.rest = f.rest[n:]
	return n, nil
}
