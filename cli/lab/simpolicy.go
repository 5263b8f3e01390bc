package lab

import (
	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/scheduler/catalog"
	"github.com/howdah/howdah/scheduler/speculation"
)

// policies makes the same policy for each run anew: a policy is of one machine only.
type policies struct {
	conf        *conf.Config
	name        string
	setup       scheduler.Setup
	speculation string
}

// choose finds a scheduler and reads its files. Unknown names and bad settings are refused here, before anything runs.
func choose(c *conf.Config, name, rule string) (*policies, error) {
	if name == "" {
		name = c.Get(catalog.Key)
	}
	table := catalog.Builtin()
	setup, err := table.Load(name, c)
	if err != nil {
		return nil, err
	}
	p := &policies{conf: c, name: name, setup: setup, speculation: rule}
	_, short, err := table.Make(name, setup)
	if err != nil {
		return nil, err
	}
	p.name = short
	_, err = p.speculator()
	return p, err
}

// policy makes the scheduler for a cluster of so many slots.
func (p *policies) policy(slots [2]int32) (scheduler.Policy, error) {
	setup := p.setup
	setup.Slots = slots
	policy, _, err := catalog.Builtin().Make(p.name, setup)
	return policy, err
}

func (p *policies) speculator() (scheduler.Policy, error) {
	if p.speculation == "" {
		return nil, nil
	}
	return speculation.New(p.speculation, scheduler.Setup{Conf: p.conf})
}
