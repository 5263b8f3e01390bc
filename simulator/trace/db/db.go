// Package db stores traces, their profiles, and simulation results in a single SQLite file (the
// trace database of SIM section III-A). Several processes may use a file concurrently. Readers see
// only complete traces, and writers wait for each other.
package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"time"

	_ "modernc.org/sqlite" // the driver

	"github.com/howdah/howdah/internal/lifecycle"
	"github.com/howdah/howdah/job/failure"
)

// DB is an open trace database. It is safe for concurrent use.
type DB struct {
	path string
	sql  *sql.DB
}

// Open opens a database. If create is set, it creates a missing file. It returns an error of kind
// Config for a file from a newer version of the program. It returns an error of kind Corrupt for a
// file that is not a database.
func Open(ctx context.Context, path string, create bool) (*DB, error) {
	if !create {
		info, err := os.Stat(path)
		if err != nil {
			return nil, failure.New(failure.KindOf(err), "open trace database", path,
				err).Fix("howdah sim import FILE --db " + path + " creates one")
		}
		if info.Size() == 0 { // SQLite would mistake it for a new database
			return nil, failure.New(failure.Corrupt, "open trace database", path, errors.New("the file is empty")).
				Fix("restore it from a copy, or import the traces again")
		}
	}
	// Transactions are immediate. A writer takes its lock at the start, so a second writer waits
	// instead of failing midway. The timeout limits the wait.
	q := url.Values{"_pragma": {fmt.Sprintf("busy_timeout(%d)", patience.Milliseconds()), "journal_mode(WAL)",
		"foreign_keys(1)", "synchronous(FULL)"}, "_txlock": {"immediate"}}
	s, err := sql.Open("sqlite", (&url.URL{Scheme: "file", OmitHost: true, Path: path, RawQuery: q.Encode()}).String())
	if err != nil {
		return nil, failure.New(failure.IO, "open trace database", path, err)
	}
	d := &DB{path, s}
	for end := time.Now().Add(patience); ; {
		err := d.migrate(ctx)
		if err == nil {
			return d, nil
		}
		// When two processes open a new file simultaneously, both enable its write-ahead log (WAL).
		// One of them then gets an error instead of waiting.
		if !busy(err) || !time.Now().Before(end) || lifecycle.Sleep(ctx, pause) != nil {
			s.Close()
			return nil, err
		}
	}
}

// patience limits the wait for a database that other processes use. pause is the time between two
// attempts.
const (
	patience = time.Minute
	pause    = 10 * time.Millisecond
)

func busy(err error) bool {
	var coded interface{ Code() int }
	return errors.As(err, &coded) && coded.Code()&0xff == sqliteBusy
}

// Close closes the database.
func (d *DB) Close() error { return d.sql.Close() }

// migrate upgrades the schema to the current version.
func (d *DB) migrate(ctx context.Context) error {
	version := 0
	if err := d.sql.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
		return d.fail("open trace database", err)
	}
	if version == len(migrations) {
		return nil
	}
	return d.write(ctx, "upgrade trace database", func(tx *sql.Tx) error {
		// Another process may have upgraded the schema in the meantime.
		if err := tx.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
			return err
		}
		if version > len(migrations) {
			return failure.New(failure.Config, "open trace database", d.path,
				fmt.Errorf("the database has version %d, but this program supports at most %d", version, len(migrations))).
				Fix("use the newer howdah, or choose another file")
		}
		for _, statement := range migrations[version:] {
			if _, err := tx.ExecContext(ctx, statement); err != nil {
				return err
			}
		}
		_, err := tx.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version = %d", len(migrations)))
		return err
	})
}

// write runs f in a transaction.
func (d *DB) write(ctx context.Context, op string, f func(*sql.Tx) error) error {
	tx, err := d.sql.BeginTx(ctx, nil)
	if err != nil {
		return d.fail(op, err)
	}
	if err := f(tx); err != nil {
		if ctx.Err() != nil {
			return errors.Join(context.Cause(ctx), ignoreDone(tx.Rollback()))
		}
		return d.fail(op, errors.Join(err, ignoreDone(tx.Rollback())))
	}
	if err := tx.Commit(); err != nil {
		return d.fail(op, err)
	}
	return nil
}

func ignoreDone(err error) error {
	if errors.Is(err, sql.ErrTxDone) {
		return nil
	}
	return err
}

// fail classifies err by adding a failure kind, unless err already has one or comes from a context.
func (d *DB) fail(op string, err error) error {
	var told *failure.Error
	if errors.As(err, &told) {
		return told
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	kind := failure.IO
	var coded interface{ Code() int }
	if errors.As(err, &coded) && (coded.Code()&0xff == sqliteCorrupt || coded.Code()&0xff == sqliteNotADB) {
		kind = failure.Corrupt
	}
	return failure.New(kind, op, d.path, err)
}

// SQLite's error codes for files that are in use, are corrupt, or are not databases.
const (
	sqliteBusy    = 5
	sqliteCorrupt = 11
	sqliteNotADB  = 26
)
