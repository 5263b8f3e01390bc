package btworld

import (
	"context"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/howdah/howdah/apps/internal/dir"
	"github.com/howdah/howdah/apps/internal/steps"
	"github.com/howdah/howdah/mapreduce"
)

// App returns the btworld application, which runs the whole workflow.
func App() *mapreduce.App {
	queries := workflow()
	a := &mapreduce.App{
		Name:  "btworld",
		Short: "runs the 14 queries of BTWorld on scrapes of BitTorrent trackers, in a workflow of 21 jobs",
		Usage: "[-top K] [-group SECONDS] [-parallel JOBS] <in>… <out>",
		Run: func(ctx context.Context, r mapreduce.Runner, args []string) error {
			o, err := parseArgs("btworld", args, true)
			if err != nil {
				return err
			}
			return runWorkflow(ctx, r, o, queries)
		},
	}
	for _, q := range queries {
		a.Jobs = append(a.Jobs, q.jobs...)
	}
	return a
}

func runWorkflow(ctx context.Context, r mapreduce.Runner, o *options, queries []query) error {
	if err := check(ctx, r, o); err != nil {
		return err
	}
	w := newRun(r, o, queries)
	err := w.graph.Run(ctx)
	if gone := dir.Delete(context.WithoutCancel(ctx), r.FS(), w.between()); err == nil {
		err = gone
	}
	if err != nil {
		return err
	}
	return w.report(r.Stdout())
}

// report prints each query's number of jobs, bytes read and written, and selectivity, followed by
// the numbers of scrapes and of damaged lines.
func (w *run) report(to io.Writer) error {
	t := tabwriter.NewWriter(to, 0, 8, 2, ' ', 0)
	fmt.Fprintln(t, "query\tjobs\tbytes in\tbytes out\tselectivity")
	for _, q := range w.queries {
		in, out := w.volume(q)
		fmt.Fprintf(t, "%s\t%d\t%d\t%d\t%.2g\n", q.name, len(q.jobs), in, out, float64(out)/float64(max(in, 1)))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	read := w.results["btworld-"+trackerOverTime].Counters
	good, _ := read.Get(group, counterScrapes)
	bad, _ := read.Get(group, counterDamaged)
	_, err := fmt.Fprintf(to, "%d scrapes; damaged lines skipped: %d\n", good, bad)
	return err
}

// TrackerOverTime returns the btworld-tt application, which runs only the TrackerOverTime query.
func TrackerOverTime() *mapreduce.App {
	return single("btworld-tt", "runs BTWorld's TrackerOverTime: the users of each BitTorrent tracker over "+
		"time",
		jobs(trackerJob()))
}

// ActiveHashes returns the btworld-ah application, which runs only the ActiveHashes query.
func ActiveHashes() *mapreduce.App {
	return single("btworld-ah", "runs BTWorld's ActiveHashes: the number of hashes at each moment",
		jobs(hashesAtMoments(), countMoments(hashColumns, hashMoment)))
}

// single returns an application that runs one query on scrapes. all contains the query's jobs,
// which single names after the application.
func single(app, short string, all []*mapreduce.Job) *mapreduce.App {
	name(all, app)
	return &mapreduce.App{
		Name:  app,
		Short: short,
		Usage: "[-group SECONDS] <in>… <out>",
		Jobs:  all,
		Run: func(ctx context.Context, r mapreduce.Runner, args []string) error {
			o, err := parseArgs(app, args, false)
			if err != nil {
				return err
			}
			return runSingle(ctx, r, o, all)
		},
	}
}

func runSingle(ctx context.Context, r mapreduce.Runner, o *options, all []*mapreduce.Job) error {
	if err := check(ctx, r, o); err != nil {
		return err
	}
	s, err := steps.Begin(ctx, r, o.app, o.out)
	if err != nil {
		return err
	}
	defer s.End()
	in, last := o.in, len(all)-1
	for _, j := range all[:last] {
		if in, _, err = s.Middle(ctx, j, in, o.settings()); err != nil {
			return err
		}
	}
	_, err = s.Final(ctx, all[last], in, o.settings())
	return err
}
