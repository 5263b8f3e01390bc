package lab

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/klauspost/compress/gzip"
	urfave "github.com/urfave/cli/v2"

	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/simulator/trace"
	"github.com/howdah/howdah/simulator/trace/codec"
	"github.com/howdah/howdah/simulator/trace/db"
	"github.com/howdah/howdah/simulator/trace/importer"
)

func (s *session) simImport() *urfave.Command {
	return &urfave.Command{
		Name: "import", Usage: "store traces in the trace database; several files make one trace", ArgsUsage: "FILE...",
		Flags: append([]urfave.Flag{
			&urfave.StringFlag{Name: "name", Usage: "`NAME` of the trace (default: the first file's)"},
			&urfave.BoolFlag{Name: "replace", Usage: "put it in the place of the trace that has this name"},
			&urfave.Uint64Flag{Name: "seed", Usage: "of drawn times", Value: 1},
			dbFlag(), jsonFlag(),
		}, importFlags()...),
		Action: s.importSim,
	}
}

func (s *session) importSim(c *urfave.Context) error {
	if c.Args().Len() == 0 {
		return usageError("howdah sim import FILE...: no file is named")
	}
	for _, name := range c.Args().Slice() {
		if isAddress(name) {
			return usageError("import takes files; howdah sim export %s -o FILE writes what that JobTracker ran into one, and howdah sim run reads it without", name)
		}
	}
	o, err := importOptions(c)
	if err != nil {
		return err
	}
	im, err := importer.Open(c.Args().Slice(), o)
	if err != nil {
		return err
	}
	defer im.Close()
	if !im.Rated() {
		if err := needless(c, notSwim, append([]string{"seed"}, swimOptions...)...); err != nil {
			return err
		}
	}
	if im.Jobs == 0 {
		return failure.New(failure.Usage, "import", im.Name, errors.New("there are machines but no jobs in it")).Fix("a topology is imported together with its trace: howdah sim import TRACE TOPOLOGY")
	}
	d, err := s.openDB(c, true)
	if err != nil {
		return err
	}
	defer d.Close()
	b := newBar(s.err, "importing", im.Jobs)
	defer b.end()
	t, err := d.Put(c.Context, db.Trace{Name: im.Name, Origin: im.Origin, Imported: time.Now(), Slots: im.Slots, Nodes: im.Nodes}, &feed{src: im, progress: b.step}, c.Bool("replace"))
	if err != nil {
		return err
	}
	if im.Damaged > 0 {
		if err := d.SetDamaged(c.Context, t, im.Damaged); err != nil {
			return err
		}
		t.Damaged = im.Damaged
	}
	s.tellDamage(im)
	if c.Bool("json") {
		return s.json(traceJSON(t))
	}
	fmt.Fprintf(s.out, "%s: %d jobs, %d maps, %d reduces on %d nodes (%s)\n", t.Name, t.Jobs, t.Maps, t.Reduces, len(t.Nodes), t.Origin)
	return nil
}

// maxDamage is how many damaged places are listed.
const maxDamage = 20

func (s *session) tellDamage(im *importer.Import) {
	for _, d := range im.Damage[:min(len(im.Damage), maxDamage)] {
		place := d.Path
		if d.Line > 0 {
			place = fmt.Sprintf("%s:%d", d.Path, d.Line)
		}
		s.note("%s: left out: %s", place, d.Text)
	}
	if im.Damaged > maxDamage {
		s.note("%d more damaged places were left out", im.Damaged-maxDamage)
	}
}

func (s *session) simList() *urfave.Command {
	return &urfave.Command{
		Name: "list", Usage: "list the traces of the trace database",
		Flags: []urfave.Flag{&urfave.BoolFlag{Name: "runs", Usage: "list stored simulations instead"}, dbFlag(), jsonFlag()},
		Action: func(c *urfave.Context) error {
			d, err := s.openDB(c, false)
			if err != nil {
				return err
			}
			defer d.Close()
			if c.Bool("runs") {
				return s.listRuns(c, d)
			}
			return s.listTraces(c, d)
		},
	}
}

