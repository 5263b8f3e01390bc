package daemon

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/jobtracker"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/scheduler/catalog"
	"github.com/howdah/howdah/scheduler/speculation"
)

// KeyProfileFrom is set for a job whose profile was not given by its user: the job that was measured.
const KeyProfileFrom = "howdah.job.profile.from"

// choice is a scheduling policy with all that it was made from. It is not changed once it is made.
type choice struct {
	name        string // of the policy, short
	conf        *conf.Config
	files       []scheduler.File
	speculation string // name of the rule
	set         []conf.Property
	other       bool // not the one that the configuration names

	policy     scheduler.Policy
	speculator scheduler.Policy // nil = none
}

// policies knows which scheduling policy is in place. Methods may be called concurrently.
type policies struct {
	table catalog.Table
	// changing is held while a policy is made and put in place: one change at a time.
	changing sync.Mutex

	mu      sync.Mutex
	now     *choice
	since   time.Time
	by      string
	problem string   // why a change is not in place
	fit     fit      // that was looked at last
	misfit  string   // what is wrong with it
	seen    []stamp  // of the files when they were read last, well or not
	queues  []Queue  // that jobs may name
	admins  []string // that may administer, besides the JobTracker's own user
}

// make builds the policy of a name from the configuration c with further settings over it, for a cluster with so many slots.
// Nothing is in place yet.
func (p *policies) make(name string, c *conf.Config, set []conf.Property, slots [2]int32) (*choice, error) {
	if len(set) > 0 {
		c = over(c.Clone(), set)
		if err := c.Check(); err != nil {
			return nil, err
		}
	}
	setup, err := p.table.Load(name, c)
	if err != nil {
		return nil, err
	}
	setup.Slots = slots
	x := &choice{conf: c, files: setup.Files, speculation: c.Get(speculation.Key), set: set}
	if x.policy, x.name, err = p.table.Make(name, setup); err != nil {
		return nil, err
	}
	if x.speculation == "" {
		x.speculation = speculation.Default
	}
	x.speculator, err = speculation.New(x.speculation, scheduler.Setup{Conf: c})
	return x, err
}

// settings lists what differs from the defaults: a policy can be made from it again.
func settings(c *conf.Config) map[string]string {
	m := map[string]string{}
	for _, p := range c.Properties(true) {
		m[p.Name] = p.Value
	}
	return m
}

func (x *choice) setup(name string) *jobtracker.PolicySetup {
	return &jobtracker.PolicySetup{Name: name, Settings: settings(x.conf), Files: x.files}
}

// sameFiles tells whether two choices were made from files with the same content.
func sameFiles(a, b []scheduler.File) bool {
	return slices.EqualFunc(a, b, func(x, y scheduler.File) bool {
		return x.Path == y.Path && (x.Data == nil) == (y.Data == nil) && string(x.Data) == string(y.Data)
	})
}

// present gives the choice that is in place.
func (p *policies) present() *choice {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.now
}

// placed notes that a choice is in place.
func (p *policies) placed(x *choice, by string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.now, p.since, p.by, p.problem, p.misfit = x, time.Now(), by, "", ""
}

func (p *policies) trouble(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.problem = ""
	if err != nil {
		p.problem = err.Error()
	}
}

// place puts a choice in the place of the present one. The caller holds changing.
func (d *Daemon) place(ctx context.Context, x *choice, by string) error {
	old := d.policies.present()
	in := &jobtracker.Input{Kind: jobtracker.InSetPolicy, Policy: x.policy, Setup: x.setup(x.name), Text: by}
	// Noted by the owner, so that whoever looks at the machine sees the policy under its name.
	if _, err := input(ctx, d.owner, in, func(*jobtracker.Output) struct{} { d.policies.placed(x, by); return struct{}{} }); err != nil {
		return err
	}
	d.cfg.Log.Info("another scheduling policy is in place", "scheduler", x.name, "by", by)
	if x.speculation == old.speculation && x.conf == old.conf {
		return nil
	}
	in = &jobtracker.Input{Kind: jobtracker.InSetSpeculator, Policy: x.speculator, Setup: x.setup(x.speculation), Text: by}
	_, err := input(ctx, d.owner, in, func(*jobtracker.Output) struct{} { return struct{}{} })
	return err
}

