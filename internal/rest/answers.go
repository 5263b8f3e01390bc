package rest

import (
	"strconv"
	"strings"

	"github.com/howdah/howdah/jobtracker/history/hadoop"
)

// The answers have the names and the order of the fields of Hadoop 3.4.2, where package dao of the
// JobHistoryServer and of the ApplicationMaster defines them. Hadoop's names in JSON and XML are the
// same.

type historyInfo struct {
	StartedOn      int64  `json:"startedOn" xml:"startedOn"`
	Version        string `json:"hadoopVersion" xml:"hadoopVersion"`
	BuildVersion   string `json:"hadoopBuildVersion" xml:"hadoopBuildVersion"`
	VersionBuiltOn string `json:"hadoopVersionBuiltOn" xml:"hadoopVersionBuiltOn"`
}

type appInfo struct {
	AppID       string `json:"appId" xml:"appId"`
	Name        string `json:"name" xml:"name"`
	User        string `json:"user" xml:"user"`
	StartedOn   int64  `json:"startedOn" xml:"startedOn"`
	ElapsedTime int64  `json:"elapsedTime" xml:"elapsedTime"`
}

type blacklistedNodes struct {
	Nodes []string `json:"blacklistedNodes,omitempty" xml:"blacklistedNodes"`
}

// endedJob is an ended job in a list.
type endedJob struct {
	SubmitTime       int64  `json:"submitTime" xml:"submitTime"`
	StartTime        int64  `json:"startTime" xml:"startTime"`
	FinishTime       int64  `json:"finishTime" xml:"finishTime"`
	ID               string `json:"id" xml:"id"`
	Name             string `json:"name" xml:"name"`
	Queue            string `json:"queue" xml:"queue"`
	User             string `json:"user" xml:"user"`
	State            string `json:"state" xml:"state"`
	MapsTotal        int64  `json:"mapsTotal" xml:"mapsTotal"`
	MapsCompleted    int64  `json:"mapsCompleted" xml:"mapsCompleted"`
	ReducesTotal     int64  `json:"reducesTotal" xml:"reducesTotal"`
	ReducesCompleted int64  `json:"reducesCompleted" xml:"reducesCompleted"`
}

type endedJobs struct {
	Job []endedJob `json:"job,omitempty" xml:"job"`
}

// wholeJob is an ended job with what only its history says.
type wholeJob struct {
	endedJob
	Uberized                 bool      `json:"uberized" xml:"uberized"`
	Diagnostics              string    `json:"diagnostics" xml:"diagnostics"`
	AvgMapTime               int64     `json:"avgMapTime" xml:"avgMapTime"`
	AvgReduceTime            int64     `json:"avgReduceTime" xml:"avgReduceTime"`
	AvgShuffleTime           int64     `json:"avgShuffleTime" xml:"avgShuffleTime"`
	AvgMergeTime             int64     `json:"avgMergeTime" xml:"avgMergeTime"`
	FailedReduceAttempts     int64     `json:"failedReduceAttempts" xml:"failedReduceAttempts"`
	KilledReduceAttempts     int64     `json:"killedReduceAttempts" xml:"killedReduceAttempts"`
	SuccessfulReduceAttempts int64     `json:"successfulReduceAttempts" xml:"successfulReduceAttempts"`
	FailedMapAttempts        int64     `json:"failedMapAttempts" xml:"failedMapAttempts"`
	KilledMapAttempts        int64     `json:"killedMapAttempts" xml:"killedMapAttempts"`
	SuccessfulMapAttempts    int64     `json:"successfulMapAttempts" xml:"successfulMapAttempts"`
	ACLs                     []setting `json:"acls,omitempty" xml:"acls"`
}

