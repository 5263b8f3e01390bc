package factlog

import (
	"io"
	"os"

	"github.com/howdah/howdah/job/failure"
)

// Damage describes the damage in a journal.
type Damage struct {
	File   string
	Offset int64 // where the damage begins, in bytes
	Bytes  int64 // from the offset to the end of the file
	Reason error
	Facts  int    // number of intact facts before the damage
	Time   int64  // of the last intact fact before the damage; in ms since the epoch
	Lost   []Lost // the items that the readable facts after the damage mention
	Kept   string // file to which Cut moved the bytes; "" means that the journal is unchanged
}

// Lost describes an item whose facts would be lost if the journal were cut at the damage.
type Lost struct {
	Name  string
	Facts int      // readable facts after the damage
	Notes []string // what these facts say about the item
}

// Look examines the content of a journal file. It returns the offset at which the last good fact
// ends, and the damage. d is nil if the file is intact or only has a torn tail. Look need not set
// File, Bytes, and Kept. If the file is of another kind or version, Look returns an error.
type Look func(file []byte) (good int64, d *Damage, err error)

// Examine reads the journal in a directory without changing anything. It returns nil if the journal
// is intact. A torn tail is not damage.
func Examine(dir string, format Format, look Look) (*Damage, error) {
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
	if good < int64(len(format.Header)) {
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

// Cut truncates the journal in a directory at the point of damage. It saves what it removes in
// another file, and then calls after with the open journal. A daemon that starts later has the
// state from before the damage. Cut returns the damage, or nil if the journal is intact. If a
// daemon uses the directory, the error is of kind Exists.
func Cut(dir string, format Format, look Look, after func(*Log, *Damage) error) (*Damage, error) {
	file, err := Newest(dir) // called before Open, because Open would create a journal
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