// storedJSON is a stored trace as scripts see it.
type storedJSON struct {
	Name    string `json:"name"`
	Origin  string `json:"origin"`
	Jobs    int    `json:"jobs"`
	Maps    int64  `json:"maps"`
	Reduces int64  `json:"reduces"`
	Nodes   int    `json:"nodes"`
	First   int64  `json:"first_submit_ms"`
	Last    int64  `json:"last_submit_ms"`
	Damaged int64  `json:"damaged"`
}

func traceJSON(t db.Trace) storedJSON {
	return storedJSON{t.Name, t.Origin, t.Jobs, t.Maps, t.Reduces, len(t.Nodes), t.First, t.Last, t.Damaged}
}

func (s *session) listTraces(c *urfave.Context, d *db.DB) error {
	list, err := d.List(c.Context)
	if err != nil {
		return err
	}
	if c.Bool("json") {
		out := []storedJSON{}
		for _, t := range list {
			out = append(out, traceJSON(t))
		}
		return s.json(out)
	}
	w := tabwriter.NewWriter(s.out, 2, 8, 2, ' ', 0)
	fmt.Fprintln(w, "NAME\tORIGIN\tJOBS\tMAPS\tREDUCES\tNODES\tHOURS\tDAMAGED")
	for _, t := range list {
		fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%d\t%d\t%.1f\t%d\n", t.Name, t.Origin, t.Jobs, t.Maps, t.Reduces, len(t.Nodes), float64(t.Last-t.First)/3600e3, t.Damaged)
	}
	return w.Flush()
}

func (s *session) listRuns(c *urfave.Context, d *db.DB) error {
	list, err := d.Runs(c.Context, c.Args().First())
	if err != nil {
		return err
	}
	if c.Bool("json") {
		return s.json(list)
	}
	w := tabwriter.NewWriter(s.out, 2, 8, 2, ' ', 0)
	fmt.Fprintln(w, "TRACE\tSCHEDULER\tMODEL\tNODES\tSEED\tMAKESPAN s\tJOBS\tMISSED")
	for _, r := range list {
		fmt.Fprintf(w, "%s\t%s\t%s\t%d\t%s\t%.1f\t%d\t%d\n", r.Trace, r.Scheduler, r.Model, r.Nodes, r.Seed, seconds(r.Makespan), r.Jobs, r.Missed)
	}
	return w.Flush()
}

func (s *session) simShow() *urfave.Command {
	return &urfave.Command{
		Name: "show", Usage: "show a trace's jobs", ArgsUsage: "TRACE",
		Flags:  append([]urfave.Flag{&urfave.BoolFlag{Name: "all", Usage: "every job, however many"}, dbFlag(), jsonFlag()}, importFlags()...),
		Action: s.showSim,
	}
}

// shownJSON is a job of a trace as scripts see it.
type shownJSON struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	User     string `json:"user"`
	Queue    string `json:"queue"`
	State    string `json:"state"`
	Submit   int64  `json:"submit_ms"`
	Finish   int64  `json:"finish_ms"`
	Deadline int64  `json:"deadline_ms"`
	Skewed   bool   `json:"skewed"`
	Maps     int    `json:"maps"`
	Reduces  int    `json:"reduces"`
	MapMS    int64  `json:"map_ms"`
	ReduceMS int64  `json:"reduce_ms"`
}

func shownJob(j *trace.Job) shownJSON {
	o := shownJSON{j.ID, j.Name, j.User, j.Queue, j.State.String(), j.Submit, j.Finish, j.Deadline, j.Skewed, len(j.Maps), len(j.Reduces), 0, 0}
	for i := range j.Maps {
		o.MapMS += j.Maps[i].Time
	}
	for i := range j.Reduces {
		o.ReduceMS += j.Reduces[i].Shuffle + j.Reduces[i].Time
	}
	return o
}

