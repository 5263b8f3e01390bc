package importer

import (
	"bufio"
	"bytes"
	"io"
	"strings"

	"github.com/howdah/howdah/history"
	"github.com/howdah/howdah/simulator/trace/codec"
)

// kind is a kind of content.
type kind uint8

const (
	unknown kind = iota
	empty
	framed        // several files in one, each after a line !!FILE=name!!
	classic       // history of a JobTracker as text
	jhist         // history of MapReduce on YARN
	rumen         // jobs or a topology as JSON
	swim          // a table
	journal       // facts of this project
	configuration // a job.xml
	export        // written by sim export
)

// sniffed is how many bytes of a file decide its kind.
const sniffed = 64 << 10

// byteOrderMark is what some editors and other systems write before a text.
const byteOrderMark = "\xef\xbb\xbf"

// peek gives the first bytes, without a mark of the byte order, which is read away for all that follows.
func peek(r *bufio.Reader) []byte {
	if head, _ := r.Peek(len(byteOrderMark)); string(head) == byteOrderMark {
		_, _ = r.Discard(len(byteOrderMark)) // they are in the buffer
	}
	head, _ := r.Peek(sniffed)
	return head
}

type recognised struct {
	kind   kind
	origin string
}

// recognise tells the kind of a file by its first bytes.
func recognise(head []byte) recognised {
	if bytes.HasPrefix(head, []byte(history.Magic)) {
		return recognised{journal, "journal"}
	}
	text := bytes.TrimLeft(head, " \t\r\n\f")
	switch {
	case len(text) == 0:
		return recognised{kind: empty}
	case bytes.HasPrefix(text, []byte(framePrefix)):
		return recognised{kind: framed}
	case bytes.HasPrefix(text, []byte(avroJSON)), bytes.HasPrefix(text, []byte(avroBinary)):
		return recognised{jhist, "jhist"}
	case codec.Recognise(text):
		return recognised{export, "export"}
	case text[0] == '<':
		if bytes.Contains(text, []byte("<configuration")) {
			return recognised{kind: configuration}
		}
	case text[0] == '{' || text[0] == '[':
		return recognised{rumen, "rumen"}
	}
	for line := range bytes.Lines(text) {
		s := string(line)
		if _, _, ok := recordStart(s); ok {
			return recognised{classic, "classic"}
		}
		if _, err := swimLine(s); err == nil {
			return recognised{swim, "swim"}
		}
	}
	return recognised{}
}

const (
	framePrefix = "!!FILE="
	frameSuffix = "!!"
)

// frameName gives the name in a line that begins a frame.
func frameName(line string) (string, bool) {
	line = strings.TrimSpace(line)
	if !strings.HasPrefix(line, framePrefix) || !strings.HasSuffix(line, frameSuffix) || len(line) < len(framePrefix)+len(frameSuffix) {
		return "", false
	}
	return line[len(framePrefix) : len(line)-len(frameSuffix)], true
}

// frames reads a file that holds several, each by its own kind.
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
		if k := recognise(peek(inner)).kind; k == unknown || k == framed || k == export {
			im.damage(path, 0, "%s is not a log of a known kind", name)
			continue
		}
		if err := im.content(path+"!"+name, name, inner, nil, false); err != nil {
			return err
		}
	}
}

// frameReader gives the content of one frame after the other. Lines may be of any length.
type frameReader struct {
	in   *bufio.Reader
	rest []byte // of the line that is being given out
	mid  bool   // rest ends within a line
	name string // of the frame that begins next
	err  error
}

// next goes to the next frame, past what is left of this one; io.EOF = there is none.
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

// fill reads more of a line; a line that begins a frame is not content.
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
