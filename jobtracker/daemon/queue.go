package daemon

import (
	"errors"
	"strings"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
)

// Queue is a queue that jobs may name.
type Queue struct {
	Name    string
	Stopped bool // mapred.queue.NAME.state=stopped: takes no new jobs
}

const defaultQueue = "default"

func (q Queue) state() string {
	if q.Stopped {
		return "stopped"
	}
	return "running"
}

func queues(r *reader) []Queue {
	var list []Queue
	for _, name := range r.Conf.Strings("mapred.queue.names") {
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

// list gives the queues that jobs may name.
func (p *policies) list() []Queue {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.queues
}

func (p *policies) checkQueue(name string) error {
	var names []string
	for _, q := range p.list() {
		if q.Name == name && q.Stopped {
			return failure.New(failure.Permission, "submit to queue", name, errors.New("the queue is stopped"))
		}
		if q.Name == name {
			return nil
		}
		names = append(names, q.Name)
	}
	return failure.New(failure.Config, "submit to queue", name, errors.New("there is no such queue (mapreduce.job.queuename)")).
		Fix("use one of: " + strings.Join(names, " "))
}

// administrators reads who may administer the JobTracker: users, separated by commas; what follows a blank are groups in
// Hadoop, which nobody here can check.
func administrators(c *conf.Config) []string {
	users, _, _ := strings.Cut(strings.TrimSpace(c.Get(keyAdmins)), " ")
	return strings.FieldsFunc(users, func(r rune) bool { return r == ',' })
}
