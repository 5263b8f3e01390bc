package daemon

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/howdah/howdah/internal/prom"
	"github.com/howdah/howdah/mrcluster"
)

// collectors returns the metrics of the pool and of each MR-cluster. The count of reconfigurations
// starts with the journal, all other counts with the process.
func (m *Manager) collectors() []prometheus.Collector {
	return []prometheus.Collector{&gauges{m}, m.times.calls, m.times.written}
}

// times observes how long the manager's calls and writes to the journal take.
type times struct{ calls, written *prometheus.HistogramVec }

func newTimes() times {
	return times{
		prom.Seconds("howdah_mrcluster_manager_rpc_seconds", "Time of calls by method, in seconds.", prom.Latencies,
			"method"),
		prom.Seconds("howdah_mrcluster_manager_journal_write_seconds",
			"Time to write and sync facts to the journal, in seconds.", prom.Latencies),
	}
}

// gauges reads the machine's state once per response.
type gauges struct{ m *Manager }

func describe(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("howdah_mrcluster_"+name, help, labels, nil)
}

var (
	poolNodes    = describe("pool_nodes", "Nodes of the pool by state.", "state")
	poolClusters = describe("pool_clusters", "MR-clusters by state.", "state")
	poolQueue    = describe("pool_queue_length", "MR-clusters that are waiting for their core nodes.")
	stalled      = describe("manager_journal_stalled",
		"1 while the disk of the journal rejects writes, so that the manager stalls; otherwise 0.")
	discrimination = describe("pool_discrimination_seconds_squared",
		"Global discrimination of the last interval; nodes move while it exceeds the threshold.")
	reconfigurations = describe("pool_reconfigurations_total", "Reconfigurations by weight since the journal began.")
	decisions        = describe("pool_decisions_total", "Facts that this process has decided or learned, by their name "+
		"in the journal.", "fact")
	clusterNodes      = describe("nodes", "Nodes of an MR-cluster that are not leaving it.", "cluster")
	clusterTarget     = describe("nodes_target", "Target number of nodes.", "cluster")
	clusterLeaving    = describe("nodes_leaving", "Nodes that are leaving the MR-cluster.", "cluster")
	clusterWeight     = describe("weight", "Weight in the last interval.", "cluster")
	clusterDifference = describe("discrimination_seconds", "Discrimination in the last interval.", "cluster")
	clusterJobs       = describe("jobs", "Unfinished jobs.", "cluster")
	clusterWaiting    = describe("tasks_waiting", "Waiting tasks.", "cluster")
	clusterRunning    = describe("tasks_running", "Running tasks.", "cluster")
)

// Describe implements prometheus.Collector.
func (g *gauges) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{poolNodes, poolClusters, poolQueue, stalled,
		discrimination, reconfigurations, decisions,
		clusterNodes, clusterTarget, clusterLeaving,
		clusterWeight, clusterDifference, clusterJobs, clusterWaiting, clusterRunning} {
		ch <- d
	}
}

// Collect implements prometheus.Collector.
func (g *gauges) Collect(ch chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	stands := 0.0
	if g.m.stalled.Load() {
		stands = 1
	}
	ch <- prometheus.MustNewConstMetric(stalled, prometheus.GaugeValue, stands)
	decided := map[string]int64{}
	v, err := ask(ctx, g.m.owner, func() (mrcluster.View, error) {
		for kind, n := range g.m.ledger.decided {
			decided[kind.String()] = n
		}
		return g.m.owner.m.View(), nil
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
