package db

import (
	"context"
	"database/sql"
	"strconv"
	"time"

	"github.com/howdah/howdah/simulator/trace"
)

// AddRun stores the result of a simulation.
func (d *DB) AddRun(ctx context.Context, name string, started time.Time, wall time.Duration, r *trace.Result) error {
	return d.write(ctx, "store run", func(tx *sql.Tx) error {
		res, err := tx.ExecContext(ctx, `INSERT INTO runs (trace, started_ms, model, scheduler, nodes, seed, events, `+
			`wall_s, makespan_ms, hash)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, name, started.UnixMilli(), r.Model, r.Scheduler, r.Nodes,
			strconv.FormatUint(r.Seed, 10), r.Events, wall.Seconds(), r.Makespan, r.Hash)
		if err != nil {
			return err
		}
		id, err := res.LastInsertId()
		if err != nil {
			return err
		}
		insert, err := tx.PrepareContext(ctx, "INSERT INTO results (run, seq, job, name, submit_ms, start_ms, finish_ms, "+
			"deadline_ms, failed) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)")
		if err != nil {
			return err
		}
		defer insert.Close()
		for i := range r.Jobs {
			j := &r.Jobs[i]
			if _, err := insert.ExecContext(ctx, id, i, j.ID, j.Name, j.Submit, j.Start, j.Finish, j.Deadline,
				j.Failed); err != nil {
				return err
			}
		}
		return nil
	})
}

// Run is a stored simulation.
type Run struct {
	ID        int64
	Trace     string
	Started   time.Time
	Model     string
	Scheduler string
	Nodes     int
	Seed      string
	Makespan  int64 // ms
	Jobs      int
	Missed    int // number of missed deadlines
}

// Runs returns the simulations of a trace, or of all traces if name is "", oldest first.
func (d *DB) Runs(ctx context.Context, name string) ([]Run, error) {
	rows, err := d.sql.QueryContext(ctx, `SELECT id, trace, started_ms, model, scheduler, nodes, seed, makespan_ms,
		(SELECT count(*) FROM results WHERE run = runs.id), (SELECT count(*) FROM results WHERE run = runs.id AND `+
		`deadline_ms > 0 AND finish_ms > deadline_ms)
		FROM runs WHERE ?1 = '' OR trace = ?1 ORDER BY id`, name)
	if err != nil {
		return nil, d.fail("list runs", err)
	}
	defer rows.Close()
	list := []Run{}
	for rows.Next() {
		var r Run
		var started int64
		if err := rows.Scan(&r.ID, &r.Trace, &started, &r.Model, &r.Scheduler, &r.Nodes, &r.Seed, &r.Makespan, &r.Jobs,
			&r.Missed); err != nil {
			return nil, d.fail("list runs", err)
		}
		r.Started = time.UnixMilli(started)
		list = append(list, r)
	}
	if err := rows.Err(); err != nil {
		return nil, d.fail("list runs", err)
	}
	return list, nil
}
