package policies

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/acl"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/job/status"
	"github.com/howdah/howdah/scheduler/catalog"
)

// Queue is a queue to which users can submit jobs.
type Queue struct {
	Name    string
	Stopped bool // mapred.queue.NAME.state=stopped: the queue rejects new jobs
}

// State returns the state of the queue.
func (q Queue) State() status.QueueState {
	if q.Stopped {
		return status.QueueStopped
	}
	return status.QueueRunning
}

// Attributes of queues, in keys of the form mapred.queue.NAME.ATTRIBUTE.
const (
	queuePrefix = "mapred.queue."
	submitList  = "acl-submit-job"
	adminList   = "acl-administer-jobs"
	queueState  = "state"
)

// access contains the configured queues and the rules that determine who may use them.
type access struct {
	queues  []Queue
	rules   *acl.Rules
	callers acl.List // users who may call the JobTracker, in addition to administrators
}

// ReadRules returns the rules in a configuration, which determine who may use queues and their jobs.
// mayCall reports whether a user may call the daemon.
func ReadRules(c *conf.Config) (rules *acl.Rules, mayCall func(user string) bool, err error) {
	x, err := readAccess(c)
	return x.rules, x.mayCall, err
}

// mayCall reports whether a user may call the JobTracker.
func (x access) mayCall(user string) bool { return x.callers.Has(user) || x.rules.Admin(user) }

// readAccess reads the queues and rules from a configuration and from the file that it names in
// howdah.queue.acl.file.
func readAccess(c *conf.Config) (access, error) {
	r := conf.Reader{Conf: c.Clone()}
	names := conf.QueueNames.Get(c)
	f, err := catalog.ReadFile(c, conf.QueueACLFile.Name)
	if err != nil {
		return access{}, err
	}
	if f.Data != nil {
		if err := r.Conf.LoadXML(bytes.NewReader(f.Data), f.Path); err != nil {
			return access{}, err
		}
	}
	r.Note(checkQueueKeys(r.Conf, names))
	x := access{rules: acl.FromConf(&r), callers: acl.Parse(conf.SecurityJobClientProtocolACL.Get(c))}
	x.rules.Queues = map[string]acl.Queue{}
	for _, name := range names {
		q := Queue{Name: name}
		key := queuePrefix + name + "."
		switch status.QueueState(strings.ToLower(r.Conf.Get(key + queueState))) {
		case "", status.QueueRunning:
		case status.QueueStopped:
			q.Stopped = true
		default:
			r.Note(r.Conf.Refuse(key+queueState, errors.New("want running or stopped")))
		}
		lists := acl.Queue{Submit: acl.Everybody, Administer: acl.Parse(r.Conf.Get(key + adminList))}
		if text, _, set := r.Conf.Lookup(key + submitList); set {
			lists.Submit = acl.Parse(text)
		}
		x.queues, x.rules.Queues[name] = append(x.queues, q), lists
	}
	return x, r.Err
}

// checkQueueKeys rejects unknown queues and attributes, which are probably misspelled.
func checkQueueKeys(c *conf.Config, names []string) error {
	for _, p := range c.Properties(true) {
		rest, ok := strings.CutPrefix(p.Name, queuePrefix)
		at := strings.LastIndexByte(rest, '.')
		if !ok || at < 0 {
			continue
		}
		known := []string{submitList, adminList, queueState}
		if !slices.Contains(known, rest[at+1:]) {
			return c.Refuse(p.Name, fmt.Errorf("want one of: %s", strings.Join(known, " ")))
		}
		if !slices.Contains(names, rest[:at]) {
			return c.Refuse(p.Name, fmt.Errorf("want a queue of %s: %s", conf.QueueNames.Name, strings.Join(names, " ")))
		}
	}
	return nil
}

// List returns the configured queues, including stopped ones.
func (k *Keeper) List() []Queue {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.access.queues
}

// IsQueue reports whether the configuration has a queue with the given name, even if it is stopped.
func (k *Keeper) IsQueue(name string) bool {
	return slices.ContainsFunc(k.List(), func(q Queue) bool { return q.Name == name })
}

// Rules returns the current rules, which determine who may use the queues and their jobs.
func (k *Keeper) Rules() *acl.Rules {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.access.rules
}

// CheckSubmit returns an error if a queue is unknown or stopped, or if the user has no permission
// to submit jobs to it.
func (k *Keeper) CheckSubmit(user, queue string) error {
	var names []string
	for _, q := range k.List() {
		switch {
		case q.Name != queue:
			names = append(names, q.Name)
		case q.Stopped:
			return failure.New(failure.Permission, "submit to queue", queue, errors.New("the queue is stopped"))
		default:
			return k.Rules().Submit(user, queue)
		}
	}
	return failure.New(failure.Config, "submit to queue", queue,
		errors.New("unknown queue (mapreduce.job.queuename)")).
		Fix("use one of: " + strings.Join(names, " "))
}

// Administer returns an error unless the user may administer the JobTracker. user is as in
// [acl.Rules.Job].
func (k *Keeper) Administer(user string) error {
	rules := k.Rules()
	if user == "" || rules.Admin(user) {
		return nil
	}
	return failure.New(failure.Permission, "administer the JobTracker as", user,
		errors.New("the user is not an administrator")).
		Fix("add the user to " + conf.ClusterAdministrators.Name + " of the JobTracker, ask user " + rules.Me +
			", or use the secret without the name of another user")
}

// MayCall reports whether a user may call the JobTracker.
func (k *Keeper) MayCall(user string) bool {
	k.mu.Lock()
	x := k.access
	k.mu.Unlock()
	return x.mayCall(user) // without the lock, because the lookup of groups takes time
}
