package cli

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"

	jobclient "github.com/howdah/howdah/client"
	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/dfs/schemes"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/jobtracker/archive"
	"github.com/howdah/howdah/jobtracker/history"
)

// exportHistory writes the .jhist files and configurations of ended jobs to a directory and prints
// the URIs of the .jhist files. args are IDs or output directories of the JobTracker's jobs, or a
// journal file and optionally the IDs of jobs in it.
func (s *session) exportHistory(ctx context.Context, dir string, args []string) error {
	if dir == "" || len(args) == 0 || args[0] == "all" {
		return usageError("howdah job -history " + jhistArgs)
	}
	c, err := s.filesConfig(ctx)
	if err != nil {
		return err
	}
	files, err := schemes.Resolver(c, nil)
	if err != nil {
		return err
	}
	defer files.Close()
	fs, root, err := files.Resolve(dir)
	if err != nil {
		return err
	}
	if isFile(args[0]) {
		return s.exportJournal(ctx, fs, root, args[0], args[1:])
	}
	return s.withJobs(ctx, func(ctx context.Context, jobs *jobclient.Client) error {
		for _, name := range args {
			id, err := s.jobNamed(ctx, jobs, name)
			if err != nil {
				return err
			}
			facts, err := jobs.Journal(ctx, id)
			if err != nil {
				return err
			}
			if err := s.writeJHist(ctx, fs, root, bytes.NewReader(facts), map[string]bool{id.String(): true}); err != nil {
				return err
			}
		}
		return nil
	})
}

// exportJournal exports those jobs in a journal file whose IDs are in ids. If ids is empty, it
// exports all jobs that have ended.
func (s *session) exportJournal(ctx context.Context, fs dfs.FileSystem, dir, file string, ids []string) error {
	f, err := os.Open(file)
	if err != nil {
		return failure.New(failure.KindOf(err), "read journal", file, err)
	}
	defer f.Close()
	wanted := map[string]bool{}
	for _, id := range ids {
		wanted[id] = true
	}
	err = s.writeJHist(ctx, fs, dir, bufio.NewReaderSize(f, 1<<20), wanted)
	if errors.Is(err, history.ErrNoJournal) {
		err = failure.New(failure.Usage, "read journal", file, err)
	}
	return err
}

// writeJHist exports the wanted jobs of a journal. If no jobs are given, it exports all jobs that
// have ended.
func (s *session) writeJHist(ctx context.Context, fs dfs.FileSystem, dir string, journal io.Reader,
	wanted map[string]bool) error {
	all := len(wanted) == 0
	err := archive.Split(journal, func(id job.ID, facts []byte) error {
		if !all && !wanted[id.String()] {
			return nil
		}
		delete(wanted, id.String())
		name, err := archive.WriteJHist(ctx, facts, fs, dir)
		if err == nil {
			fmt.Fprintln(s.out, dfs.Qualify(fs, name))
		}
		return err
	})
	if errors.Is(err, history.ErrTorn) {
		fmt.Fprintln(s.err, "howdah: the journal ends in the middle of a record")
		err = nil
	}
	for _, id := range slices.Sorted(maps.Keys(wanted)) {
		if err == nil {
			err = failure.New(failure.NotFound, "export job", id,
				errors.New("the journal lacks the job's end")).Fix("wait until the job has ended")
		}
	}
	return err
}
