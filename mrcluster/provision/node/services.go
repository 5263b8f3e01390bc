package node

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/howdah/howdah/mrcluster"
)

// services are the processes of a deployment on this node, in the order in which they start.
type services struct {
	*deployment
	list   []*service
	ports  *ports
	master Endpoints // known addresses of the master's servers
	asked  time.Time
	// awaited describes the next service that must come up; "" means that all are up.
	awaited string
	// foretold is the last change that foretell wrote: the numbers of nodes before and after it.
	foretold [2]int
}

// askTimeout limits a request to the master's agent.
const askTimeout = 5 * time.Second

// round runs one round of each wanted service and stops the others. It starts a service only when
// the services that it needs are up, or are known to have come up on the master's node. A running
// service continues even if the services that it needs go down.
func (s *services) round(ctx context.Context, want mrcluster.Desired) (up bool, err error) {
	if err := s.possible(want); err != nil {
		return false, err
	}
	s.ask(ctx, want)
	up, s.awaited = true, ""
	var roles []string
	for _, build := range s.wanted(want) {
		role, now := build(want)
		roles = append(roles, role.name)
		serves := false
		if now {
			var failed error
			serves, failed = s.get(role.name).round(ctx, role)
			err = cmp.Or(err, failed)
		}
		if serves && want.Master {
			role.publish(&s.master, s.get(role.name).addrs)
		}
		if up && !serves {
			up, s.awaited = false, waiting(role.name, now)
		}
	}
	s.stopOthers(roles)
	if want.Master && s.serves(jobTrackerName) && foretells(s.wishes(want)) {
		err = cmp.Or(err, s.foretell(want))
	}
	return up, err
}

// waiting describes the wait for a service that is not yet up. now reports whether the services
// that it needs are up.
func waiting(name string, now bool) string {
	if now {
		return name + " is starting"
	}
	return name + " is waiting for other services"
}

// possible returns an error if no service can start on this node. It also reads the recorded ports.
func (s *services) possible(want mrcluster.Desired) error {
	if s.ports == nil {
		var err error
		if s.ports, err = readPorts(s.path("ports.json")); err != nil {
			return err
		}
	}
	if _, err := s.node.program(want.Spec, ""); err != nil {
		return err
	}
	if want.Spec.HDFS {
		return s.node.hdfs.Check()
	}
	return nil
}

// wanted returns the constructors of the roles that a node should run, in the order in which they
// start. A transient node stores no data.
func (s *services) wanted(want mrcluster.Desired) []func(mrcluster.Desired) (role, bool) {
	var out []func(mrcluster.Desired) (role, bool)
	if want.Master && want.Spec.HDFS {
		out = append(out, s.nameNode)
	}
	if want.Kind.MayStore() && want.Spec.HDFS {
		out = append(out, s.dataNode)
	}
	if want.Master {
		out = append(out, s.jobTracker)
	}
	return append(out, s.taskTracker)
}

// stopOthers stops the services of all roles that the node should no longer run.
func (s *services) stopOthers(roles []string) {
	for _, x := range s.list {
		if !slices.Contains(roles, x.role.name) {
			x.stop()
		}
	}
}

// ask updates the addresses of the master's servers. If an address is missing from the answer, ask
// keeps the old one because a restarted server usually comes back at its old address.
func (s *services) ask(ctx context.Context, want mrcluster.Desired) {
	known := s.master.JobTracker != "" && (!want.Spec.HDFS || s.master.NameNode != "")
	if want.Master || want.MasterAddr == "" || known && time.Since(s.asked) < lookAgain {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	s.asked = time.Now()
	e, err := s.node.cfg.Master(ctx, want)
	if err != nil || e.Cluster != s.id.Cluster || e.Deployment != s.id.Deployment {
		return
	}
	if e.JobTracker != "" {
		s.master.JobTracker = e.JobTracker
	}
	if e.NameNode != "" {
		s.master.NameNode = e.NameNode
	}
}

// serves reports whether the named service is up.
func (s *services) serves(name string) bool {
	x := s.get(name)
	return x.tree != nil && x.served
}

func (s *services) get(name string) *service {
	i := slices.IndexFunc(s.list, func(x *service) bool { return x.role.name == name })
	if i < 0 {
		i = len(s.list)
		s.list = append(s.list, &service{d: s.deployment, role: role{name: name}})
	}
	return s.list[i]
}

// endpoints returns the addresses of the services that are up.
func (s *services) endpoints() Endpoints {
	var e Endpoints
	for _, x := range s.list {
		if x.tree != nil && x.served {
			x.role.publish(&e, x.addrs)
		}
	}
	return e
}

// stop stops all services. It stops the TaskTracker first, because it started last and has the most
// to clean up. Then it stops the others in parallel.
func (s *services) stop() {
	var others sync.WaitGroup
	for i, x := range slices.Backward(s.list) {
		if i == len(s.list)-1 {
			x.stop()
			continue
		}
		others.Go(x.stop)
	}
	others.Wait()
}
