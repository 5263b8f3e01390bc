// Package client is how commands and programs reach an MR-cluster of which they know the name: through the manager of its pool.
package client

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net"

	"google.golang.org/grpc"

	jobclient "github.com/howdah/howdah/client"
	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/rpc"
	"github.com/howdah/howdah/internal/wire/pool"
	"github.com/howdah/howdah/job/failure"
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

// Use is for whoever has jobs to run: it waits until the MR-cluster that c names is deployed, makes c point to it, and keeps it alive until
// release is called; a job that is being prepared is nothing to do as yet, as the manager sees it. What is waited for is written to say.
// If c names none, nothing happens.
func Use(ctx context.Context, c *conf.Config, say io.Writer) (release func(), err error) {
	name := c.Get(KeyName)
	if name == "" {
		return func() {}, nil
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
	point(c, x)
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		keepAlive(ctx, p, x)
	}()
	return func() {
		cancel()
		<-done
		conn.Close()
	}, nil
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

// Binary gives the program of the daemons of the MR-cluster that c names; "" = the pool's own, or c names none.
func Binary(ctx context.Context, c *conf.Config) (string, error) {
	name := c.Get(KeyName)
	if name == "" {
		return "", nil
	}
	conn, p, err := Dial(c)
	if err != nil {
		return "", err
	}
	defer conn.Close()
	x, err := look(ctx, p, name)
	return x.GetSpec().GetBinary(), err
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

// Points are the keys that Use and Find set.
var Points = []string{"mapreduce.framework.name", jobclient.KeyConnect, "mapreduce.jobtracker.address", "mapreduce.jobtracker.http.address", "fs.defaultFS"}

// point makes c point to an MR-cluster, as far as it is up. A file system that the user named with -fs stays.
func point(c *conf.Config, x *pool.Cluster) {
	source := "MR-cluster " + x.GetSpec().GetName()
	set := func(key, value string) {
		if value != "" {
			c.Set(key, value, source)
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
	}
}
