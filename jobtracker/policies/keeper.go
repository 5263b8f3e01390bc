// Package policies manages the JobTracker's active scheduling policy, the policy's files, the
// configured queues, and the permissions to change them. Start with [Keeper].
package policies

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/jobtracker"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/scheduler/catalog"
	"github.com/howdah/howdah/scheduler/speculation"
)

// A Choice is a scheduling policy with its complete source. It is immutable.
type Choice struct {
	Name        string // short name of the policy
	Files       []scheduler.File
	Speculation string // name of the speculation rule; "" = no speculation
	Policy      scheduler.Policy
	Speculator  scheduler.Policy // nil = none

	conf  *conf.Config
	set   []conf.Property
	other bool // differs from the configuration, so it lasts until the next restart
}

// Config is the initial configuration of a Keeper.
type Config struct {
	Conf      *conf.Config  // configuration with the policy's settings and the names of its files
	Catalog   catalog.Table // the available policies
	Scheduler string        // name of the initial policy; "" = the default
	// Reload rereads the configuration for RefreshQueues; nil means that the configuration never
	// changes.
	Reload func() (*conf.Config, error)
	Log    *slog.Logger
}

// A Keeper manages the active scheduling policy and replaces it on request. It is safe for
// concurrent use.
type Keeper struct {
	Config
	// LookEvery is the interval at which Watch checks the files. Watch reads the files only if they
	// have not changed since its previous check or for SettledAfter. Set both fields before Watch
	// runs.
	LookEvery, SettledAfter time.Duration

	machine Machine
	// changing serializes changes. It is locked while the keeper creates and activates a policy.
	changing  sync.Mutex
	lastFiles []stamp // stamps of the files at the latest check
	lastFit   fit     // fit at the latest call of LookAtFit

	mu      sync.Mutex // guards Conf and the following fields
	now     *Choice
	since   time.Time
	by      string
	problem string  // why the latest change failed; "" = no problem
	fit     fit     // fit whose files LookAtFit last tested
	misfit  string  // problem of fit; "" = no problem
	seen    []stamp // stamps of the files at the latest read, successful or not
	access  access
}

// A Machine steps the JobTracker's machine for a Keeper.
type Machine interface {
	// Place steps the machine with in. Unless placed is nil, Place calls placed before the next
	// step.
	Place(ctx context.Context, in *jobtracker.Input, placed func()) error
	// Slots returns the cluster's current number of slots. It returns zeros if the JobTracker is
	// too busy to answer.
	Slots(ctx context.Context) [2]int32
}

// New returns a Keeper with the policy that cfg names.
func New(cfg Config) (*Keeper, error) {
	k := &Keeper{Config: cfg, LookEvery: lookEvery, SettledAfter: settledAfter}
	var err error
	if k.access, err = readAccess(cfg.Conf); err != nil {
		return nil, err
	}
	k.warnUnknown(cfg.Conf)
	k.saw(k.stamps(cfg.Scheduler, cfg.Conf))
	x, err := k.make(cfg.Scheduler, cfg.Conf, nil, [2]int32{})
	if err != nil {
		return nil, err
	}
	k.placed(x, "the configuration")
	k.Scheduler = x.Name
	return k, nil
}

// Drive sets the machine that receives new policies. Call it before the first change.
func (k *Keeper) Drive(m Machine) { k.machine = m }

// make creates the named policy for a cluster with the given slots. The settings in set override
// the configuration c. make does not activate the policy.
func (k *Keeper) make(name string, c *conf.Config, set []conf.Property, slots [2]int32) (*Choice, error) {
	if len(set) > 0 {
		c = over(c.Clone(), set)
		if err := c.Check(); err != nil {
			return nil, err
		}
	}
	setup, err := k.Catalog.Load(name, c)
	if err != nil {
		return nil, err
	}
	setup.Slots = slots
	x := &Choice{conf: c, Files: setup.Files, Speculation: conf.Speculation.Get(c), set: set}
	if x.Policy, x.Name, err = k.Catalog.Make(name, setup); err != nil {
		return nil, err
	}
	if x.Speculation == "" {
		x.Speculation = speculation.Default
	}
	x.Speculator, err = speculation.New(x.Speculation, scheduler.Setup{Conf: c})
	return x, err
}

// Settings returns the settings that differ from the defaults. From these settings, the name, and
// the files, the same policy can be created again.
func (x *Choice) Settings() map[string]string {
	m := map[string]string{}
	for _, p := range x.conf.Properties(true) {
		m[p.Name] = p.Value
	}
	return m
}

// Inputs returns the input of all policies, from which another process can make them: the settings
// that only policies use, and the files. It leaves out files that cannot be read, except those of
// the active policy.
func (k *Keeper) Inputs() (settings map[string]string, files []scheduler.File) {
	now := k.Present()
	settings, files = now.Settings(), slices.Clone(now.Files)
	maps.DeleteFunc(settings, func(key, _ string) bool { return !catalog.Concerns(key) })
	for i := range k.Catalog {
		for _, key := range k.Catalog[i].Files {
			if slices.ContainsFunc(files, func(f scheduler.File) bool { return f.Key == key }) {
				continue
			}
			if f, err := catalog.ReadFile(now.conf, key); err == nil && f.Data != nil {
				files = append(files, f)
			}
		}
	}
	return settings, files
}

func (x *Choice) setup(name string) *jobtracker.PolicySetup {
	return &jobtracker.PolicySetup{Name: name, Settings: x.Settings(), Files: x.Files}
}

// sameFiles reports whether two lists contain the same files with the same content.
func sameFiles(a, b []scheduler.File) bool {
	return slices.EqualFunc(a, b, func(x, y scheduler.File) bool {
		return x.Path == y.Path && (x.Data == nil) == (y.Data == nil) && string(x.Data) == string(y.Data)
	})
}

