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

	"github.com/howdah/howdah/internal/jsonout"
	"github.com/howdah/howdah/internal/plural"
	"github.com/howdah/howdah/mrcluster"
	mrclient "github.com/howdah/howdah/mrcluster/client"
	"github.com/howdah/howdah/mrcluster/status"
)

func (s *session) mrclusterList(c *urfave.Context) error {
	return s.withPool(c.Context, func(ctx context.Context, p *mrclient.Client) error {
		r, err := p.Status(ctx, "")
		if err != nil {
			return err
		}
		return s.show(c, jsonout.OfMRClusters(r.Clusters), func() error { return writeClusters(s.out, r.Clusters) })
	})
}

func (s *session) mrclusterStatus(c *urfave.Context) error {
	if c.Args().Len() > 1 {
		return exactly(c, 1)
	}
	return s.withPool(c.Context, func(ctx context.Context, p *mrclient.Client) error {
		r, err := p.Status(ctx, c.Args().First())
		if err != nil {
			return err
		}
		return s.show(c, jsonout.OfPool(r), func() error { return writePool(s.out, r) })
	})
}

func writeClusters(out io.Writer, list []*status.Cluster) error {
	w := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	fmt.Fprintln(w, "NAME\tOWNER\tSTATE\tNODES\tCORE\tWEIGHT\tJOBS\tTASKS\tJOBTRACKER\tNOTE")
	for _, c := range list {
		m := &c.Sample
		nodes := fmt.Sprintf("%d of %d", c.Held, c.Target)
		if c.Size > 0 {
			nodes += fmt.Sprintf(", at least %d", c.Size)
		}
		if c.Leaving > 0 {
			nodes += fmt.Sprintf(", %d leaving", c.Leaving)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%d\t%.2f\t%d\t%d, %d waiting\t%s\t%s\n", c.Spec.Name, c.Spec.User, c.State, nodes,
			c.Spec.Core, c.Weight, m.Jobs, m.RunningTasks, m.WaitingTasks,
			c.Endpoints.JobTracker, oneLine(noteOn(c)))
	}
	return w.Flush()
}

// noteOn returns a description of an MR-cluster's problems and their remedies.
func noteOn(c *status.Cluster) string {
	var notes []string
	if c.Doomed {
		notes = append(notes, "is being removed")
	}
	if c.LastError != "" {
		notes = append(notes, c.LastError)
	}
	if c.LastError != "" && c.State == mrcluster.Saving {
		notes = append(notes, "the manager retries this; howdah mrcluster remove --discard "+c.Spec.Name+
			" discards the output")
	}
	return strings.Join(notes, "; ")
}

func writePool(out io.Writer, p *status.Pool) error {
	fmt.Fprintf(out, "pool %s, weights %s, global discrimination %.4g of %.6g s^2, %s\n", p.Name,
		p.Weights, p.Global, p.Threshold, plural.Of(p.Reconfigurations, "reconfiguration"))
	if len(p.Queue) > 0 {
		fmt.Fprintf(out, "waiting, in order: %s\n", strings.Join(p.Queue, " "))
	}
	if err := writeClusters(out, p.Clusters); err != nil {
		return err
	}
	fmt.Fprintln(out)
	w := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	fmt.Fprintln(w, "NODE\tSTATE\tMR-CLUSTER\tKIND\tSTORED\tSINCE\tNOTE")
	for _, n := range p.Nodes {
		kind, note := n.Kind.String(), cmp.Or(n.Problem, n.Doing)
		if n.FailedAt > 0 {
			note = since(p.NowMs, n.FailedAt) + " ago: " + note
		}
		if n.Master {
			kind += ", master"
		}
		if n.State == mrcluster.Draining {
			note = strings.TrimSuffix(fmt.Sprintf("%d bytes to move; %s", n.Left, note), "; ")
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%d\t%s\t%s\n", n.Name, n.State, n.Cluster, kind, n.Stored, since(p.NowMs, n.Since),
			oneLine(note))
	}
	if err := w.Flush(); err != nil || len(p.Events) == 0 {
		return err
	}
	return writeEvents(out, p.NowMs, p.Events)
}

// shownEvents is the maximum number of decisions in a status. The web page and the journal have
// more.
const shownEvents = 20

func writeEvents(out io.Writer, nowMs int64, list []*status.Event) error {
	fmt.Fprintln(out)
	w := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	fmt.Fprintln(w, "TIME\tDECISION\tMR-CLUSTER\tNODE\tWHY")
	for _, e := range list[:min(len(list), shownEvents)] {
		why := e.Reason
		for _, x := range e.Shares {
			why += fmt.Sprintf("; %s: %d nodes (weight %.2f, discrimination %.1f s)", x.Cluster, x.Nodes, x.Weight,
				x.Discrimination)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", dayAndTime(nowMs, e.TimeMs), e.Fact, e.Cluster,
			strings.TrimSpace(e.Node+" "+e.Kind.String()), oneLine(why))
	}
	return w.Flush()
}

// dayAndTime formats a time of day. It adds the date if it is not today's.
func dayAndTime(nowMs, thenMs int64) string {
	now, then := time.UnixMilli(nowMs), time.UnixMilli(thenMs)
	if now.Format(time.DateOnly) == then.Format(time.DateOnly) {
		return then.Format("15:04:05.000")
	}
	return then.Format("2006-01-02 15:04:05.000")
}

// since formats the time that has passed between thenMs and nowMs, in whole seconds.
func since(nowMs, thenMs int64) string {
	return (time.Duration(max(0, nowMs-thenMs)) * time.Millisecond).Truncate(time.Second).String()
}

// oneLine replaces line breaks with spaces, so that a multi-line message fits a table row.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
