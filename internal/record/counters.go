package record

import (
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/howdah/howdah/job"
)

// firstBuiltin is the field number of the first built-in counter. Built-in counter n has the field
// number 16+n. Field 1 is repeated, and contains the user-defined counters (1 group, 2 name, 3
// value).
const firstBuiltin = 16

// Counters appends the nonzero built-in counters and all user-defined counters.
func (w *Writer) Counters(c *job.Counters) {
	for i, v := range c.Builtin {
		w.Number(protowire.Number(firstBuiltin+i), v)
	}
	for _, u := range c.User {
		w.Message(1, func(w *Writer) {
			w.Text(1, u.Group)
			w.Text(2, u.Name)
			w.Number(3, u.Value)
		})
	}
}

// DecodeCounter decodes one field of encoded counters and adds it to c.
func DecodeCounter(f Field, c *job.Counters) error {
	if i := int(f.Num) - firstBuiltin; i >= 0 && i < int(job.NumCounters) {
		return f.Number(&c.Builtin[i])
	}
	if f.Num != 1 {
		return nil
	}
	c.User = append(c.User, job.UserCounter{})
	u := &c.User[len(c.User)-1]
	return f.Message(func(f Field) error {
		switch f.Num {
		case 1:
			return f.Text(&u.Group)
		case 2:
			return f.Text(&u.Name)
		case 3:
			return f.Number(&u.Value)
		}
		return nil
	})
}

// File appends the entry of a file in a manifest.
func (w *Writer) File(o *job.OutputFile) {
	w.Text(1, o.Name)
	w.Number(2, o.Length)
	w.Number(3, int64(o.Checksum))
}

// DecodeFile sets the part of o that a field encodes.
func DecodeFile(f Field, o *job.OutputFile) error {
	switch f.Num {
	case 1:
		return f.Text(&o.Name)
	case 2:
		return f.Number(&o.Length)
	case 3:
		return Small(f, &o.Checksum)
	}
	return nil
}