// Present returns the active choice.
func (k *Keeper) Present() *Choice {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.now
}

// placed records that a choice has become active.
func (k *Keeper) placed(x *Choice, by string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.now, k.since, k.by, k.problem, k.misfit = x, time.Now(), by, "", ""
}

func (k *Keeper) trouble(err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.problem = ""
	if err != nil {
		k.problem = err.Error()
	}
}

// place activates the policy of x and, if it may have changed, the speculation rule of x. The
// caller must hold changing.
func (k *Keeper) place(ctx context.Context, x *Choice, by string) error {
	old := k.Present()
	in := &jobtracker.Input{Kind: jobtracker.InSetPolicy, Policy: x.Policy, Setup: x.setup(x.Name), Text: by}
	// Recorded between two steps, so that readers of the machine see the policy together with its
	// name.
	if err := k.machine.Place(ctx, in, func() { k.placed(x, by) }); err != nil {
		return err
	}
	k.Log.Info("scheduling policy changed", "scheduler", x.Name, "by", by)
	if x.Speculation == old.Speculation && x.conf == old.conf {
		return nil
	}
	in = &jobtracker.Input{Kind: jobtracker.InSetSpeculator, Policy: x.Speculator, Setup: x.setup(x.Speculation), Text: by}
	return k.machine.Place(ctx, in, nil)
}

// SetScheduler activates the requested policy until the JobTracker restarts and returns a message
// for the user. why says who changes the policy and how; "" means that user does, with howdah admin.
// If SetScheduler cannot create the policy, the current policy remains active.
func (k *Keeper) SetScheduler(ctx context.Context, name string, set []conf.Property, user, why string) (string, error) {
	x, err := k.set(ctx, name, set, cmp.Or(why, "howdah admin -setScheduler by "+who(user)))
	if err != nil {
		return "", err
	}
	text := fmt.Sprintf("Scheduler %s is active.", x.Name)
	if x.other {
		text = fmt.Sprintf("Scheduler %s is active until the JobTracker restarts; then %s=%s applies again.",
			x.Name, conf.JobTrackerTaskScheduler.Name, k.Scheduler)
	}
	return strings.Join(append([]string{text}, k.warnUnknown(over(conf.New(), set))...), "\nwarning: "), nil
}

// Follow activates the named policy, with the configured settings, until the JobTracker restarts.
func (k *Keeper) Follow(ctx context.Context, name string) error {
	_, err := k.set(ctx, name, nil, "advice of the what-if prediction")
	return err
}

// set activates the named policy with the configured settings and those in set.
func (k *Keeper) set(ctx context.Context, name string, set []conf.Property, by string) (*Choice, error) {
	k.changing.Lock()
	defer k.changing.Unlock()
	stamps := k.stamps(name, k.Present().conf)
	x, err := k.make(name, k.configured(), set, k.machine.Slots(ctx))
	if err != nil {
		return nil, err
	}
	x.other = x.Name != k.Scheduler || len(set) > 0
	if err := k.place(ctx, x, by); err != nil {
		return nil, err
	}
	k.saw(stamps)
	return x, nil
}

// who describes the user on whose behalf a call acts. user is "" if an administrator calls without
// naming a user.
func who(user string) string {
	if user == "" {
		return "an administrator"
	}
	return "user " + user
}

// over adds the settings of -setScheduler to c, where they override earlier values, and returns c.
func over(c *conf.Config, set []conf.Property) *conf.Config {
	for _, s := range set {
		c.Set(s.Name, s.Value, "-setScheduler")
	}
	return c
}

// warnUnknown logs and returns a warning for each setting of a configuration that looks misspelled.
func (k *Keeper) warnUnknown(c *conf.Config) []string {
	list := c.Unknown()
	for _, w := range list {
		k.Log.Warn(w)
	}
	return list
}

// configured returns the configuration, ignoring any changes made with -setScheduler.
func (k *Keeper) configured() *conf.Config {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.Conf
}

// RefreshQueues rereads the configuration, the queues, and the policy's files. It activates a
// policy created from them and returns a message for the user.
func (k *Keeper) RefreshQueues(ctx context.Context, user string) (string, error) {
	k.changing.Lock()
	defer k.changing.Unlock()
	text, err := k.refresh(ctx, user)
	if err != nil {
		k.trouble(err)
	}
	return text, err
}

func (k *Keeper) refresh(ctx context.Context, user string) (string, error) {
	c := k.configured()
	if k.Reload != nil {
		var err error
		if c, err = k.Reload(); err != nil {
			return "", err
		}
	}
	access, err := readAccess(c)
	if err != nil {
		return "", err
	}
	next, err := k.Catalog.FindIn(c)
	if err != nil {
		return "", err // otherwise the error would surface only at the next start
	}
	k.warnUnknown(c)
	old := k.Present()
	stamps := k.stamps(old.Name, c)
	x, err := k.make(old.Name, c, old.set, k.machine.Slots(ctx))
	if err != nil {
		return "", err
	}
	x.other = old.other
	if err := k.place(ctx, x, "howdah admin -refreshQueues by "+who(user)); err != nil {
		return "", err
	}
	k.mu.Lock()
	k.Conf, k.access = c, access
	k.mu.Unlock()
	k.saw(stamps)
	text := fmt.Sprintf("Queues and the files of scheduler %s were read again.", x.Name)
	if next.Name != k.Scheduler {
		text += fmt.Sprintf(" %s=%s takes effect when the JobTracker restarts; "+
			"howdah admin -setScheduler %s activates it now.",
			conf.JobTrackerTaskScheduler.Name, next.Name, next.Name)
	}
	return text, nil
}
