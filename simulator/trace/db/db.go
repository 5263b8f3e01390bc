// Package db keeps traces, their profiles, and what simulations of them came to, in one SQLite file (SIM section III-A calls it
// the trace database). Several processes may use a file at once: readers see whole traces only, and writers wait for each
// other.
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

// DB is an open trace database. Its methods may be called from several goroutines.
type DB struct {
	path string
	sql  *sql.DB
}

// Open opens a database; with create set it makes the file if there is none. A file that a newer version of the program has made is
// refused with kind Config, one that is no database with kind Corrupt.
func Open(ctx context.Context, path string, create bool) (*DB, error) {
	if !create {
		if _, err := os.Stat(path); err != nil {
			return nil, failure.New(failure.KindOf(err), "open trace database", path, err).Fix("howdah sim import FILE --db " + path + " makes one")
		}
	}
	// A writer takes its lock at the beginning of the transaction (immediate), so that two of them wait instead of failing in
	// the middle; the timeout bounds how long.
	q := url.Values{"_pragma": {fmt.Sprintf("busy_timeout(%d)", patience.Milliseconds()), "journal_mode(WAL)", "foreign_keys(1)", "synchronous(NORMAL)"}, "_txlock": {"immediate"}}
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
		// Of two processes that open a new file at once one is refused, not made to wait: both turn its log (WAL) on.
		if !busy(err) || !time.Now().Before(end) || lifecycle.Sleep(ctx, pause) != nil {
			s.Close()
			return nil, err
		}
	}
}

// A database that other processes use is waited for.
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

// migrate brings the schema up to date.
func (d *DB) migrate(ctx context.Context) error {
	version := 0
	if err := d.sql.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
		return d.fail("open trace database", err)
	}
	if version == len(migrations) {
		return nil
	}
	return d.write(ctx, "upgrade trace database", func(tx *sql.Tx) error {
		// Another process may have done it meanwhile.
		if err := tx.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
			return err
		}
		if version > len(migrations) {
			return failure.New(failure.Config, "open trace database", d.path, fmt.Errorf("its version %d is newer than this program's %d", version, len(migrations))).
				Fix("use the newer howdah, or another file")
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

// fail gives an error its kind, unless it has one.
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

// SQLite's codes for files that are in use, broken or something else.
const (
	sqliteBusy    = 5
	sqliteCorrupt = 11
	sqliteNotADB  = 26
)
