package btworld

import (
	"strconv"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/mapreduce"
)

// query is a query of the workflow. Its jobs run one after another, and the last one writes the
// query's output.
type query struct {
	name string
	from string // query whose output the first job reads; "" means the scrapes
	with string // query whose output the first job joins with the scrapes; "" means none
	jobs []*mapreduce.Job
}

// The names of the queries and of their output directories.
const (
	trackerOverTime   = "TrackerOverTime"
	activeTrackers    = "ActiveTrackers"
	swarmOverTime     = "SwarmOverTime"
	activeSwarms      = "ActiveSwarms"
	activeHashes      = "ActiveHashes"
	topTrackersLocal  = "TopKTrackersLocal"
	topTrackersGlobal = "TopKTrackersGlobal"
	topSwarmsLocal    = "TopKSwarmsLocal"
	topSwarmsGlobal   = "TopKSwarmsGlobal"
	topHashesLocal    = "TopKHashesLocal"
	topHashesGlobal   = "TopKHashesGlobal"
	joinTopTrackers   = "JoinTopKTrackers"
	newbornSwarms     = "NewbornSwarms"
	deadSwarms        = "DeadSwarms"
)

// workflow returns all queries. Each query comes after the queries on which it depends.
func workflow() []query {
	all := []query{
		{name: trackerOverTime, jobs: jobs(trackerJob())},
		{name: activeTrackers, from: trackerOverTime, jobs: jobs(countMoments(trackerColumns, trackerMoment))},
		{name: swarmOverTime, jobs: jobs(swarmJob())},
		{name: activeSwarms, jobs: jobs(inhabitedSwarms(), countMoments(inhabitedColumns, inhabitedMoment))},
		{name: activeHashes, jobs: jobs(hashesAtMoments(), countMoments(hashColumns, hashMoment))},
		{name: topTrackersLocal, from: trackerOverTime, jobs: jobs(topTrackersAtMoments())},
		{name: topTrackersGlobal, from: topTrackersLocal, jobs: jobs(most(1), topOfAll(1))},
		{name: topSwarmsLocal, from: swarmOverTime, jobs: jobs(topSwarmsAtMoments())},
		{name: topSwarmsGlobal, from: topSwarmsLocal, jobs: jobs(most(2), topOfAll(2))},
		{name: topHashesLocal, from: swarmOverTime, jobs: jobs(sessionsOfHashes(), topHashesAtMoments())},
		{name: topHashesGlobal, from: topHashesLocal, jobs: jobs(most(1), topOfAll(1))},
		{name: joinTopTrackers, with: topTrackersGlobal, jobs: jobs(joinTrackers(), lives())},
		{name: newbornSwarms, from: joinTopTrackers, jobs: jobs(countSwarms(lifeBirth))},
		{name: deadSwarms, from: joinTopTrackers, jobs: jobs(countSwarms(lifeDeath))},
	}
	for _, q := range all {
		name(q.jobs, "btworld-"+q.name)
	}
	return all
}

// jobs sets the formats that the jobs need, overriding the user's settings, and returns the jobs.
func jobs(all ...*mapreduce.Job) []*mapreduce.Job {
	for _, j := range all {
		if j.Input == nil {
			j.Input = mapreduce.TextInput{}
		}
		j.Output = mapreduce.TextOutput{}
	}
	return all
}

// name sets the names of a query's jobs. A single job's name is prefix. Several jobs are called
// prefix followed by "-1", "-2", and so on.
func name(all []*mapreduce.Job, prefix string) {
	for i, j := range all {
		if j.Name = prefix; len(all) > 1 {
			j.Name += "-" + strconv.Itoa(i+1)
		}
	}
}

// folding returns a job that applies f to the output of mapper.
func folding(mapper mapreduce.MapperClass, f fold) *mapreduce.Job {
	return &mapreduce.Job{Mapper: mapper, Combiner: f.combiner(), Reducer: f.reducer()}
}

// byFirstField sets the partitioner of j so that all keys with the same first field are in one part
// of the output. It returns j.
func byFirstField(j *mapreduce.Job) *mapreduce.Job {
	j.Partitioner = mapreduce.FieldPartition
	j.Conf = map[string]string{conf.PartitionKeyPartitionerOptions.Name: "-k1,1", conf.NumKeyFieldsForPartition.Name: "",
		conf.MapOutputKeyFieldSeparator.Name: "\t"}
	return j
}
