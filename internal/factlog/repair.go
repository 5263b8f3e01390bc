package factlog

import (
	"io"
	"os"

	"github.com/howdah/howdah/job/failure"
)

// Damage describes a damaged journal.
type Damage struct {
	File   string
	Offset int64 // where the damage begins, in bytes
	Bytes  int64 // from the offset to the end of the file
	Reason error
	Facts  int    // number of intact facts before the damage
	Time   int64  // of the last intact fact before the damage; in ms since the epoch
	Lost   []Lost // what the readable facts after the damage mention
	Kept   string // file to which Cut moved the bytes; "" means that the journal is unchanged
}

// Lost describes an item whose facts would be lost if the journal were cut at the damage.
type Lost struct {
	Name  string
	Facts int      // readable facts after the damage
	Notes []string // what these facts say about it
}

// Look reads the content of a journal file. It returns the offset after the last good fact, and nil
// if the rest is not damage. It need not set File, Bytes, and Kept. A file of another kind or version
// is an error.
type Look func(file []byte) (good int64, d *Damage, err error)

// Examine reads the journal in a directory without changing anything. It returns nil if the journal
// is intact. A torn tail is not damage.
func Examine(dir string, look Look) (*Damage, error) {
	file, err := Newest(dir)
	if err != nil {
		return nil, err
	}
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, failure.New(failure.KindOf(err), "examine journal", file, err)
	}
	good, d, err := look(b)
	if err != nil {
		return nil, failure.New(failure.KindOf(err), "examine journal", file, err)
	}
	if good == 0 {
		return nil, errNoHeader(file)
	}
	d.complete(file, b)
	return d, nil
}

func (d *Damage) complete(file string, b []byte) {
	if d != nil {
		d.File, d.Bytes = file, int64(len(b))-d.Offset
	}
}

// Cut moves the damage and everything after it out of the journal into another file. It then calls
// after with the open journal. A daemon can then start with the state before the damage. Cut
// returns nil if the journal is intact, and an error of kind Exists if a daemon uses the directory.
func Cut(dir string, format Format, look Look, after func(*Log, *Damage) error) (*Damage, error) {
	file, err := Newest(dir) // before Open, which would create a journal
	if err != nil {
		return nil, err
	}
	var d *Damage
	format.Replay = func(r io.Reader) (good, snapshot int64, err error) {
		b, err := io.ReadAll(r)
		if err != nil {
			return 0, 0, err
		}
		good, d, err = look(b)
		d.complete(file, b)
		return good, good, err
	}
	j, torn, err := Open(dir, format)
	if err != nil || d == nil {
		if err == nil {
			err = j.Close()
		}
		return nil, err
	}
	defer j.Close()
	d.Kept = torn.File
	return d, after(j, d)
}
