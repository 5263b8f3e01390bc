package db

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/simulator/trace"
	"github.com/howdah/howdah/simulator/trace/codec"
	"github.com/howdah/howdah/simulator/trace/profile"
)

// Trace describes a stored trace.
type Trace struct {
	Name          string
	Origin        string
	Imported      time.Time
	Slots         [2]int32
	Nodes         []trace.Node
	Damaged       int64
	Jobs          int
	Maps, Reduces int64
	First, Last   int64 // submissions, ms

	id int64
}

// encoder and decoder are safe for concurrent use.
var (
	encoder = sync.OnceValue(func() *zstd.Encoder {
		e, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
		if err != nil {
			panic(err) // cannot fail because the options are constants
		}
		return e
	})
	decoder = sync.OnceValue(func() *zstd.Decoder {
		d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(1<<30))
		if err != nil {
			panic(err)
		}
		return d
	})
)

// Put stores the trace under t.Name, with the profile of each job. It reads the jobs one by one
// from s. Readers see nothing of the trace until it is stored completely. If the name is taken, Put
// replaces the old trace if replace is set, and otherwise returns an error of kind Exists.
func (d *DB) Put(ctx context.Context, t Trace, s trace.Source, replace bool) (Trace, error) {
	nodes, err := json.Marshal(t.Nodes)
	if err != nil {
		return t, err
	}
	err = d.write(ctx, "store trace", func(tx *sql.Tx) error {
		if err := d.claim(ctx, tx, t.Name, replace); err != nil {
			return err
		}
		r, err := tx.ExecContext(ctx, `INSERT INTO traces (name, origin, imported_ms, map_slots, reduce_slots, nodes, `+
			`damaged, jobs, maps, reduces, first_ms, last_ms)
			VALUES (?, ?, ?, ?, ?, ?, 0, 0, 0, 0, 0, 0)`, t.Name, t.Origin, t.Imported.UnixMilli(), t.Slots[job.Map],
			t.Slots[job.Reduce], string(nodes))
		if err != nil {
			return err
		}
		if t.id, err = r.LastInsertId(); err != nil {
			return err
		}
		if err := t.putJobs(ctx, tx, s); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `UPDATE traces SET jobs = ?, maps = ?, reduces = ?, first_ms = ?, last_ms = ? WHERE `+
			`id = ?`,
			t.Jobs, t.Maps, t.Reduces, t.First, t.Last, t.id)
		return err
	})
	return t, err
}

// SetDamaged records how many damaged places in the input were skipped. This number is known only
// after the whole input has been read.
func (d *DB) SetDamaged(ctx context.Context, t Trace, damaged int64) error {
	_, err := d.sql.ExecContext(ctx, "UPDATE traces SET damaged = ? WHERE id = ?", damaged, t.id)
	if err != nil {
		return d.fail("store trace", err)
	}
	return nil
}

func (d *DB) claim(ctx context.Context, tx *sql.Tx, name string, replace bool) error {
	if replace {
		_, err := tx.ExecContext(ctx, "DELETE FROM traces WHERE name = ?", name)
		return err
	}
	n := 0
	if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM traces WHERE name = ?", name).Scan(&n); err != nil {
		return err
	}
	if n > 0 {
		return failure.New(failure.Exists, "store trace", name,
			errors.New("a trace with this name already exists")).
			Fix("choose another name with --name, or replace the trace with --replace")
	}
	return nil
}

