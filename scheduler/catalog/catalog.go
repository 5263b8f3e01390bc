// Package catalog maps names to scheduling policies. Policies do not register themselves. A policy
// that Builtin does not list must be added with Table.With.
package catalog

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/suggest"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/scheduler/adaptive"
	"github.com/howdah/howdah/scheduler/capacity"
	"github.com/howdah/howdah/scheduler/dhfs"
	"github.com/howdah/howdah/scheduler/drf"
	"github.com/howdah/howdah/scheduler/edf"
	"github.com/howdah/howdah/scheduler/fair"
	"github.com/howdah/howdah/scheduler/fifo"
	"github.com/howdah/howdah/scheduler/ngm"
)

// Default names the scheduler that a JobTracker uses if none is configured.
const Default = "fifo"

// An Entry describes a policy: its names, its files, and its constructor.
type Entry struct {
	Name    string   // short name
	Classes []string // Hadoop's class names
	Files   []string // keys that name the policy's configuration files
	// OnRefresh means that changes to the files take effect only when an administrator runs howdah
	// admin -refreshQueues, as in Hadoop's Capacity Scheduler. Otherwise, they take effect after a
	// few seconds.
	OnRefresh bool
	New       scheduler.New
}

var table = Table{
	{Name: "fifo", Classes: []string{"org.apache.hadoop.mapred.JobQueueTaskScheduler"}, New: fifo.New},
	{Name: "fifo-dhfs", New: dhfs.NewFIFO},
	{Name: "fair", Classes: []string{"org.apache.hadoop.mapred.FairScheduler"},
		Files: []string{conf.FairSchedulerAllocationFile.Name},
		New:   fair.New},
	{Name: "fair-deficit", Files: []string{conf.FairSchedulerAllocationFile.Name}, New: fair.NewDeficit},
	{Name: "pi-dhfs", Files: []string{conf.FairSchedulerAllocationFile.Name}, New: dhfs.NewPoolIndependent},
	{Name: "pd-dhfs", Files: []string{conf.FairSchedulerAllocationFile.Name}, New: dhfs.NewPoolDependent},
	{Name: "capacity", Classes: []string{"org.apache.hadoop.mapred.CapacityTaskScheduler"},
		Files: []string{conf.CapacityFile.Name}, OnRefresh: true, New: capacity.New},
	{Name: "maxedf", New: edf.NewMaxEDF},
	{Name: "minedf", New: edf.NewMinEDF},
	{Name: "minedf-wc", New: edf.NewMinEDFWC},
	{Name: "adaptive", Files: []string{conf.AdaptiveCapacityFile.Name}, New: adaptive.New},
	{Name: "reverse-adaptive", Files: []string{conf.AdaptiveCapacityFile.Name}, New: adaptive.NewReverse},
	{Name: "drf", New: drf.New},
	{Name: "ngm", Files: []string{conf.CapacityFile.Name}, OnRefresh: true, New: ngm.New},
	{Name: "minmiss", Files: []string{conf.AdaptiveCapacityFile.Name}, New: adaptive.NewMinMiss},
}

// A Table is a list of policies. Do not change a Table that is in use.
type Table []Entry

// Builtin returns the policies that howdah includes.
func Builtin() Table { return table }

// With returns a copy of the table with one more policy. It returns an error of kind Config if the
// table already contains the name.
func (t Table) With(e Entry) (Table, error) {
	for i := range t {
		if t[i].is(e.Name) {
			return nil, failure.New(failure.Config, "add scheduler", e.Name, errors.New("the name is taken"))
		}
	}
	return append(slices.Clip(t), e), nil
}

// Names returns the short names of the policies.
func (t Table) Names() []string {
	names := make([]string, len(t))
	for i := range t {
		names[i] = t[i].Name
	}
	return names
}

// Find returns the entry whose class name or short name is name. The case of a short name does not
// matter, and "" means Default. It returns an error of kind Config if the name is unknown.
func (t Table) Find(name string) (*Entry, error) {
	if name == "" {
		name = Default
	}
	for i := range t {
		if t[i].is(name) {
			return &t[i], nil
		}
	}
	return nil, failure.New(failure.Config, "choose scheduler", name, errNone).Fix(alternatives(name, t.Names()))
}

var errNone = errors.New("no such scheduler")

// find works like Find. If the name is unknown and comes from the configuration c, the error contains
// the source of the setting.
func (t Table) find(name string, c *conf.Config) (*Entry, error) {
	e, err := t.Find(name)
	if err != nil && conf.JobTrackerTaskScheduler.Get(c) == name {
		err = c.Refuse(conf.JobTrackerTaskScheduler.Name, errNone).Fix(alternatives(name, t.Names()))
	}
	return e, err
}

// FindIn returns the entry of the policy that the configuration names. If the name is unknown, the
// error contains the source of the setting.
func (t Table) FindIn(c *conf.Config) (*Entry, error) {
	return t.find(conf.JobTrackerTaskScheduler.Get(c), c)
}

// Make returns the named policy and its short name. s must contain the entry's files, as from Load.
func (t Table) Make(name string, s scheduler.Setup) (scheduler.Policy, string, error) {
	e, err := t.find(name, s.Conf)
	if err != nil {
		return nil, "", err
	}
	p, err := e.New(s)
	return p, e.Name, err
}

func (e *Entry) is(name string) bool {
	for _, class := range e.Classes {
		if name == class {
			return true
		}
	}
	return strings.EqualFold(name, e.Name)
}

// alternatives returns a remedy with the closest scheduler name, if any, and the list of all names.
func alternatives(name string, names []string) string {
	if best := suggest.Nearest(strings.ToLower(name), names); best != "" {
		return fmt.Sprintf("did you mean %s? Use one of: %s", best, strings.Join(names, " "))
	}
	return "use one of: " + strings.Join(names, " ")
}