func (s *session) showSim(c *urfave.Context) error {
	what, err := oneTrace(c)
	if err != nil {
		return err
	}
	w, err := s.load(c, what)
	if err != nil {
		return err
	}
	list := []shownJSON{}
	err = w.each(c.Context, func(j *trace.Job) error {
		list = append(list, shownJob(j))
		return nil
	})
	if err != nil {
		return err
	}
	if c.Bool("json") {
		return s.json(list)
	}
	fmt.Fprintf(s.out, "%s (%s): %d jobs, %d nodes\n", w.name, w.origin, len(list), len(w.nodes))
	t := tabwriter.NewWriter(s.out, 2, 8, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "job\tname\tuser\tqueue\tstate\tsubmit s\ttime s\tmaps\tmean s\treduces\tmean s\t")
	for i, j := range list {
		if i == maxRows && !c.Bool("all") {
			break
		}
		took := "-"
		if j.Finish > 0 {
			took = fmt.Sprintf("%.1f", seconds(j.Finish-j.Submit))
		}
		state := j.State
		if j.Skewed {
			state += ", skewed"
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%.1f\t%s\t%d\t%s\t%d\t%s\t\n", j.ID, cut(j.Name, 24), cut(j.User, 12), cut(j.Queue, 12), state, seconds(j.Submit-list[0].Submit), took,
			j.Maps, average(j.MapMS, j.Maps), j.Reduces, average(j.ReduceMS, j.Reduces))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if len(list) > maxRows && !c.Bool("all") {
		fmt.Fprintf(s.out, "(%d more; --all lists them)\n", len(list)-maxRows)
	}
	return nil
}

func average(ms int64, n int) string {
	if n == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f", seconds(ms)/float64(n))
}

// each calls f with every job.
func (w *workload) each(ctx context.Context, f func(*trace.Job) error) (err error) {
	src, done, err := w.open(ctx)
	if err != nil {
		return err
	}
	defer func() {
		if e := done(); err == nil {
			err = e
		}
	}()
	for {
		j, err := src.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if err := f(j); err != nil {
			return err
		}
	}
}

func (s *session) simExport() *urfave.Command {
	return &urfave.Command{
		Name: "export", Usage: "write a trace as lines of JSON, which sim import reads", ArgsUsage: "TRACE",
		Flags:  append([]urfave.Flag{&urfave.StringFlag{Name: "out", Aliases: []string{"o"}, Usage: "`FILE` (default: standard output); .gz is compressed"}, replaceFlag(), dbFlag()}, importFlags()...),
		Action: s.exportSim,
	}
}

func (s *session) exportSim(c *urfave.Context) error {
	what, err := oneTrace(c)
	if err != nil {
		return err
	}
	out, err := newOutput("write trace", c.String("out"), c.Bool("replace"))
	if err != nil {
		return err
	}
	w, err := s.load(c, what)
	if err != nil {
		return err
	}
	src, done, err := w.open(c.Context)
	if err != nil {
		return err
	}
	err = s.writeTrace(out, codec.Header{Name: w.name, Origin: w.origin, Nodes: w.nodes, Slots: w.slots}, src)
	return errors.Join(err, done())
}

// writeTrace writes a trace to a file, nil = standard output.
func (s *session) writeTrace(out *outputFile, h codec.Header, src trace.Source) error {
	write := func(w io.Writer) error { return codec.Write(w, h, src) }
	if out != nil {
		return out.stream(func(w io.Writer) error { return compressed(w, strings.HasSuffix(out.path, ".gz"), write) })
	}
	b := bufio.NewWriterSize(s.out, 1<<20)
	if err := write(b); err != nil {
		return err
	}
	return b.Flush()
}

func compressed(w io.Writer, gz bool, write func(io.Writer) error) error {
	if !gz {
		return write(w)
	}
	z := gzip.NewWriter(w)
	if err := write(z); err != nil {
		return err
	}
	return z.Close()
}
