package db

// migrations are the statements that upgrade the schema, one version each. Append new statements
// only at the end because SQLite's user_version counts the statements already applied to a file.
// docs/reference/simulator.md describes the tables.
var migrations = []string{
	`CREATE TABLE traces (
		id           INTEGER PRIMARY KEY AUTOINCREMENT, -- never used again, so that who reads a trace notices its replacement
		name         TEXT NOT NULL UNIQUE,
		origin       TEXT NOT NULL,           -- classic, jhist, rumen, swim, journal, simulation, export, generated
		imported_ms  INTEGER NOT NULL,        -- when it was stored
		map_slots    INTEGER NOT NULL,        -- of the recorded cluster, 0 = not known
		reduce_slots INTEGER NOT NULL,
		nodes        TEXT NOT NULL,           -- JSON: [{"Host":..., "Rack":...}]
		damaged      INTEGER NOT NULL,        -- places of the input that were left out
		jobs         INTEGER NOT NULL,
		maps         INTEGER NOT NULL,
		reduces      INTEGER NOT NULL,
		first_ms     INTEGER NOT NULL,        -- first and last submission
		last_ms      INTEGER NOT NULL
	);
	CREATE TABLE jobs (
		id          INTEGER PRIMARY KEY,
		trace       INTEGER NOT NULL REFERENCES traces(id) ON DELETE CASCADE,
		seq         INTEGER NOT NULL,         -- order of submission, from 0
		job         TEXT NOT NULL,            -- as recorded
		name        TEXT NOT NULL,
		user        TEXT NOT NULL,
		queue       TEXT NOT NULL,
		state       TEXT NOT NULL,            -- SUCCEEDED, FAILED, KILLED, RUNNING, PREP
		submit_ms   INTEGER NOT NULL,
		finish_ms   INTEGER NOT NULL,         -- 0 = not known
		deadline_ms INTEGER NOT NULL,         -- 0 = none
		skewed      INTEGER NOT NULL,         -- 1 = its clocks contradict each other
		maps        INTEGER NOT NULL,
		reduces     INTEGER NOT NULL,
		UNIQUE (trace, seq)
	);
	CREATE TABLE tasks (
		job   INTEGER PRIMARY KEY REFERENCES jobs(id) ON DELETE CASCADE,
		tasks BLOB NOT NULL                   -- the job with its tasks: a line of an exported trace, compressed by zstd
	);
	CREATE TABLE profiles (
		job       INTEGER NOT NULL REFERENCES jobs(id) ON DELETE CASCADE,
		phase     TEXT NOT NULL,              -- map, first shuffle, typical shuffle, reduce
		tasks     INTEGER NOT NULL,
		mean_ms   REAL NOT NULL,
		deviation REAL NOT NULL,
		median_ms REAL NOT NULL,
		p95_ms    REAL NOT NULL,
		max_ms    REAL NOT NULL,
		PRIMARY KEY (job, phase)
	);
	CREATE TABLE runs (
		id          INTEGER PRIMARY KEY,
		trace       TEXT NOT NULL,            -- name or file
		started_ms  INTEGER NOT NULL,
		model       TEXT NOT NULL,            -- heartbeat, task, mumak
		scheduler   TEXT NOT NULL,
		nodes       INTEGER NOT NULL,
		seed        TEXT NOT NULL,            -- decimal; SQLite's integers are too short
		events      INTEGER NOT NULL,
		wall_s      REAL NOT NULL,
		makespan_ms INTEGER NOT NULL,
		hash        TEXT NOT NULL             -- of the journal
	);
	CREATE TABLE results (
		run         INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE,
		seq         INTEGER NOT NULL,
		job         TEXT NOT NULL,
		name        TEXT NOT NULL,
		submit_ms   INTEGER NOT NULL,
		start_ms    INTEGER NOT NULL,
		finish_ms   INTEGER NOT NULL,
		deadline_ms INTEGER NOT NULL,
		failed      INTEGER NOT NULL,
		PRIMARY KEY (run, seq)
	);`,
}
