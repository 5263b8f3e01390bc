package lab

import (
	"errors"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/scheduler/catalog"
	"github.com/howdah/howdah/scheduler/speculation"
)

// policies creates a new instance of the chosen policy for each run, because runs cannot share an
// instance.
type policies struct {
	conf        *conf.Config
	table       catalog.Table
	name        string
	setup       scheduler.Setup
	speculation string
}

// choose returns the policies for the named scheduler and reads the scheduler's files. It rejects
// unknown names and invalid settings before the first run.
func (s *session) choose(c *conf.Config, name, rule string) (*policies, error) {
	if name == "" {
		name = conf.JobTrackerTaskScheduler.Get(c)
	}
	table, err := s.parts.Table()
	if err != nil {
		return nil, err
	}
	setup, err := table.Load(name, c)
	var e *failure.Error
	if _, unknown := table.Find(name); unknown != nil && errors.As(err, &e) {
		e.Remedy += "; docs/howto/scheduling-policy.md explains how to simulate your own"
	}
	if err != nil {
		return nil, err
	}
	p := &policies{conf: c, table: table, name: name, setup: setup, speculation: rule}
	_, short, err := table.Make(name, setup)
	if err != nil {
		return nil, err
	}
	p.name = short
	_, err = p.speculator()
	return p, err
}

// policy returns the scheduler for a cluster with the given slots.
func (p *policies) policy(slots [2]int32) (scheduler.Policy, error) {
	setup := p.setup
	setup.Slots = slots
	policy, _, err := p.table.Make(p.name, setup)
	return policy, err
}

func (p *policies) speculator() (scheduler.Policy, error) {
	if p.speculation == "" {
		return nil, nil
	}
	return speculation.New(p.speculation, scheduler.Setup{Conf: p.conf})
}