// runningJob is a job as its ApplicationMaster describes it.
type runningJob struct {
	StartTime                int64     `json:"startTime" xml:"startTime"`
	FinishTime               int64     `json:"finishTime" xml:"finishTime"`
	ElapsedTime              int64     `json:"elapsedTime" xml:"elapsedTime"`
	ID                       string    `json:"id" xml:"id"`
	Name                     string    `json:"name" xml:"name"`
	User                     string    `json:"user" xml:"user"`
	Queue                    string    `json:"queue" xml:"queue"`
	State                    string    `json:"state" xml:"state"`
	MapsTotal                int32     `json:"mapsTotal" xml:"mapsTotal"`
	MapsCompleted            int32     `json:"mapsCompleted" xml:"mapsCompleted"`
	ReducesTotal             int32     `json:"reducesTotal" xml:"reducesTotal"`
	ReducesCompleted         int32     `json:"reducesCompleted" xml:"reducesCompleted"`
	MapProgress              percent   `json:"mapProgress" xml:"mapProgress"`
	ReduceProgress           percent   `json:"reduceProgress" xml:"reduceProgress"`
	MapsPending              int32     `json:"mapsPending" xml:"mapsPending"`
	MapsRunning              int32     `json:"mapsRunning" xml:"mapsRunning"`
	ReducesPending           int32     `json:"reducesPending" xml:"reducesPending"`
	ReducesRunning           int32     `json:"reducesRunning" xml:"reducesRunning"`
	Uberized                 bool      `json:"uberized" xml:"uberized"`
	Diagnostics              *string   `json:"diagnostics,omitempty" xml:"diagnostics,omitempty"`
	NewReduceAttempts        int32     `json:"newReduceAttempts" xml:"newReduceAttempts"`
	RunningReduceAttempts    int32     `json:"runningReduceAttempts" xml:"runningReduceAttempts"`
	FailedReduceAttempts     int32     `json:"failedReduceAttempts" xml:"failedReduceAttempts"`
	KilledReduceAttempts     int32     `json:"killedReduceAttempts" xml:"killedReduceAttempts"`
	SuccessfulReduceAttempts int32     `json:"successfulReduceAttempts" xml:"successfulReduceAttempts"`
	NewMapAttempts           int32     `json:"newMapAttempts" xml:"newMapAttempts"`
	RunningMapAttempts       int32     `json:"runningMapAttempts" xml:"runningMapAttempts"`
	FailedMapAttempts        int32     `json:"failedMapAttempts" xml:"failedMapAttempts"`
	KilledMapAttempts        int32     `json:"killedMapAttempts" xml:"killedMapAttempts"`
	SuccessfulMapAttempts    int32     `json:"successfulMapAttempts" xml:"successfulMapAttempts"`
	ACLs                     []setting `json:"acls,omitempty" xml:"acls"`
}

type runningJobs struct {
	Job []*runningJob `json:"job,omitempty" xml:"job"`
}

// setting is an access control list or a property of a configuration.
type setting struct {
	Name   string   `json:"name" xml:"name"`
	Value  string   `json:"value" xml:"value"`
	Source []string `json:"source,omitempty" xml:"source"`
}

type jobConf struct {
	Path     string    `json:"path" xml:"path"`
	Property []setting `json:"property,omitempty" xml:"property"`
}

type jobAttempts struct {
	Attempt []jobAttempt `json:"jobAttempt,omitempty" xml:"jobAttempt"`
}

// jobAttempt is a start of a job's ApplicationMaster.
type jobAttempt struct {
	NodeHTTPAddress string `json:"nodeHttpAddress" xml:"nodeHttpAddress"`
	NodeID          string `json:"nodeId" xml:"nodeId"`
	ID              int64  `json:"id" xml:"id"`
	StartTime       int64  `json:"startTime" xml:"startTime"`
	ContainerID     string `json:"containerId" xml:"containerId"`
	LogsLink        string `json:"logsLink" xml:"logsLink"`
}

type jobCounters struct {
	ID    string         `json:"id" xml:"id"`
	Group []counterGroup `json:"counterGroup,omitempty" xml:"counterGroup"`
}

type counterGroup struct {
	Name    string         `json:"counterGroupName" xml:"counterGroupName"`
	Counter []totalCounter `json:"counter,omitempty" xml:"counter"`
}

type totalCounter struct {
	Name   string `json:"name" xml:"name"`
	Total  int64  `json:"totalCounterValue" xml:"totalCounterValue"`
	Map    int64  `json:"mapCounterValue" xml:"mapCounterValue"`
	Reduce int64  `json:"reduceCounterValue" xml:"reduceCounterValue"`
}

type tasks struct {
	Task []task `json:"task,omitempty" xml:"task"`
}

