package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/howdah/howdah/dfs/schemes"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce/streaming"
)

// typedFiles runs the two commands that Streaming's jar has in addition to running jobs. loadtb
// PATH writes the typed bytes on standard input to a SequenceFile. dumptb PATTERN prints files as
// typed bytes. For any other command, ok is false.
func (s *session) typedFiles(ctx context.Context, args []string) (ok bool, err error) {
	if len(args) == 0 {
		return false, nil
	}
	command := strings.ToLower(args[0])
	if command != "loadtb" && command != "dumptb" {
		return false, nil
	}
	if len(args) != 2 {
		return true, failure.New(failure.Usage, "", "",
			fmt.Errorf("Usage: howdah streaming dumptb <glob-pattern> | loadtb <path>"))
	}
	c, err := s.filesConfig(ctx)
	if err != nil {
		return true, err
	}
	r, err := schemes.Resolver(c, schemes.Warn(s.err))
	if err != nil {
		return true, err
	}
	defer r.Close()
	fs, name, err := r.Resolve(args[1])
	if err != nil {
		return true, err
	}
	if command == "loadtb" {
		return true, streaming.LoadTypedBytes(ctx, fs, name, s.in)
	}
	return true, streaming.DumpTypedBytes(ctx, fs, name, s.out)
}
