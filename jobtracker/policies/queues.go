package policies

import (
	"errors"
	"strings"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/auth"
	"github.com/howdah/howdah/job/failure"
)

// Queue is a queue to which users can submit jobs.
type Queue struct {
	Name    string
	Stopped bool // mapred.queue.NAME.state=stopped: the queue rejects new jobs
}

// DefaultQueue is the name of the only queue if the configuration names no queues.
const DefaultQueue = "default"

const keyAdmins = "mapreduce.cluster.administrators"

// State returns "running" or "stopped".
func (q Queue) State() string {
	if q.Stopped {
		return "stopped"
	}
	return "running"
}

// QueuesFromConf returns the queues that a configuration defines.
func QueuesFromConf(r *conf.Reader) []Queue {
	var list []Queue
	for _, name := range conf.QueueNames.Get(r.Conf) {
		key := "mapred.queue." + name + ".state"
		switch strings.ToLower(r.Conf.Get(key)) {
		case "", "running":
			list = append(list, Queue{Name: name})
		case "stopped":
			list = append(list, Queue{Name: name, Stopped: true})
		default:
			r.Note(r.Conf.Refuse(key, errors.New("want running or stopped")))
		}
	}
	return list
}

// List returns the configured queues, including stopped ones.
func (k *Keeper) List() []Queue {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.Queues
}

// CheckQueue returns an error if a queue is unknown or stopped.
func (k *Keeper) CheckQueue(name string) error {
	var names []string
	for _, q := range k.List() {
		if q.Name == name && q.Stopped {
			return failure.New(failure.Permission, "submit to queue", name, errors.New("the queue is stopped"))
		}
		if q.Name == name {
			return nil
		}
		names = append(names, q.Name)
	}
	return failure.New(failure.Config, "submit to queue", name,
		errors.New("unknown queue (mapreduce.job.queuename)")).
		Fix("use one of: " + strings.Join(names, " "))
}

// administrators returns the users who may administer the JobTracker.
func administrators(c *conf.Config) auth.ACL { return auth.ParseACL(conf.ClusterAdministrators.Get(c)) }

// users returns the users who may call the JobTracker.
func users(c *conf.Config) auth.ACL { return auth.ParseACL(conf.SecurityJobClientProtocolACL.Get(c)) }
