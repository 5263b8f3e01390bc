// Package journal stores the facts of the manager of MR-clusters on a local disk
// (internal/factlog). Each fact is a line of JSON that people can read. Start with Open.
package journal

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/howdah/howdah/internal/factlog"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mrcluster"
)

// header is the first line of every journal file.
const header = `{"howdah":"mrcluster-journal","version":1}` + "\n"

// maxLine is the maximum length of a fact in bytes. The machine limits the texts in facts, so a snapshot
// of the largest pool is much shorter.
const maxLine = 1 << 30

// Journal is the open journal in a directory. It is not safe for concurrent use.
type Journal struct {
	*factlog.Log
}

// Open locks the directory, which it creates if necessary, and passes every fact of the journal to
// apply, in order. It removes an incomplete line at the end of the journal and stores the line in a
// separate file. It returns an error of kind Exists if another manager uses the directory. key is
// the configuration key of the directory, for error messages.
func Open(dir, key string, apply func(*mrcluster.Fact) error) (Journal, factlog.Torn, error) {
	l, torn, err := factlog.Open(dir, factlog.Format{
		Header: AppendHeader(nil), Owner: "manager of MR-clusters", Key: key,
		Replay: func(r io.Reader) (int64, error) { return Replay(r, apply) },
	})
	return Journal{l}, torn, err
}

// AppendHeader appends the header of a journal.
func AppendHeader(to []byte) []byte { return append(to, header...) }

// Replay applies all complete facts of a file and returns the offset after the last one. If a line
// is not a fact, it returns an error of kind Corrupt with the line number.
func Replay(r io.Reader, apply func(*mrcluster.Fact) error) (good int64, err error) {
	b := bufio.NewReaderSize(r, 1<<16)
	for line := 1; ; line++ {
		text, err := readLine(b)
		switch {
		case err == io.EOF: // end of the file; an incomplete last line was never visible
			return good, nil
		case err != nil:
			return 0, err
		}
		if err := take(line, text, apply); err != nil {
			return 0, failure.New(failure.Corrupt, "replay", fmt.Sprintf("line %d", line), err)
		}
		good += int64(len(text))
	}
}

func take(line int, text []byte, apply func(*mrcluster.Fact) error) error {
	if line == 1 {
		if string(text) != header {
			return errors.New("the file is not a manager's journal, or it has another version")
		}
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields() // a fact with unknown fields would rebuild a different state
	var f mrcluster.Fact
	if err := d.Decode(&f); err != nil {
		return err
	}
	return apply(&f)
}

// readLine returns a line including its newline. If the last line has no newline, readLine returns
// io.EOF with it.
func readLine(b *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := b.ReadSlice('\n')
		line = append(line, part...)
		if err != bufio.ErrBufferFull {
			return line, err
		}
		if len(line) > maxLine {
			return nil, failure.New(failure.Corrupt, "replay", "", fmt.Errorf("a line exceeds the limit of %d bytes", maxLine))
		}
	}
}

// Encode appends facts in the format that Append and Rotate expect.
func Encode(to []byte, facts ...mrcluster.Fact) ([]byte, error) {
	for i := range facts {
		text, err := json.Marshal(&facts[i])
		if err != nil {
			return nil, failure.New(failure.Internal, "encode fact", facts[i].Kind.String(), err)
		}
		if len(text) >= maxLine { // Replay would reject the journal
			return nil, failure.New(failure.Limit, "encode fact", facts[i].Kind.String(),
				fmt.Errorf("%d bytes exceed the limit of %d", len(text), maxLine))
		}
		to = append(append(to, text...), '\n')
	}
	return to, nil
}
