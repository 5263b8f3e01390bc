package hadoop

import (
	"fmt"
	"strings"
	"sync"

	"github.com/howdah/howdah/job"
)

// namespace is the namespace of the records in a .jhist file.
const namespace = "org.apache.hadoop.mapreduce.jobhistory"

// avroRecord describes a record type of a .jhist file: its name and its fields in order. The fields
// abbreviate Avro's types: "?t" is the union of null and t, "[t]" is an array, and "{t}" is a map.
type avroRecord struct {
	name   string
	fields []avroField
}

type avroField struct{ name, typ string }

// fields parses a list of fields in the form "name:type name:type".
func fields(text string) []avroField {
	var out []avroField
	for _, f := range strings.Fields(text) {
		name, typ, _ := strings.Cut(f, ":")
		out = append(out, avroField{name, typ})
	}
	return out
}

// samples declares the sample arrays in the end records of attempts. Howdah collects no samples and
// leaves the arrays empty.
const samples = " clockSplits:[int] cpuUsages:[int] vMemKbytes:[int] physMemKbytes:[int]"

// The record types that this package writes, as Hadoop's readers define them
// (hadoop-mapreduce-client-core 3.4.2, Event and its contents). Readers match fields by name, so
// these types can omit fields of Hadoop's definitions.
var (
	counterRecord  = avroRecord{"JhCounter", fields("name:string displayName:string value:long")}
	groupRecord    = avroRecord{"JhCounterGroup", fields("name:string displayName:string counts:[JhCounter]")}
	countersRecord = avroRecord{"JhCounters", fields("name:string groups:[JhCounterGroup]")}

	amStarted = avroRecord{"AMStarted",
		fields("applicationAttemptId:string startTime:long containerId:string nodeManagerHost:string nodeManagerPort:int " +
			"nodeManagerHttpPort:int")}
	jobSubmitted = avroRecord{"JobSubmitted",
		fields("jobid:string jobName:string userName:string submitTime:long jobConfPath:string acls:{string} " +
			"jobQueueName:string")}
	jobInited = avroRecord{"JobInited",
		fields("jobid:string launchTime:long totalMaps:int totalReduces:int jobStatus:string uberized:boolean")}
	jobPriority = avroRecord{"JobPriorityChange", fields("jobid:string priority:string")}
	jobQueue    = avroRecord{"JobQueueChange", fields("jobid:string jobQueueName:string")}
	jobFinished = avroRecord{"JobFinished",
		fields("jobid:string finishTime:long finishedMaps:int finishedReduces:int failedMaps:int failedReduces:int" +
			" totalCounters:JhCounters mapCounters:JhCounters reduceCounters:JhCounters killedMaps:int killedReduces:int")}
	jobUnsuccessful = avroRecord{"JobUnsuccessfulCompletion",
		fields("jobid:string finishTime:long finishedMaps:int finishedReduces:int jobStatus:string" +
			" diagnostics:?string failedMaps:int failedReduces:int killedMaps:int killedReduces:int")}
	taskStarted  = avroRecord{"TaskStarted", fields("taskid:string taskType:string startTime:long splitLocations:string")}
	taskFinished = avroRecord{"TaskFinished",
		fields("taskid:string taskType:string finishTime:long status:string counters:JhCounters successfulAttemptId:?string")}
	taskFailed = avroRecord{"TaskFailed",
		fields("taskid:string taskType:string finishTime:long error:string failedDueToAttempt:?string status:string" +
			" counters:?JhCounters")}
	attemptStarted = avroRecord{"TaskAttemptStarted",
		fields("taskid:string taskType:string attemptId:string startTime:long trackerName:string httpPort:int" +
			" shufflePort:int containerId:string locality:?string avataar:?string")}
	mapFinished = avroRecord{"MapAttemptFinished",
		fields("taskid:string attemptId:string taskType:string taskStatus:string mapFinishTime:long" +
			" finishTime:long hostname:string port:int rackname:string state:string counters:JhCounters" + samples)}
	reduceFinished = avroRecord{"ReduceAttemptFinished",
		fields("taskid:string attemptId:string taskType:string taskStatus:string" +
			" shuffleFinishTime:long sortFinishTime:long finishTime:long hostname:string port:int" +
			" rackname:string state:string counters:JhCounters" + samples)}
	otherFinished = avroRecord{"TaskAttemptFinished",
		fields("taskid:string attemptId:string taskType:string taskStatus:string finishTime:long" +
			" rackname:string hostname:string state:string counters:JhCounters")}
	attemptUnsuccessful = avroRecord{"TaskAttemptUnsuccessfulCompletion",
		fields("taskid:string taskType:string attemptId:string finishTime:long" +
			" hostname:string port:int rackname:string status:string error:string counters:?JhCounters" + samples)}
)