type task struct {
	StartTime         int64   `json:"startTime" xml:"startTime"`
	FinishTime        int64   `json:"finishTime" xml:"finishTime"`
	ElapsedTime       int64   `json:"elapsedTime" xml:"elapsedTime"`
	Progress          percent `json:"progress" xml:"progress"`
	ID                string  `json:"id" xml:"id"`
	State             string  `json:"state" xml:"state"`
	Type              string  `json:"type" xml:"type"`
	SuccessfulAttempt string  `json:"successfulAttempt" xml:"successfulAttempt"`
	Status            *string `json:"status,omitempty" xml:"status,omitempty"` // nil at the JobHistoryServer
}

type taskAttempts struct {
	Attempt []any `json:"taskAttempt,omitempty" xml:"taskAttempt"`
}

type taskAttempt struct {
	StartTime           int64   `json:"startTime" xml:"startTime"`
	FinishTime          int64   `json:"finishTime" xml:"finishTime"`
	ElapsedTime         int64   `json:"elapsedTime" xml:"elapsedTime"`
	Progress            percent `json:"progress" xml:"progress"`
	ID                  string  `json:"id" xml:"id"`
	Rack                string  `json:"rack" xml:"rack"`
	State               string  `json:"state" xml:"state"`
	Status              string  `json:"status" xml:"status"`
	NodeHTTPAddress     string  `json:"nodeHttpAddress" xml:"nodeHttpAddress"`
	Diagnostics         string  `json:"diagnostics" xml:"diagnostics"`
	Type                string  `json:"type" xml:"type"`
	AssignedContainerID string  `json:"assignedContainerId" xml:"assignedContainerId"`
}

type reduceAttempt struct {
	taskAttempt
	ShuffleFinishTime  int64 `json:"shuffleFinishTime" xml:"shuffleFinishTime"`
	MergeFinishTime    int64 `json:"mergeFinishTime" xml:"mergeFinishTime"`
	ElapsedShuffleTime int64 `json:"elapsedShuffleTime" xml:"elapsedShuffleTime"`
	ElapsedMergeTime   int64 `json:"elapsedMergeTime" xml:"elapsedMergeTime"`
	ElapsedReduceTime  int64 `json:"elapsedReduceTime" xml:"elapsedReduceTime"`
}

type attemptState struct {
	State string `json:"state" xml:"state"`
}

type taskCounters struct {
	ID    string      `json:"id" xml:"id"`
	Group []taskGroup `json:"taskCounterGroup,omitempty" xml:"taskCounterGroup"`
}

type attemptCounters struct {
	ID    string      `json:"id" xml:"id"`
	Group []taskGroup `json:"taskAttemptCounterGroup,omitempty" xml:"taskAttemptCounterGroup"`
}

type taskGroup struct {
	Name    string        `json:"counterGroupName" xml:"counterGroupName"`
	Counter []taskCounter `json:"counter,omitempty" xml:"counter"`
}

type taskCounter struct {
	Name  string `json:"name" xml:"name"`
	Value int64  `json:"value" xml:"value"`
}

func taskGroups(groups []hadoop.Group) (out []taskGroup) {
	for _, g := range groups {
		x := taskGroup{Name: g.Name}
		for _, c := range g.Counters {
			x.Counter = append(x.Counter, taskCounter{c.Name, c.Value})
		}
		out = append(out, x)
	}
	return out
}

// remoteException is the answer to a request that fails.
type remoteException struct {
	Exception string `json:"exception" xml:"exception"`
	Message   string `json:"message" xml:"message"`
	Class     string `json:"javaClassName" xml:"javaClassName"`
}

// percent is a number between 0 and 100, written as Java writes a float.
type percent float32

func (p percent) text() string {
	s := strconv.FormatFloat(float64(p), 'f', -1, 32)
	if !strings.Contains(s, ".") {
		s += ".0"
	}
	return s
}

// MarshalJSON implements json.Marshaler.
func (p percent) MarshalJSON() ([]byte, error) { return []byte(p.text()), nil }

// MarshalText implements encoding.TextMarshaler, for XML.
func (p percent) MarshalText() ([]byte, error) { return []byte(p.text()), nil }