// setScheduler makes another policy the present one until the JobTracker restarts. If it cannot be made, the present one stays.
func (d *Daemon) setScheduler(ctx context.Context, name string, set []conf.Property, user string) (string, error) {
	d.policies.changing.Lock()
	defer d.policies.changing.Unlock()
	stamps := d.policies.stamps(name, d.policies.present().conf)
	x, err := d.policies.make(name, d.configured(), set, d.slots(ctx))
	if err != nil {
		return "", err
	}
	x.other = true
	if err := d.place(ctx, x, "howdah admin -setScheduler by user "+user); err != nil {
		return "", err
	}
	d.policies.saw(stamps)
	text := fmt.Sprintf("Scheduler %s is in place until the JobTracker restarts; then %s=%s counts again.", x.name, catalog.Key, d.cfg.Scheduler)
	return strings.Join(append([]string{text}, d.warnUnknown(over(conf.New(), set))...), "\nwarning: "), nil
}

// over puts settings of -setScheduler over a configuration and gives it back.
func over(c *conf.Config, set []conf.Property) *conf.Config {
	for _, s := range set {
		c.Set(s.Name, s.Value, "-setScheduler")
	}
	return c
}

// warnUnknown logs and gives what looks misspelt in a configuration.
func (d *Daemon) warnUnknown(c *conf.Config) []string {
	list := c.Unknown()
	for _, w := range list {
		d.cfg.Log.Warn(w)
	}
	return list
}

// slots tells what the cluster offers now, so that guarantees above it are refused; zeros if the JobTracker is too busy to say.
func (d *Daemon) slots(ctx context.Context) [2]int32 {
	slots, _ := look(ctx, d.owner, func(m *jobtracker.Machine) ([2]int32, error) { return m.Cluster().Slots, nil })
	return slots
}

// configured gives the configuration without what -setScheduler put over it.
func (d *Daemon) configured() *conf.Config {
	d.policies.mu.Lock()
	defer d.policies.mu.Unlock()
	return d.cfg.Conf
}

// refreshQueues reads the configuration, the queues and the policy's files again and puts a policy made from them in place.
func (d *Daemon) refreshQueues(ctx context.Context, user string) (string, error) {
	d.policies.changing.Lock()
	defer d.policies.changing.Unlock()
	text, err := d.refresh(ctx, user)
	if err != nil {
		d.policies.trouble(err)
	}
	return text, err
}

func (d *Daemon) refresh(ctx context.Context, user string) (string, error) {
	c := d.configured()
	if d.cfg.Reload != nil {
		var err error
		if c, err = d.cfg.Reload(); err != nil {
			return "", err
		}
	}
	r := reader{conf.Reader{Conf: c}}
	list, admins := queues(&r), administrators(c)
	if r.Err != nil {
		return "", r.Err
	}
	next, err := d.policies.table.FindIn(c)
	if err != nil {
		return "", err // or the next start would tell it, when nobody thinks of this change any more
	}
	d.warnUnknown(c)
	old := d.policies.present()
	stamps := d.policies.stamps(old.name, c)
	x, err := d.policies.make(old.name, c, old.set, d.slots(ctx))
	if err != nil {
		return "", err
	}
	x.other = old.other
	if err := d.place(ctx, x, "howdah admin -refreshQueues by user "+user); err != nil {
		return "", err
	}
	d.policies.mu.Lock()
	d.cfg.Conf, d.policies.queues, d.policies.admins = c, list, admins
	d.policies.mu.Unlock()
	d.policies.saw(stamps)
	text := fmt.Sprintf("Queues and the files of scheduler %s were read again.", x.name)
	if next.Name != d.cfg.Scheduler {
		text += fmt.Sprintf(" %s=%s counts when the JobTracker restarts; howdah admin -setScheduler %s puts it in place now.", catalog.Key, next.Name, next.Name)
	}
	return text, nil
}

// administer refuses a user who may not administer the JobTracker.
func (d *Daemon) administer(user string) error {
	if d.isAdmin(user) {
		return nil
	}
	return errf(failure.Permission, "administer the JobTracker as", user, "the user is no administrator").
		Fix("name the user in " + keyAdmins + " of the JobTracker, or ask user " + d.me)
}

func (d *Daemon) isAdmin(user string) bool {
	d.policies.mu.Lock()
	defer d.policies.mu.Unlock()
	return user == d.me || slices.Contains(d.policies.admins, user) || slices.Contains(d.policies.admins, "*")
}

// requester gives the user on whose behalf a job shall be changed as the machine wants it: "" for administrators, who may do
// everything.
func (d *Daemon) requester(user string) string {
	switch {
	case d.isAdmin(user):
		return ""
	case user == "":
		return "anonymous" // a client that tells no name has no rights either
	}
	return user
}
