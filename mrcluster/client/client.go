// Package client is how commands and programs reach an MR-cluster of which they know the name: through the manager of its pool.
package client

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"

	"google.golang.org/grpc"

	jobclient "github.com/howdah/howdah/client"
	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs/hdfs"
	"github.com/howdah/howdah/internal/rpc"
	"github.com/howdah/howdah/internal/wire/pool"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mrcluster"
)

// The keys by which an MR-cluster is found.
const (
	KeyName    = "howdah.mrcluster.name"
	KeyManager = "howdah.mrcluster.manager.address"
)

// DefaultPort is that of a manager that has no address configured.
const DefaultPort = "9011"

// Dial prepares a connection to the configured manager. An address that is none is of kind Config.
func Dial(c *conf.Config) (*grpc.ClientConn, pool.PoolClient, error) {
	address := cmp.Or(c.Get(KeyManager), net.JoinHostPort("127.0.0.1", DefaultPort))
	if _, port, err := net.SplitHostPort(address); err != nil || port == "0" {
		return nil, nil, c.Refuse(KeyManager, errors.New("a command needs the host:port that the manager told when it was ready"))
	}
	conn, err := rpc.Dial(address, rpc.Options{})
	if err != nil {
		return nil, nil, err
	}
	return conn, pool.NewPoolClient(conn), nil
}

// InUse is an MR-cluster that is kept alive for a client.
type InUse struct {
	Binary   string          // the program of its daemons; "" = the pool's own, or there is no MR-cluster
	Settings []conf.Property // what makes a configuration point to it; none without an MR-cluster
	ctx      context.Context // ends with the deployment too, with that as its cause
	release  func()
}

// lost is why the deployment has ended, nil = it has not.
func (u *InUse) lost() error {
	var e *failure.Error
	if errors.As(context.Cause(u.ctx), &e) {
		return e
	}
	return nil
}

// Release lets go of it: it may be removed when it has had nothing to do for a while.
func (u *InUse) Release() { u.release() }

// Use is for whoever has jobs to run: it waits until the MR-cluster that c names is deployed, makes c point to it, and keeps it alive until
// it is released; a job that is being prepared is nothing to do as yet, as the manager sees it. What is waited for is written to say.
// If c names none, nothing happens.
func Use(ctx context.Context, c *conf.Config, say io.Writer) (*InUse, error) {
	name := c.Get(KeyName)
	if name == "" {
		return &InUse{ctx: ctx, release: func() {}}, nil
	}
	conn, p, err := Dial(c)
	if err != nil {
		return nil, err
	}
	x, err := deploy(ctx, p, name, say)
	if err != nil {
		conn.Close()
		return nil, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		cancel(keepAlive(ctx, p, x))
	}()
	return &InUse{Binary: x.GetSpec().GetBinary(), Settings: point(c, x), ctx: ctx, release: func() {
		cancel(nil)
		<-done
		conn.Close()
	}}, nil
}

// maxMoves is how often Run begins anew.
const maxMoves = 3

// Run is Use for all that run does. When run's error is that servers were not there and no job was submitted, as unsent tells, the manager is
// asked again and run begins anew, at most three times: the master may have been lost just now, and a new deployment has other servers.
// A job that was submitted is lost with its deployment: then run's context ends, and the error says so.
func Run(ctx context.Context, c *conf.Config, say io.Writer, unsent func(error) bool, run func(context.Context, *InUse) error) error {
	for moves := 0; ; moves++ {
		x, err := Use(ctx, c, say)
		if err != nil {
			return err
		}
		err = run(x.ctx, x)
		lost := x.lost()
		x.Release()
		switch {
		case c.Get(KeyName) == "" || err == nil:
			return err
		case moves == maxMoves || !unsent(err):
			return cmp.Or(lost, err)
		}
		fmt.Fprintf(say, "MR-cluster %s: no job was submitted (%v): asking the manager again\n", c.Get(KeyName), err)
	}
}

// Find is for whoever has questions to ask: it makes c point to the JobTracker and the HDFS of the MR-cluster that c names. One that is not
// deployed is of kind Unreachable. If c names none, nothing happens.
func Find(ctx context.Context, c *conf.Config) error {
	return find(ctx, c, func(x *pool.Cluster) bool { return up(x) })
}

// FindFiles is Find for whoever only works on files: an MR-cluster without an HDFS of its own need not be deployed for that.
func FindFiles(ctx context.Context, c *conf.Config) error {
	return find(ctx, c, func(x *pool.Cluster) bool { return up(x) || !x.GetSpec().GetHdfs() })
}

func find(ctx context.Context, c *conf.Config, enough func(*pool.Cluster) bool) error {
	name := c.Get(KeyName)
	if name == "" {
		return nil
	}
	conn, p, err := Dial(c)
	if err != nil {
		return err
	}
	defer conn.Close()
	x, err := look(ctx, p, name)
	if err != nil {
		return err
	}
	if !enough(x) {
		return failure.New(failure.Unreachable, "find MR-cluster", name, errors.New("it is not deployed ("+x.State+")")).
			Fix("its next job deploys it: howdah run --mrcluster " + name + " ...")
	}
	point(c, x)
	return nil
}

// look gives the state of an MR-cluster.
func look(ctx context.Context, p pool.PoolClient, name string) (*pool.Cluster, error) {
	s, err := p.Status(ctx, &pool.StatusRequest{Cluster: name})
	if err != nil {
		return nil, err
	}
	return s.Cluster[0], nil
}

// up tells whether the addresses of an MR-cluster's servers are known.
func up(x *pool.Cluster) bool {
	e := x.GetEndpoints()
	return e.GetJobTracker() != "" && (e.GetNameNode() != "" || !x.GetSpec().GetHdfs())
}

// point makes c point to an MR-cluster, as far as it is up, and gives what it has set. A file system that the user named with -fs stays.
func point(c *conf.Config, x *pool.Cluster) (settings []conf.Property) {
	set := func(key, value string) {
		if value != "" {
			c.Set(key, value, "MR-cluster "+x.GetSpec().GetName())
			settings = append(settings, conf.Property{Name: key, Value: value})
		}
	}
	e := x.GetEndpoints()
	if e.GetJobTracker() != "" {
		set("mapreduce.framework.name", "classic")
	}
	if c.Get(jobclient.KeyConnect) == "0" { // the manager has reached it: if it is not there it may be back soon
		set(jobclient.KeyConnect, c.Get(jobclient.KeyReconnect))
	}
	set("mapreduce.jobtracker.address", e.GetJobTracker())
	set("mapreduce.jobtracker.http.address", e.GetJobTrackerWeb())
	if _, by, _ := c.Lookup("fs.defaultFS"); by != "-fs" {
		set("fs.defaultFS", e.GetNameNode())
		if e.GetNameNode() != "" {
			spec := mrcluster.Spec{Core: int(x.GetSpec().GetCore()), Conf: x.GetSpec().GetConf()}
			set(hdfs.KeyDefaultReplication, strconv.Itoa(spec.Replicas()))
		}
	}
	return settings
}
