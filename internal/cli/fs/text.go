package fs

import (
	"io"

	"github.com/howdah/howdah/mapreduce"
)

func text(s *shell, _ options, args []string) error {
	s.each(args, func(i *item) error {
		return s.open(i, func(r io.ReadSeeker) error {
			return s.print(func(w io.Writer) error { return mapreduce.WriteAsText(w, r, i.shown) })
		})
	})
	return nil
}
