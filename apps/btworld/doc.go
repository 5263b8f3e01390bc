// Package btworld asks the queries of BTWorld, which looked into the global BitTorrent network: a workflow of 14 queries, in 21 jobs
// that depend on each other (btworld), two of its queries alone (btworld-tt, btworld-ah), and a generator of data
// (btworld-generate), as the data set is not published.
//
// A line of input is a scrape, what a tracker said about one swarm: hash of the content, URL of the tracker, time
// (20091201T073012, UTC), seeders, leechers and downloads, separated by blanks or tabs. A swarm is a hash at a tracker. A moment is a
// stretch of time, an hour unless -group says otherwise, written as its first second. Sessions are seeders and leechers together. Lines
// that are no scrapes are counted (BTWorld:DAMAGED_SCRAPES) and left out.
//
// # The queries
//
// The Fawkes paper (Ghit et al., Balanced Resource Allocations Across Multiple Dynamic MapReduce Clusters, section 5.2.2) describes
// TrackerOverTime and ActiveHashes and says of the whole that it has 14 queries in more than 20 jobs, with joins, aggregations,
// filters and projections. The other names are those of publications on BTWorld; what exactly they compute is our reading, and
// SwarmOverTime is a name of ours. Lines have these columns, separated by tabs:
//
//	TrackerOverTime     tracker, moment, scrapes, seeders, leechers, downloads, sessions of a scrape on average: sums over the
//	                    scrapes of each tracker and moment. A tracker's lines are in one file in order of time.
//	ActiveTrackers      moment, trackers: how many lines TrackerOverTime has for it.
//	SwarmOverTime       hash, tracker, moment, scrapes, sessions: sums over the scrapes of each swarm and moment.
//	ActiveSwarms        moment, swarms: how many swarms had a scrape with at least one session (two jobs: distinct, count).
//	ActiveHashes        moment, hashes: how many hashes were in a scrape, whoever was there (two jobs: distinct, count).
//	TopKTrackersLocal   moment, rank, sessions, tracker: the -top trackers by TrackerOverTime of each moment.
//	TopKTrackersGlobal  rank, sessions, tracker: the -top trackers by their best moment in TopKTrackersLocal (two jobs).
//	TopKSwarmsLocal     moment, rank, sessions, hash, tracker: the same for swarms, by SwarmOverTime.
//	TopKSwarmsGlobal    rank, sessions, hash, tracker (two jobs).
//	TopKHashesLocal     moment, rank, sessions, hash: the same for hashes, whose sessions are those of all their swarms (two jobs).
//	TopKHashesGlobal    rank, sessions, hash (two jobs).
//	JoinTopKTrackers    tracker, hash, birth, death: the first and the last moment of each swarm of a tracker of TopKTrackersGlobal
//	                    (two jobs: join with the scrapes, least and greatest).
//	NewbornSwarms       tracker, moment, swarms: how many of JoinTopKTrackers were born then.
//	DeadSwarms          tracker, moment, swarms: how many died.
//
// Of equals in a ranking the one whose name is first by its bytes is first. Each query's output is the directory of its name below
// the output; what is between the jobs of a query is removed as soon as it has been read. A query starts when all that it reads is
// there; when one fails, those that do not need it go on.
//
// # Sizes
//
// Table 1 of the paper has TrackerOverTime make 3.9 MB and ActiveHashes 90 kB of 100 GB. The generator's defaults come near that at
// any size, as output grows with the hours that input covers: 256,000 scrapes an hour of 12 trackers, one in twenty of which is
// down. Measured selectivities, output by input in bytes, of the first four hours (102 MB) and of forty (1.02 GB):
//
//	                            paper    0.1 GB   1 GB
//	TrackerOverTime             3.9e-5   3.6e-5   3.7e-5
//	ActiveHashes                9.0e-7   9.0e-7   9.0e-7
//	its first job in records    1        0.96     0.96
//	its first job in bytes               0.55     0.55
//
// What is shuffled, by input in bytes, is 4e-5 in TrackerOverTime, whose maps do nearly everything: their combiner leaves one record
// for each tracker and moment of a split. It is 0.58 in the first job of ActiveHashes, which the paper calls disk-intensive, and 2e-6
// in the second.
package btworld
