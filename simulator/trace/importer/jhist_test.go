package importer

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/twmb/avro"

	"github.com/howdah/howdah/internal/golden"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/simulator/trace"
)

// wantSmall is the content of testdata/small.jhist. The file contains a small job that ran in its
// application master, which was started twice. It also contains a missing start, two events in one
// line, unknown events, and a truncated end.
var wantSmall = &trace.Job{
	ID: "job_1500000000000_0003", Name: "uber count", User: "eve", Queue: "etl", Submit: 1500000000000,
	Launch: 1500000002000, Finish: 1500000012500, State: job.Succeeded,
	Maps: []trace.Map{
		{Time: 2000, Start: 1500000005000, Host: "n2", Hosts: []string{"n1", "n2"}, Input: 4711},
		{Time: 1500, Start: 1500000007500, Host: "n1"},
	},
	Reduces: []trace.Reduce{{Shuffle: 1000, Time: 1500, Start: 1500000009500, Host: "n1"}},
}

func TestAvroJSON(t *testing.T) {
	tr, err := Read([]string{"testdata/small.jhist"}, Options{})
	require.NoError(t, err)
	require.Equal(t, []*trace.Job{wantSmall}, tr.Jobs)
	require.Equal(t, []trace.Node{{Host: "n1", Rack: "/default-rack"}, {Host: "n2", Rack: "/default-rack"}}, tr.Nodes)
	require.Len(t, tr.Damage, 2)
	require.EqualValues(t, 17, tr.Damage[0].Line)
	require.EqualValues(t, 19, tr.Damage[1].Line)
}

// schema is part of Hadoop's schema.
const schema = `{"type":"record","name":"Event","namespace":"org.apache.hadoop.mapreduce.jobhistory","fields":[
 {"name":"type","type":{"type":"enum","name":"EventType","symbols":["JOB_SUBMITTED","JOB_INITED","JOB_FINISHED",` +
	`"MAP_ATTEMPT_STARTED","MAP_ATTEMPT_FINISHED"]}},
 {"name":"event","type":[
  {"type":"record","name":"JobSubmitted","fields":[{"name":"jobid","type":"string"},{"name":"userName",` +
	`"type":["null","string"],"default":null},{"name":"submitTime","type":"long"}]},
  {"type":"record","name":"JobInited","fields":[{"name":"jobid","type":"string"},{"name":"totalMaps","type":"int"}]},
  {"type":"record","name":"TaskAttemptStarted","fields":[{"name":"taskid","type":"string"},{"name":"taskType",` +
	`"type":"string"},{"name":"attemptId","type":"string"},{"name":"startTime","type":"long"}]},
  {"type":"record","name":"MapAttemptFinished","fields":[{"name":"attemptId","type":"string"},{"name":"taskType",` +
	`"type":"string"},{"name":"finishTime","type":"long"},{"name":"hostname","type":"string"},
   {"name":"counters","type":{"type":"record","name":"JhCounters","fields":[{"name":"name","type":"string"},` +
	`{"name":"groups","type":{"type":"array","items":{"type":"record","name":"JhCounterGroup","fields":[
     {"name":"name","type":"string"},{"name":"counts","type":{"type":"array","items":{"type":"record",` +
	`"name":"JhCounter","fields":[{"name":"name","type":"string"},{"name":"value","type":"long"}]}}}]}}}]}},
   {"name":"clockSplits","type":{"type":"array","items":"int"}}]},
  {"type":"record","name":"JobFinished","fields":[{"name":"jobid","type":"string"},{"name":"finishTime",` +
	`"type":"long"},{"name":"totalCounters","type":"JhCounters"}]}]}]}`

// binaryHistory encodes events the way Hadoop does.
func binaryHistory(t testing.TB) []byte {
	s, err := avro.Parse(schema)
	require.NoError(t, err)
	var b bytes.Buffer
	var compact bytes.Buffer
	require.NoError(t, json.Compact(&compact, []byte(schema)))
	b.WriteString("Avro-Binary\n" + compact.String() + "\n")
	event := func(kind, record string, fields map[string]any) {
		record = "org.apache.hadoop.mapreduce.jobhistory." + record
		text, err := s.Encode(map[string]any{"type": kind, "event": map[string]any{record: fields}})
		require.NoError(t, err)
		b.Write(text)
	}
	counters := map[string]any{"name": "COUNTERS",
		"groups": []any{map[string]any{"name": "fs",
			"counts": []any{map[string]any{"name": "HDFS_BYTES_READ", "value": int64(4711)}}}}}
	user := "eve"
	event("JOB_SUBMITTED", "JobSubmitted", map[string]any{"jobid": "job_15_0003", "userName": &user,
		"submitTime": int64(1000)})
	event("JOB_INITED", "JobInited", map[string]any{"jobid": "job_15_0003", "totalMaps": 1})
	event("MAP_ATTEMPT_STARTED", "TaskAttemptStarted", map[string]any{"taskid": "task_15_0003_m_000000", "taskType": "MAP",
		"attemptId": "attempt_15_0003_m_000000_0", "startTime": int64(2000)})
	event("MAP_ATTEMPT_FINISHED", "MapAttemptFinished", map[string]any{"attemptId": "attempt_15_0003_m_000000_0",
		"taskType": "MAP", "finishTime": int64(5000), "hostname": "n1", "counters": counters, "clockSplits": []int{1, 2}})
	event("JOB_FINISHED", "JobFinished", map[string]any{"jobid": "job_15_0003", "finishTime": int64(6000),
		"totalCounters": counters})
	return b.Bytes()
}

func TestAvroBinary(t *testing.T) {
	b := binaryHistory(t)
	tr := readString(t, string(b))
	require.Empty(t, tr.Damage)
	require.Equal(t, []*trace.Job{{ID: "job_15_0003", User: "eve", Queue: "default", Submit: 1000, Finish: 6000,
		State: job.Succeeded,
		Maps:  []trace.Map{{Time: 3000, Start: 2000, Host: "n1", Input: 4711}}}}, tr.Jobs)
	if *golden.Rewrite {
		require.NoError(t, os.WriteFile(filepath.Join("testdata", "binary.jhist"), b, 0o644))
	}

	// A truncated file yields its readable part.
	torn := readString(t, string(b[:len(b)-10]))
	require.Len(t, torn.Damage, 1)
	require.Equal(t, int64(5000), torn.Jobs[0].Maps[0].Start+torn.Jobs[0].Maps[0].Time)
}

// A file with a malicious schema is not readable.
func TestHostileSchema(t *testing.T) {
	im, err := OpenStream("x", strings.NewReader("Avro-Binary\n\"string\"\n\x02"), Options{})
	require.Error(t, err)
	require.Nil(t, im)
}
