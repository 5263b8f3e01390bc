package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	urfave "github.com/urfave/cli/v2"

	"github.com/howdah/howdah/internal/wire/pool"
	"github.com/howdah/howdah/mrcluster"
)

// clusterObject is an MR-cluster in --json. Scripts rely on these names.
type clusterObject struct {
	Name           string  `json:"name"`
	State          string  `json:"state"`
	SinceMs        int64   `json:"since_ms"`
	Deployment     int64   `json:"deployment"`
	Core           int32   `json:"core"`
	Grow           string  `json:"grow"`
	HDFS           bool    `json:"hdfs"`
	Nodes          int32   `json:"nodes"`
	Target         int32   `json:"target"`
	Leaving        int32   `json:"leaving"`
	Weight         float64 `json:"weight"`
	Discrimination float64 `json:"discrimination_s"`
	Overall        float64 `json:"overall_discrimination_s"`
	Jobs           int64   `json:"jobs"`
	WaitingTasks   int64   `json:"waiting_tasks"`
	RunningTasks   int64   `json:"running_tasks"`
	Master         string  `json:"master"`
	JobTracker     string  `json:"jobtracker"`
	Web            string  `json:"web"`
	NameNode       string  `json:"namenode"`
	NameNodeWeb    string  `json:"namenode_web"`
	Removing       bool    `json:"removing"`
	LastError      string  `json:"last_error"`
}

// nodeObject is a node in --json.
type nodeObject struct {
	Name     string `json:"name"`
	Addr     string `json:"address"`
	State    string `json:"state"`
	SinceMs  int64  `json:"since_ms"`
	Cluster  string `json:"cluster"`
	Kind     string `json:"kind"`
	Master   bool   `json:"master"`
	Stored   int64  `json:"stored_bytes"`
	Left     int64  `json:"left_bytes"`
	Problem  string `json:"problem"`
	FailedMs int64  `json:"failed_ms"`
	Doing    string `json:"doing"`
}

// poolObject is the pool in --json.
type poolObject struct {
	Pool             string          `json:"pool"`
	Weights          string          `json:"weights"`
	Global           float64         `json:"global_discrimination_s2"`
	Reconfigurations int64           `json:"reconfigurations"`
	Queue            []string        `json:"queue"`
	Clusters         []clusterObject `json:"clusters"`
	Nodes            []nodeObject    `json:"nodes"`
}

func clusterJSON(c *pool.Cluster) clusterObject {
	e, m := c.GetEndpoints(), c.GetSample()
	return clusterObject{Name: c.Spec.GetName(), State: c.State, SinceMs: c.SinceMs, Deployment: c.Deployment, Core: c.Spec.GetCore(), Grow: c.Spec.GetGrow(), HDFS: c.Spec.GetHdfs(),
		Nodes: c.Held, Target: c.Target, Leaving: c.Leaving, Weight: c.Weight, Discrimination: c.Discrimination, Overall: c.Overall,
		Jobs: m.GetJobs(), WaitingTasks: m.GetWaitingTasks(), RunningTasks: m.GetRunningTasks(), Master: c.Master,
		JobTracker: e.GetJobTracker(), Web: e.GetJobTrackerWeb(), NameNode: e.GetNameNode(), NameNodeWeb: e.GetNameNodeWeb(), Removing: c.Doomed, LastError: c.LastError}
}

func clustersJSON(list []*pool.Cluster) []clusterObject {
	out := []clusterObject{}
	for _, c := range list {
		out = append(out, clusterJSON(c))
	}
	return out
}

func poolJSON(p *pool.PoolStatus) poolObject {
	o := poolObject{Pool: p.Pool, Weights: p.Weights, Global: p.Global, Reconfigurations: p.Reconfigurations, Queue: append([]string{}, p.Queue...),
		Clusters: clustersJSON(p.Cluster), Nodes: []nodeObject{}}
	for _, n := range p.Node {
		o.Nodes = append(o.Nodes, nodeObject{n.Name, n.Addr, n.State, n.SinceMs, n.Cluster, n.Kind, n.Master, n.Stored, n.Left, n.Problem, n.FailedMs, n.Doing})
	}
	return o
}

func (s *session) mrclusterList(c *urfave.Context) error {
	if err := exactly(c, 0); err != nil {
		return err
	}
	return s.withPool(c.Context, func(ctx context.Context, p pool.PoolClient) error {
		r, err := p.Status(ctx, &pool.StatusRequest{})
		if err != nil {
			return err
		}
		if c.Bool("json") {
			return writeJSON(s.out, clustersJSON(r.Cluster))
		}
		return writeClusters(s.out, r.Cluster)
	})
}

