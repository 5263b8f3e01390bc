// Package btworld implements the queries of BTWorld, a project that observed the global BitTorrent
// network. App is a workflow of 14 queries in 21 jobs that depend on one another. TrackerOverTime
// and ActiveHashes run one query each. Generate generates data because the data set has not been
// published.
//
// A line of input is a scrape, which is a tracker's answer about one swarm. Its fields, separated
// by spaces or tabs, are the content hash, tracker URL, time (20091201T073012, UTC), seeders,
// leechers, and downloads. A swarm is a hash at a tracker. A moment is a period of time, written as
// its first second. It is an hour long unless -group sets another length. Sessions are seeders and
// leechers together. Jobs that read scrapes skip all other lines and count the nonempty ones
// (BTWorld:DAMAGED_SCRAPES).
//
// # The queries
//
// The Fawkes paper (Ghit et al., Balanced Resource Allocations Across Multiple Dynamic MapReduce
// Clusters, section 5.2.2) describes TrackerOverTime and ActiveHashes. According to the paper, the
// workflow has 14 queries in more than 20 jobs, with joins, aggregations, filters, and projections.
// The names of the other queries are from publications on BTWorld, except SwarmOverTime, which is
// our own. The exact definitions of these queries are our interpretation. Lines have these
// tab-separated columns:
//
//	TrackerOverTime     tracker, moment, scrapes, seeders, leechers, downloads, mean sessions of a
//	                    scrape: sums over the scrapes of each tracker and moment. A tracker's lines
//	                    are in one file in chronological order.
//	ActiveTrackers      moment, trackers: the number of lines in TrackerOverTime for the moment.
//	SwarmOverTime       hash, tracker, moment, scrapes, sessions: sums over the scrapes of each swarm
//	                    and moment.
//	ActiveSwarms        moment, swarms: the number of swarms with at least one session in a scrape
//	                    (two jobs: distinct, count).
//	ActiveHashes        moment, hashes: the number of hashes in any scrape (two jobs: distinct,
//	                    count).
//	TopKTrackersLocal   moment, rank, sessions, tracker: each moment's -top trackers by sessions in
//	                    TrackerOverTime.
//	TopKTrackersGlobal  rank, sessions, tracker: the -top trackers by their best moment in
//	                    TopKTrackersLocal (two jobs).
//	TopKSwarmsLocal     moment, rank, sessions, hash, tracker: the same for swarms, by SwarmOverTime.
//	TopKSwarmsGlobal    rank, sessions, hash, tracker (two jobs).
//	TopKHashesLocal     moment, rank, sessions, hash: the same for hashes. A hash has the sessions of
//	                    all its swarms (two jobs).
//	TopKHashesGlobal    rank, sessions, hash (two jobs).
//	JoinTopKTrackers    tracker, hash, birth, death: each swarm's first and last moment, for the
//	                    trackers in TopKTrackersGlobal (two jobs: join with the scrapes, first and
//	                    last).
//	NewbornSwarms       tracker, moment, swarms: the number of births in JoinTopKTrackers.
//	DeadSwarms          tracker, moment, swarms: the number of deaths in JoinTopKTrackers.
//
// Entries with equal sessions are ordered by the bytes of their names. In the workflow, each query
// writes to a directory with the query's name below the output directory. A query waits until all
// its inputs exist. The workflow removes a job's intermediate output as soon as it has been read.
// If a query fails, queries that do not depend on it continue to run.
//
// # Sizes
//
// According to Table 1 of the paper, 100 GB of input yields 3.9 MB in TrackerOverTime and 90 kB in
// ActiveHashes. Input and output both grow with the number of hours, so the generator's defaults
// approximate these ratios at any size. The defaults are 256,000 scrapes per hour from 12 trackers,
// with about one tracker in twenty down. This table compares the paper's selectivities (output
// divided by input in bytes) with those measured for the first four hours (102 MB) and the first
// forty hours (1.02 GB):
//
//	                            paper    0.1 GB   1 GB
//	TrackerOverTime             3.9e-5   3.6e-5   3.7e-5
//	ActiveHashes                9.0e-7   9.0e-7   9.0e-7
//	its first job in records    1        0.96     0.96
//	its first job in bytes               0.55     0.55
//
// The shuffle, divided by the input in bytes, is 4e-5 in TrackerOverTime. The maps do nearly all
// the work in that query because the combiner leaves one record for each tracker and moment in a
// split. The ratio is 0.58 in the first job of ActiveHashes, which the paper calls disk-intensive,
// and 2e-6 in the second.
package btworld
