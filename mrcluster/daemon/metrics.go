package daemon

import (
	"context"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/howdah/howdah/internal/prom"
	"github.com/howdah/howdah/mrcluster"
)

// MetricsHandler serves Prometheus metrics: of the pool, and of each MR-cluster under its name. They are read from the machine when somebody
// asks; decisions count from this process's start, reconfigurations from the journal's.
func (m *Manager) MetricsHandler() http.Handler {
	return prom.Handler(&gauges{m})
}

// gauges reads the machine's state once for all values of an answer.
type gauges struct{ m *Manager }

func describe(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("howdah_mrcluster_"+name, help, labels, nil)
}

var (
	poolNodes         = describe("pool_nodes", "Nodes of the pool by state.", "state")
	poolClusters      = describe("pool_clusters", "MR-clusters by state.", "state")
	poolQueue         = describe("pool_queue_length", "MR-clusters that wait for their core nodes.")
	discrimination    = describe("pool_discrimination_seconds_squared", "Global discrimination of the last interval; nodes move while it exceeds the threshold.")
	reconfigurations  = describe("pool_reconfigurations_total", "Reconfigurations by weight since the journal began.")
	decisions         = describe("pool_decisions_total", "Facts that this process has decided or learnt, by their name in the journal.", "fact")
	clusterNodes      = describe("nodes", "Nodes of an MR-cluster that are not leaving it.", "cluster")
	clusterTarget     = describe("nodes_target", "Nodes that it shall have.", "cluster")
	clusterLeaving    = describe("nodes_leaving", "Nodes that are on their way out of it.", "cluster")
	clusterWeight     = describe("weight", "Its weight in the last interval.", "cluster")
	clusterDifference = describe("discrimination_seconds", "Its discrimination in the last interval.", "cluster")
	clusterJobs       = describe("jobs", "Its unfinished jobs.", "cluster")
	clusterWaiting    = describe("tasks_waiting", "Its tasks that wait.", "cluster")
	clusterRunning    = describe("tasks_running", "Its tasks that run.", "cluster")
)

// Describe is part of prometheus.Collector.
func (g *gauges) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{poolNodes, poolClusters, poolQueue, discrimination, reconfigurations, decisions, clusterNodes, clusterTarget, clusterLeaving,
		clusterWeight, clusterDifference, clusterJobs, clusterWaiting, clusterRunning} {
		ch <- d
	}
}

// Collect is part of prometheus.Collector.
func (g *gauges) Collect(ch chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	var v mrcluster.View
	decided := map[string]int64{}
	err := g.m.owner.ask(ctx, func() {
		v = g.m.owner.m.View()
		for kind, n := range g.m.ledger.decided {
			decided[kind.String()] = n
		}
	})
	if err != nil {
		return
	}
	gauge := func(d *prometheus.Desc, x float64, labels ...string) {
		ch <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, x, labels...)
	}
	nodes, clusters := map[mrcluster.NodeState]float64{}, map[mrcluster.ClusterState]float64{}
	for _, n := range v.Nodes {
		nodes[n.State]++
	}
	for _, c := range v.Clusters {
		clusters[c.State]++
		name := c.Spec.Name
		gauge(clusterNodes, float64(c.Held), name)
		gauge(clusterTarget, float64(c.Target), name)
		gauge(clusterLeaving, float64(c.Leaving), name)
		gauge(clusterWeight, c.Weight, name)
		gauge(clusterDifference, c.Discrimination, name)
		gauge(clusterJobs, float64(c.Sample.Jobs), name)
		gauge(clusterWaiting, float64(c.Sample.WaitingTasks), name)
		gauge(clusterRunning, float64(c.Sample.RunningTasks), name)
	}
	for s := mrcluster.Free; s <= mrcluster.Lost; s++ {
		gauge(poolNodes, nodes[s], s.String())
	}
	for s := mrcluster.Defined; s <= mrcluster.Saving; s++ {
		gauge(poolClusters, clusters[s], s.String())
	}
	gauge(poolQueue, float64(len(v.Queue)))
	gauge(discrimination, v.Global)
	ch <- prometheus.MustNewConstMetric(reconfigurations, prometheus.CounterValue, float64(v.Reconfigurations))
	for name, n := range decided {
		ch <- prometheus.MustNewConstMetric(decisions, prometheus.CounterValue, float64(n), name)
	}
}