func (s *session) mrclusterStatus(c *urfave.Context) error {
	if c.Args().Len() > 1 {
		return exactly(c, 1)
	}
	return s.withPool(c.Context, func(ctx context.Context, p pool.PoolClient) error {
		r, err := p.Status(ctx, &pool.StatusRequest{Cluster: c.Args().First()})
		if err != nil {
			return err
		}
		if c.Bool("json") {
			return writeJSON(s.out, poolJSON(r))
		}
		return writePool(s.out, r)
	})
}

func writeClusters(out io.Writer, list []*pool.Cluster) error {
	w := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	fmt.Fprintln(w, "NAME\tSTATE\tNODES\tCORE\tWEIGHT\tJOBS\tTASKS\tJOBTRACKER\tNOTE")
	for _, c := range list {
		m := c.GetSample()
		nodes := fmt.Sprintf("%d of %d", c.Held, c.Target)
		if c.Leaving > 0 {
			nodes += fmt.Sprintf(", %d leaving", c.Leaving)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%d\t%.2f\t%d\t%d, %d wait\t%s\t%s\n", c.Spec.GetName(), c.State, nodes, c.Spec.GetCore(), c.Weight, m.GetJobs(), m.GetRunningTasks(), m.GetWaitingTasks(),
			c.GetEndpoints().GetJobTracker(), oneLine(noteOn(c)))
	}
	return w.Flush()
}

// noteOn says what is not as it should be, and what can be done about it.
func noteOn(c *pool.Cluster) string {
	var notes []string
	if c.Doomed {
		notes = append(notes, "is being removed")
	}
	if c.LastError != "" {
		notes = append(notes, c.LastError)
	}
	if c.LastError != "" && c.State == mrcluster.Saving.String() {
		notes = append(notes, "this is tried again; howdah mrcluster remove --discard "+c.Spec.GetName()+" gives it up")
	}
	return strings.Join(notes, "; ")
}

func writePool(out io.Writer, p *pool.PoolStatus) error {
	fmt.Fprintf(out, "pool %s, weights %s, global discrimination %.4g of %.6g s^2, %d reconfigurations\n", p.Pool, p.Weights, p.Global, p.Threshold, p.Reconfigurations)
	if len(p.Queue) > 0 {
		fmt.Fprintf(out, "waiting, first come first: %s\n", strings.Join(p.Queue, " "))
	}
	if err := writeClusters(out, p.Cluster); err != nil {
		return err
	}
	fmt.Fprintln(out)
	w := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	fmt.Fprintln(w, "NODE\tSTATE\tMR-CLUSTER\tKIND\tSTORED\tSINCE\tNOTE")
	for _, n := range p.Node {
		kind, note := n.Kind, cmp.Or(n.Problem, n.Doing)
		if n.FailedMs > 0 {
			note = since(p.NowMs, n.FailedMs) + " ago: " + note
		}
		if n.Master {
			kind += ", master"
		}
		if n.State == "draining" {
			note = strings.TrimSuffix(fmt.Sprintf("%d bytes to move; %s", n.Left, note), "; ")
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%d\t%s\t%s\n", n.Name, n.State, n.Cluster, kind, n.Stored, since(p.NowMs, n.SinceMs), oneLine(note))
	}
	if err := w.Flush(); err != nil || len(p.Event) == 0 {
		return err
	}
	return writeEvents(out, p.NowMs, p.Event)
}

// shownEvents bounds how many decisions a status shows; the page and the journal have more.
const shownEvents = 20

func writeEvents(out io.Writer, nowMs int64, list []*pool.Event) error {
	fmt.Fprintln(out)
	w := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	fmt.Fprintln(w, "TIME\tDECISION\tMR-CLUSTER\tNODE\tWHY")
	for _, e := range list[:min(len(list), shownEvents)] {
		why := e.Reason
		for _, x := range e.Share {
			why += fmt.Sprintf("; %s: %d nodes (weight %.2f, discrimination %.1f s)", x.Cluster, x.Nodes, x.Weight, x.Discrimination)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", dayAndTime(nowMs, e.TimeMs), e.Fact, e.Cluster, strings.TrimSpace(e.Node+" "+e.Kind), oneLine(why))
	}
	return w.Flush()
}

// dayAndTime is a time of day, with the day if it is not today's: a journal goes back further.
func dayAndTime(nowMs, thenMs int64) string {
	now, then := time.UnixMilli(nowMs), time.UnixMilli(thenMs)
	if now.Format(time.DateOnly) == then.Format(time.DateOnly) {
		return then.Format("15:04:05.000")
	}
	return then.Format("2006-01-02 15:04:05.000")
}

// since is how long ago something was, in whole seconds.
func since(nowMs, thenMs int64) string {
	return (time.Duration(max(0, nowMs-thenMs)) * time.Millisecond).Truncate(time.Second).String()
}

// oneLine keeps a row of a table a row: what a daemon logged last has lines.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