func (t *Trace) putJobs(ctx context.Context, tx *sql.Tx, s trace.Source) error {
	row, err := tx.PrepareContext(ctx, `INSERT INTO jobs (trace, seq, job, name, user, queue, state, submit_ms, `+
		`finish_ms, deadline_ms, skewed, maps, reduces)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`)
	if err != nil {
		return err
	}
	defer row.Close()
	tasks, err := tx.PrepareContext(ctx, "INSERT INTO tasks (job, tasks) VALUES (?, ?)")
	if err != nil {
		return err
	}
	defer tasks.Close()
	phases, err := tx.PrepareContext(ctx, "INSERT INTO profiles (job, phase, tasks, mean_ms, deviation, median_ms, "+
		"p95_ms, max_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
	if err != nil {
		return err
	}
	defer phases.Close()
	var line, packed []byte
	for {
		j, err := s.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		r, err := row.ExecContext(ctx, t.id, t.Jobs, j.ID, j.Name, j.User, j.Queue, j.State.String(), j.Submit, j.Finish,
			j.Deadline, j.Skewed, len(j.Maps), len(j.Reduces))
		if err != nil {
			return err
		}
		id, err := r.LastInsertId()
		if err != nil {
			return err
		}
		if line, err = codec.AppendJob(line[:0], j); err != nil {
			return err
		}
		packed = encoder().EncodeAll(line, packed[:0])
		if _, err := tasks.ExecContext(ctx, id, packed); err != nil {
			return err
		}
		if err := putProfile(ctx, phases, id, j); err != nil {
			return err
		}
		t.count(j)
	}
}

func (t *Trace) count(j *trace.Job) {
	if t.Jobs == 0 {
		t.First, t.Last = j.Submit, j.Submit
	}
	t.First, t.Last = min(t.First, j.Submit), max(t.Last, j.Submit)
	t.Jobs++
	t.Maps += int64(len(j.Maps))
	t.Reduces += int64(len(j.Reduces))
}

func putProfile(ctx context.Context, insert *sql.Stmt, id int64, j *trace.Job) error {
	for i, durations := range profile.Of(j).List() {
		if len(durations) == 0 {
			continue
		}
		s := profile.Summarize(durations)
		if _, err := insert.ExecContext(ctx, id, profile.Names[i], s.N, s.Mean, s.Deviation, s.Median, s.P95,
			s.Max); err != nil {
			return err
		}
	}
	return nil
}

const columns = "id, name, origin, imported_ms, map_slots, reduce_slots, nodes, damaged, jobs, maps, reduces, " +
	"first_ms, last_ms"

func scan(row interface{ Scan(...any) error }) (Trace, error) {
	var t Trace
	var imported int64
	var nodes string
	err := row.Scan(&t.id, &t.Name, &t.Origin, &imported, &t.Slots[job.Map], &t.Slots[job.Reduce], &nodes, &t.Damaged,
		&t.Jobs, &t.Maps, &t.Reduces, &t.First, &t.Last)
	if err != nil {
		return t, err
	}
	t.Imported = time.UnixMilli(imported)
	if err := json.Unmarshal([]byte(nodes), &t.Nodes); err != nil {
		return t, failure.New(failure.Corrupt, "read the nodes of trace", t.Name, err)
	}
	return t, nil
}

// List returns all traces, sorted by name.
func (d *DB) List(ctx context.Context) ([]Trace, error) {
	rows, err := d.sql.QueryContext(ctx, "SELECT "+columns+" FROM traces ORDER BY name")
	if err != nil {
		return nil, d.fail("list traces", err)
	}
	defer rows.Close()
	var list []Trace
	for rows.Next() {
		t, err := scan(rows)
		if err != nil {
			return nil, d.fail("list traces", err)
		}
		list = append(list, t)
	}
	if err := rows.Err(); err != nil {
		return nil, d.fail("list traces", err)
	}
	return list, nil
}

// Find returns the named trace. If the name is unknown, the error is of kind NotFound.
func (d *DB) Find(ctx context.Context, name string) (Trace, error) {
	t, err := scan(d.sql.QueryRowContext(ctx, "SELECT "+columns+" FROM traces WHERE name = ?", name))
	if errors.Is(err, sql.ErrNoRows) {
		return t, failure.New(failure.NotFound, "find trace", name,
			errors.New(d.path+" does not contain the trace")).Fix("howdah sim list --db " + d.path + " lists all traces")
	}
	if err != nil {
		return t, d.fail("find trace", err)
	}
	return t, nil
}

// Delete removes the named trace and its jobs.
func (d *DB) Delete(ctx context.Context, name string) error {
	t, err := d.Find(ctx, name)
	if err != nil {
		return err
	}
	if _, err := d.sql.ExecContext(ctx, "DELETE FROM traces WHERE id = ?", t.id); err != nil {
		return d.fail("delete trace", err)
	}
	return nil
}

// Jobs returns a source that reads the trace's jobs on demand, in submission order.
func (d *DB) Jobs(ctx context.Context, t Trace) trace.Source { return &stored{d, ctx, t, 0} }

type stored struct {
	db  *DB
	ctx context.Context
	t   Trace
	seq int
}

func (s *stored) Next() (*trace.Job, error) {
	if s.seq >= s.t.Jobs {
		return nil, io.EOF
	}
	var packed []byte
	err := s.db.sql.QueryRowContext(s.ctx, "SELECT tasks FROM jobs JOIN tasks ON tasks.job = jobs.id WHERE trace = ? "+
		"AND seq = ?", s.t.id, s.seq).Scan(&packed)
	if errors.Is(err, sql.ErrNoRows) {
		if now, err := s.db.Find(s.ctx, s.t.Name); err == nil && now.id == s.t.id {
			return nil, s.damaged(fmt.Errorf("job %d is missing", s.seq))
		}
		return nil, failure.New(failure.Stale, "read trace", s.t.Name,
			errors.New("the trace was replaced while it was being read")).Fix("try again")
	}
	if err != nil {
		return nil, s.db.fail("read trace", err)
	}
	s.seq++
	line, err := decoder().DecodeAll(packed, nil)
	if err != nil {
		return nil, s.damaged(err)
	}
	j, err := codec.ReadJob(bytes.TrimSpace(line))
	if err != nil {
		return nil, s.damaged(err)
	}
	return j, nil
}

func (s *stored) damaged(err error) error {
	return failure.New(failure.Corrupt, "read trace "+s.t.Name+" in", s.db.path, err).
		Fix("import the trace again with --replace; other traces in the file can be intact")
}
