package mapreduce_test

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/mapreduce"
)

// database stands for a store outside the output directory. It shows the rows of an attempt only
// after the job has committed them.
type database struct {
	staged, committed map[string][]string // by attempt
	visible           []string
}

// Check implements mapreduce.OutputFormat.
func (db *database) Check(ctx context.Context, env *mapreduce.Env) error { return nil }

// Open implements mapreduce.OutputFormat.
func (db *database) Open(c *mapreduce.Context, key, value mapreduce.Type) (mapreduce.RecordWriter, error) {
	return &rows{db, c.Task().Attempt.String(), key, value}, nil
}

type rows struct {
	db         *database
	attempt    string
	key, value mapreduce.Type
}

func (r *rows) Write(key, value []byte) error {
	row := fmt.Sprintf("%s=%s", r.key.AppendText(nil, key), r.value.AppendText(nil, value))
	r.db.staged[r.attempt] = append(r.db.staged[r.attempt], row)
	return nil
}

func (r *rows) Close() error { return nil }

// SetupJob implements mapreduce.OutputCommitter. A restarted setup starts from nothing.
func (db *database) SetupJob(*mapreduce.Context) error {
	db.staged, db.committed = map[string][]string{}, map[string][]string{}
	return nil
}

// SetupTask implements mapreduce.OutputCommitter.
func (db *database) SetupTask(*mapreduce.Context) error { return nil }

// NeedsTaskCommit implements mapreduce.OutputCommitter.
func (db *database) NeedsTaskCommit(c *mapreduce.Context) (bool, error) {
	return len(db.staged[c.Task().Attempt.String()]) > 0, nil
}

// CommitTask implements mapreduce.OutputCommitter.
func (db *database) CommitTask(c *mapreduce.Context) error {
	id := c.Task().Attempt.String()
	db.committed[id] = db.staged[id]
	return nil
}

// AbortTask implements mapreduce.OutputCommitter.
func (db *database) AbortTask(c *mapreduce.Context) error {
	delete(db.staged, c.Task().Attempt.String())
	return nil
}

// CommitJob implements mapreduce.OutputCommitter. It may run again, so it replaces the visible rows.
func (db *database) CommitJob(*mapreduce.Context) error {
	db.visible = slices.Sorted(slices.Values(slices.Concat(slices.Collect(maps.Values(db.committed))...)))
	return nil
}

// AbortJob implements mapreduce.OutputCommitter.
func (db *database) AbortJob(*mapreduce.Context, job.State) error { return db.SetupJob(nil) }

// This example publishes the output of a job in a database. Readers of the database see all rows of a
// job or none.
func Example_customCommitter() {
	db := &database{}
	run(&mapreduce.Job{
		Name:      "load",
		Input:     mapreduce.KeyValueTextInput{},
		Output:    db,
		Committer: func() mapreduce.OutputCommitter { return db },
		Conf:      map[string]string{conf.JobReduces.Name: "2"},
	}, "a\t1\nb\t2\nc\t3\n")
	fmt.Println(db.visible)
	// Output:
	// [a=1 b=2 c=3]
}
