package record

import (
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/howdah/howdah/job"
)

// firstBuiltin is the field number of the first built-in counter. Built-in counter n has the field
// number 16+n. Field 1 is repeated, and contains the user-defined counters.
const firstBuiltin = 16

// Counters names the fields of counters: the built-in and all user-defined counters.
func Counters(c *Codec, x *job.Counters) {
	for i := range x.Builtin {
		c.Number(protowire.Number(firstBuiltin+i), &x.Builtin[i])
	}
	List(c, 1, &x.User, func(c *Codec, u *job.UserCounter) {
		c.Text(1, &u.Group)
		c.Text(2, &u.Name)
		c.Number(3, &u.Value)
	})
}

// File names the fields of a file in a manifest.
func File(c *Codec, o *job.OutputFile) {
	c.Text(1, &o.Name)
	c.Number(2, &o.Length)
	Small(c, 3, &o.Checksum)
}
