package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	urfave "github.com/urfave/cli/v2"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/wire/pool"
	"github.com/howdah/howdah/job/failure"
)

func mrclusterFlag() urfave.Flag {
	return &urfave.StringFlag{Name: "mrcluster", Usage: "run on the MR-cluster `NAME`, which is deployed if need be"}
}

// lookAgain is the pause between two looks at an MR-cluster that is being deployed, and between two signs of life.
const lookAgain = time.Second

// onMRCluster waits until an MR-cluster is deployed, makes the configuration point to it, and keeps it alive until release is called:
// a job that is being prepared is nothing to do as yet, as the manager sees it.
func onMRCluster(ctx context.Context, cfg *conf.Config, name string, say io.Writer) (release func(), err error) {
	conn, p, err := dialPool(cfg)
	if err != nil {
		return nil, err
	}
	c, err := deploy(ctx, p, name, say)
	if err != nil {
		conn.Close()
		return nil, err
	}
	for _, p := range pointTo(c) {
		cfg.Set(p.Name, p.Value, p.Source)
	}
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		keepAlive(ctx, p, c)
	}()
	return func() {
		cancel()
		<-done
		conn.Close()
	}, nil
}

// deploy asks for an MR-cluster and waits until jobs can go there. What it waits for is written to say.
func deploy(ctx context.Context, p pool.PoolClient, name string, say io.Writer) (*pool.Cluster, error) {
	const op = "deploy MR-cluster"
	told := ""
	tell := func(text string) {
		if text != told {
			fmt.Fprintf(say, "MR-cluster %s: %s\n", name, text)
			told = text
		}
	}
	c, err := patiently(ctx, tell, func() (*pool.Cluster, error) { return p.Job(ctx, &pool.JobRequest{Cluster: name}) })
	for err == nil {
		switch {
		case c.Doomed:
			return nil, failure.New(failure.Failed, op, name, errors.New("it is being removed"))
		case c.State == "defined":
			return nil, failure.New(failure.Failed, op, name, errors.New(c.LastError)).Fix("howdah mrcluster status " + name + " shows more")
		case c.State != "active":
			tell(fmt.Sprintf("%s (%d of %d core nodes)", c.State, c.Cores, c.GetSpec().GetCore()))
		case serves(ctx, c):
			return c, nil
		default:
			tell("waiting for its JobTracker")
		}
		select {
		case <-ctx.Done():
			return nil, failure.New(failure.Interrupted, op, name, nil)
		case <-time.After(lookAgain / 4):
		}
		c, err = patiently(ctx, tell, func() (*pool.Cluster, error) { return look(ctx, p, name) })
	}
	return nil, err
}

// serves tells whether an MR-cluster's servers can be reached.
func serves(ctx context.Context, c *pool.Cluster) bool {
	e := c.GetEndpoints()
	if e.GetJobTracker() == "" || c.GetSpec().GetHdfs() && e.GetNameNode() == "" {
		return false
	}
	_, err := joined(ctx, e.GetJobTracker())
	return err == nil
}

// look gives the state of an MR-cluster.
func look(ctx context.Context, p pool.PoolClient, name string) (*pool.Cluster, error) {
	s, err := p.Status(ctx, &pool.StatusRequest{Cluster: name})
	if err != nil {
		return nil, err
	}
	return s.Cluster[0], nil
}

// managerPatience is how long a manager is waited for that does not answer: it may just be started again.
const managerPatience = 20 * time.Second

// patiently repeats a question to the manager while it does not answer.
func patiently(ctx context.Context, tell func(string), ask func() (*pool.Cluster, error)) (*pool.Cluster, error) {
	for began := time.Now(); ; {
		c, err := ask()
		if !failure.Is(err, failure.Unreachable) || time.Since(began) > managerPatience || ctx.Err() != nil {
			return c, err
		}
		tell("waiting for the manager")
		select {
		case <-ctx.Done():
		case <-time.After(lookAgain / 4):
		}
	}
}

// keepAlive tells the manager that an MR-cluster is wanted, until ctx ends. Whether the manager hears it is its own business.
func keepAlive(ctx context.Context, p pool.PoolClient, c *pool.Cluster) {
	for {
		_, _ = p.Job(ctx, &pool.JobRequest{Cluster: c.GetSpec().GetName(), Deployment: c.Deployment})
		select {
		case <-ctx.Done():
			return
		case <-time.After(lookAgain):
		}
	}
}

// pointTo gives the settings by which jobs go to an MR-cluster.
func pointTo(c *pool.Cluster) []conf.Property {
	source := "--mrcluster " + c.GetSpec().GetName()
	e := c.GetEndpoints()
	list := []conf.Property{
		{Name: "mapreduce.framework.name", Value: "classic", Source: source},
		{Name: "mapreduce.jobtracker.address", Value: e.GetJobTracker(), Source: source},
	}
	if web := e.GetJobTrackerWeb(); web != "" {
		list = append(list, conf.Property{Name: "mapreduce.jobtracker.http.address", Value: web, Source: source})
	}
	if fs := e.GetNameNode(); fs != "" {
		list = append(list, conf.Property{Name: "fs.defaultFS", Value: fs, Source: source})
	}
	return list
}
