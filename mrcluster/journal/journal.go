// Package journal keeps the facts of the manager of MR-clusters on a local disk (internal/factlog), one line of JSON each, so that
// what the manager did and why can be read as it stands.
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

// header is the first line of every file.
const header = `{"howdah":"mrcluster-journal","version":1}` + "\n"

// maxLine bounds a fact; a snapshot of the largest pool is far below.
const maxLine = 64 << 20

// Journal is the open journal of one directory. Its methods are called by one goroutine at a time.
type Journal struct {
	*factlog.Log
}

// Open locks the directory, making it if need be, and hands every fact of the journal to apply, in order. A directory that another
// manager uses is kind Exists. An incomplete line at the end is cut off and kept beside the journal. key is the configuration key of
// the directory, for messages.
func Open(dir, key string, apply func(*mrcluster.Fact) error) (Journal, factlog.Torn, error) {
	l, torn, err := factlog.Open(dir, factlog.Format{
		Header: AppendHeader(nil), Owner: "manager of MR-clusters", Key: key,
		Replay: func(r io.Reader) (int64, error) { return Replay(r, apply) },
	})
	return Journal{l}, torn, err
}

// AppendHeader appends what every journal begins with.
func AppendHeader(to []byte) []byte { return append(to, header...) }

// Replay applies all complete facts of a file and returns where they end. What is no fact is kind Corrupt, with its line.
func Replay(r io.Reader, apply func(*mrcluster.Fact) error) (good int64, err error) {
	b := bufio.NewReaderSize(r, 1<<16)
	for line := 1; ; line++ {
		text, err := readLine(b)
		switch {
		case err == io.EOF: // whole, or torn in the last line, which nobody was told of
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
			return errors.New("it is no journal of a manager, or one of another version")
		}
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields() // a fact that is understood by half would rebuild another state
	var f mrcluster.Fact
	if err := d.Decode(&f); err != nil {
		return err
	}
	return apply(&f)
}

// readLine gives a line with its end; io.EOF also stands for a last line without one.
func readLine(b *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := b.ReadSlice('\n')
		line = append(line, part...)
		if err != bufio.ErrBufferFull {
			return line, err
		}
		if len(line) > maxLine {
			return nil, failure.New(failure.Corrupt, "replay", "", fmt.Errorf("a line of more than %d bytes", maxLine))
		}
	}
}

// Encode appends facts as Append and Rotate take them.
func Encode(to []byte, facts ...mrcluster.Fact) ([]byte, error) {
	for i := range facts {
		text, err := json.Marshal(&facts[i])
		if err != nil {
			return nil, failure.New(failure.Internal, "encode fact", facts[i].Kind.String(), err)
		}
		to = append(append(to, text...), '\n')
	}
	return to, nil
}
