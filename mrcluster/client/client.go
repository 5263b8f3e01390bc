// Package client connects commands and programs to named MR-clusters through the manager of their
// pool. Start with Run, which runs jobs on an MR-cluster, and Find, which locates an MR-cluster for
// queries. A Client, from Dial, creates, shows, and removes MR-clusters.
package client

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/transport/manager"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mrcluster/status"
)

// KeyManager is the configuration key of the manager's address.
const (
	KeyManager = "howdah.mrcluster.manager.address"
)

// DefaultPort is the port of a manager if none is configured.
const DefaultPort = "9011"

// InUse is an MR-cluster that a client is using. The MR-cluster stays deployed until Release.
type InUse struct {
	Binary   string          // program of the MR-cluster's daemons; "" = the pool's own program, or no MR-cluster
	Settings []conf.Property // settings that direct a configuration to the MR-cluster; empty without an MR-cluster
	ctx      context.Context // canceled when the deployment ends; the cause says why it ended
	release  func()
}

// lost returns the reason why the deployment has ended, or nil while it exists.
func (u *InUse) lost() error {
	var e *failure.Error
	if errors.As(context.Cause(u.ctx), &e) {
		return e
	}
	return nil
}

// Release ends the use. The manager can then end the deployment after it has been idle for a while.
func (u *InUse) Release() { u.release() }

// Use prepares an MR-cluster for jobs. It waits until the MR-cluster that c names is deployed, and
// directs c to it. It keeps the MR-cluster alive until the caller releases it, because an
// MR-cluster whose job is still being prepared looks idle to the manager. While it waits, Use
// writes messages to say. If c does not name an MR-cluster, Use changes nothing.
func Use(ctx context.Context, c *conf.Config, say io.Writer) (*InUse, error) {
	name := conf.MRClusterName.Get(c)
	if name == "" {
		return &InUse{ctx: ctx, release: func() {}}, nil
	}
	m, err := Dial(c)
	if err != nil {
		return nil, err
	}
	x, err := deploy(ctx, c, m.manager, name, say)
	if err != nil {
		m.Close()
		return nil, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		cancel(keepAlive(ctx, m.manager, x))
	}()
	return &InUse{Binary: x.Spec.Binary, Settings: point(c, x), ctx: ctx, release: func() {
		cancel(nil)
		<-done
		m.Close()
	}}, nil
}

// maxMoves is the maximum number of times that Run starts over.
const maxMoves = 3

// Run calls run while it keeps the MR-cluster in use, like Use. If run fails and unsent reports
// that no job was submitted, Run asks the manager again and retries run, at most three times. This
// helps if the master was lost, because a new deployment has other servers. A job that was already
// submitted is lost if its deployment ends. In that case, Run cancels run's context and returns an
// error that explains the loss.
func Run(ctx context.Context, c *conf.Config, say io.Writer, unsent func(error) bool,
	run func(context.Context, *InUse) error) error {
	for moves := 0; ; moves++ {
		x, err := Use(ctx, c, say)
		if err != nil {
			return err
		}
		err = run(x.ctx, x)
		lost := x.lost()
		x.Release()
		switch {
		case conf.MRClusterName.Get(c) == "" || err == nil:
			return err
		case moves == maxMoves || !unsent(err):
			return cmp.Or(lost, err)
		}
		fmt.Fprintf(say, "MR-cluster %s: no job was submitted (%v): asking the manager again\n", conf.MRClusterName.Get(c),
			err)
	}
}

// Find directs c to the JobTracker and the HDFS of the MR-cluster that c names, for callers that
// only query. It returns an error of kind Unreachable if the MR-cluster is not deployed. If c does
// not name an MR-cluster, Find does nothing.
func Find(ctx context.Context, c *conf.Config) error {
	return find(ctx, c, (*status.Cluster).Up)
}

// FindFiles is like Find, for callers that only access files. An MR-cluster without its own HDFS
// does not have to be deployed.
func FindFiles(ctx context.Context, c *conf.Config) error {
	return find(ctx, c, func(x *status.Cluster) bool { return x.Up() || !x.Spec.HDFS })
}

func find(ctx context.Context, c *conf.Config, enough func(*status.Cluster) bool) error {
	name := conf.MRClusterName.Get(c)
	if name == "" {
		return nil
	}
	m, err := Dial(c)
	if err != nil {
		return err
	}
	defer m.Close()
	x, err := look(ctx, m.manager, name)
	if err != nil {
		return err
	}
	if !enough(x) {
		return failure.New(failure.Unreachable, "find MR-cluster", name,
			errors.New("the MR-cluster is not deployed ("+x.State.String()+")")).
			Fix("its next job deploys it: howdah run --mrcluster " + name + " ...")
	}
	point(c, x)
	return nil
}

// look returns the state of an MR-cluster.
func look(ctx context.Context, m manager.Manager, name string) (*status.Cluster, error) {
	s, err := m.Status(ctx, name)
	if err != nil {
		return nil, err
	}
	return s.Clusters[0], nil
}

// point directs c to those servers of an MR-cluster that are up, and returns the settings that it
// changed. It keeps a file system that the user named with -fs.
func point(c *conf.Config, x *status.Cluster) (settings []conf.Property) {
	set := func(key, value string) {
		if value != "" {
			c.Set(key, value, "MR-cluster "+x.Spec.Name)
			settings = append(settings, conf.Property{Name: key, Value: value})
		}
	}
	e := x.Endpoints
	if e.JobTracker != "" {
		set(conf.FrameworkName.Name, "classic")
	}
	// The manager reached the JobTracker recently. If the JobTracker does not answer now, it may be
	// back soon, so allow time to connect.
	if c.Get(conf.ClientConnectTimeout.Name) == "0" {
		set(conf.ClientConnectTimeout.Name, c.Get(conf.ClientReconnectTimeout.Name))
	}
	set(conf.JobTrackerAddress.Name, e.JobTracker)
	set(conf.JobTrackerHTTPAddress.Name, e.JobTrackerWeb)
	if _, by, _ := c.Lookup(conf.FSDefaultFS.Name); by != "-fs" {
		set(conf.FSDefaultFS.Name, e.NameNode)
		if e.NameNode != "" {
			set(conf.HDFSDefaultReplication.Name, strconv.Itoa(x.Spec.Replicas()))
		}
	}
	return settings
}