// eventRecords lists the branches of the union in an event.
var eventRecords = []avroRecord{amStarted, jobFinished, jobInited, jobPriority, jobQueue, jobSubmitted, jobUnsuccessful,
	mapFinished, reduceFinished, otherFinished, attemptStarted, attemptUnsuccessful,
	taskFailed, taskFinished, taskStarted}

// eventTypes returns the symbols of the EventType enum.
var eventTypes = sync.OnceValue(func() []string {
	types := []string{"AM_STARTED", "JOB_SUBMITTED", "JOB_INITED", "JOB_FINISHED", "JOB_PRIORITY_CHANGED",
		"JOB_QUEUE_CHANGED", "JOB_FAILED", "JOB_KILLED", "TASK_STARTED", "TASK_FINISHED", "TASK_FAILED"}
	for t := job.Map; t <= job.Cleanup; t++ {
		for _, what := range []string{"STARTED", "FINISHED", "FAILED", "KILLED"} {
			types = append(types, attemptEvent(t, what))
		}
	}
	return types
})

// attemptEvent returns the type of an attempt's event, such as MAP_ATTEMPT_STARTED.
func attemptEvent(t job.TaskType, what string) string {
	return strings.TrimPrefix(t.String(), "JOB_") + "_ATTEMPT_" + what
}

// schemaJSON returns the schema, which is the second line of a .jhist file.
var schemaJSON = sync.OnceValue(func() string {
	s := schemaWriter{known: map[string]avroRecord{counterRecord.name: counterRecord, groupRecord.name: groupRecord,
		countersRecord.name: countersRecord}, done: map[string]bool{}}
	var branches []string
	for _, r := range eventRecords {
		branches = append(branches, s.record(r))
	}
	return fmt.Sprintf(`{"type":"record","name":"Event","namespace":"%s","fields":[{"name":"type","type":{"type":"enum",`+
		`"name":"EventType","symbols":["%s"]}},{"name":"event","type":[%s]}]}`,
		namespace, strings.Join(eventTypes(), `","`), strings.Join(branches, ","))
})

// schemaWriter writes types as JSON. It defines a record at its first use and refers to it by name
// afterward.
type schemaWriter struct {
	known map[string]avroRecord
	done  map[string]bool
}

func (s *schemaWriter) record(r avroRecord) string {
	s.done[r.name] = true
	var fields []string
	for _, f := range r.fields {
		def := ""
		if f.typ[0] == '?' {
			def = `,"default":null`
		}
		fields = append(fields, fmt.Sprintf(`{"name":"%s","type":%s%s}`, f.name, s.typ(f.typ), def))
	}
	return fmt.Sprintf(`{"type":"record","name":"%s","fields":[%s]}`, r.name, strings.Join(fields, ","))
}

func (s *schemaWriter) typ(t string) string {
	inner := strings.Trim(t, "?[]{}")
	switch t[0] {
	case '?':
		return `["null",` + s.typ(inner) + "]"
	case '[':
		return `{"type":"array","items":` + s.typ(inner) + "}"
	case '{':
		return `{"type":"map","values":` + s.typ(inner) + "}"
	}
	if r, ok := s.known[t]; ok && !s.done[t] {
		return s.record(r)
	}
	return `"` + t + `"`
}
