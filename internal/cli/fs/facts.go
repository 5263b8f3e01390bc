package fs

import (
	"fmt"
	"strings"
	"time"

	"github.com/howdah/howdah/dfs"
)

func stat(s *shell, _ options, args []string) error {
	format := "%y"
	if strings.Contains(args[0], "%") {
		format, args = args[0], args[1:]
		if len(args) == 0 {
			return usagef("Not enough arguments: expected 1 but got 0")
		}
	}
	s.each(args, func(i *item) error {
		s.printf("%s\n", fill(format, i))
		return nil
	})
	return nil
}

// fill returns format with each % and the letter after it replaced by a fact about i. If the letter
// has no meaning, only the % is removed.
func fill(format string, i *item) string {
	var b strings.Builder
	for n := 0; n < len(format); n++ {
		if format[n] != '%' || n+1 == len(format) {
			b.WriteByte(format[n])
			continue
		}
		n++
		b.WriteString(fact(format[n], i.info))
	}
	return b.String()
}

func fact(letter byte, i dfs.Info) string {
	const date = "2006-01-02 15:04:05"
	switch letter {
	case 'a':
		return fmt.Sprintf("%o", i.Mode)
	case 'A':
		return letters(i.Mode)
	case 'b':
		return fmt.Sprint(i.Size)
	case 'F':
		if i.Dir {
			return "directory"
		}
		return "regular file"
	case 'g':
		return i.Group
	case 'n':
		return i.Name()
	case 'o':
		return fmt.Sprint(i.BlockSize)
	case 'r':
		return fmt.Sprint(i.Replication)
	case 'u':
		return i.Owner
	case 'x':
		return i.AccessTime.UTC().Format(date)
	case 'X':
		return fmt.Sprint(milliseconds(i.AccessTime))
	case 'y':
		return i.ModTime.UTC().Format(date)
	case 'Y':
		return fmt.Sprint(milliseconds(i.ModTime))
	}
	return string(letter)
}

func milliseconds(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

func test(s *shell, o options, args []string) error {
	switch len(o) {
	case 0:
		return usageError("No test flag given")
	case 1:
	default:
		return usageError("Only one test flag is allowed")
	}
	yes := true
	for _, i := range s.found(args, s.expand) {
		for flag := range o { // the only one
			yes = yes && i.there && s.answer(flag, i)
		}
	}
	if !yes {
		return errSilent
	}
	return nil
}

func (s *shell) answer(flag string, i *item) bool {
	switch flag {
	case "d":
		return i.dir()
	case "f":
		return !i.dir()
	case "s":
		return i.info.Size > 0
	case "z":
		return i.info.Size == 0
	case "r":
		return s.may(i, false)
	case "w":
		return s.may(i, true)
	}
	return true
}

// may reports whether the storage grants the user write access to i or, if write is false, read
// access. If the storage cannot check this, may uses the owner's permissions.
func (s *shell) may(i *item, write bool) bool {
	if a, ok := i.fs.(dfs.Accesser); ok {
		return a.Access(s.ctx, i.path, write) == nil
	}
	bit := uint32(0o400)
	if write {
		bit = 0o200
	}
	return i.info.Mode&bit != 0
}
