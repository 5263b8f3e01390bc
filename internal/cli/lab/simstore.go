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

	"github.com/howdah/howdah/internal/arguments"
	"github.com/howdah/howdah/internal/plural"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/simulator/trace"
	"github.com/howdah/howdah/simulator/trace/codec"
	"github.com/howdah/howdah/simulator/trace/db"
	"github.com/howdah/howdah/simulator/trace/importer"
)

func (s *session) simImport() *urfave.Command {
	return &urfave.Command{
		Name: "import", Usage: "store a trace in the trace database; several files form one trace", ArgsUsage: "FILE...",
		Flags: append([]urfave.Flag{
			&urfave.StringFlag{Name: "name", Usage: "`NAME` of the trace (default: the name of the first " +
				"file)"},
			&urfave.BoolFlag{Name: "replace", Usage: "replace an existing trace of this name"},
			&urfave.Uint64Flag{Name: "seed", Usage: "seed of generated times", Value: 1},
			dbFlag(), arguments.JSONFlag(),
		}, importFlags()...),
		Action: s.importSim,
	}
}

func (s *session) importSim(c *urfave.Context) error {
	if c.Args().Len() == 0 {
		return usageError("howdah sim import needs at least one FILE")
	}
	for _, name := range c.Args().Slice() {
		if isAddress(name) {
			return usageError("howdah sim import needs files, not addresses; howdah sim export %s -o FILE "+
				"writes that JobTracker's jobs to a file, and howdah sim run accepts the address", name)
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
		return failure.New(failure.Usage, "import", im.Name,
			errors.New("it has nodes but no jobs")).Fix("import a topology together with its trace: howdah " +
			"sim import TRACE TOPOLOGY")
	}
	d, err := s.openDB(c, true)
	if err != nil {
		return err
	}
	defer d.Close()
	step, end := s.bar("importing", im.Jobs)
	defer end()
	t, err := d.Put(c.Context, db.Trace{Name: im.Name, Origin: im.Origin, Imported: time.Now(), Slots: im.Slots,
		Nodes: im.Nodes}, &feed{src: im, progress: step}, c.Bool("replace"))
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
	fmt.Fprintf(s.out, "%s: %s, %s, %s on %s (%s)\n", t.Name, plural.Of(t.Jobs, "job"),
		plural.Of(t.Maps, "map"), plural.Of(t.Reduces, "reduce"),
		plural.Of(len(t.Nodes), "node"), t.Origin)
	return nil
}

// maxDamage is the maximum number of damaged places that a command lists.
const maxDamage = 20

func (s *session) tellDamage(im *importer.Import) {
	for _, d := range im.Damage[:min(len(im.Damage), maxDamage)] {
		place := d.Path
		if d.Line > 0 {
			place = fmt.Sprintf("%s:%d", d.Path, d.Line)
		}
		s.note("%s: skipped: %s", place, d.Text)
	}
	if im.Damaged > maxDamage {
		s.note("skipped %s", plural.Of(im.Damaged-maxDamage, "more damaged place"))
	}
}

func (s *session) simList() *urfave.Command {
	return &urfave.Command{
		Name: "list", Usage: "list the traces of the trace database",
		Flags: []urfave.Flag{&urfave.BoolFlag{Name: "runs", Usage: "list the stored simulations instead"},
			dbFlag(), arguments.JSONFlag()},
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

// storedJSON is a stored trace in the output of --json.
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
		fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%d\t%d\t%.1f\t%d\n", t.Name, t.Origin, t.Jobs, t.Maps, t.Reduces, len(t.Nodes),
			float64(t.Last-t.First)/3600e3, t.Damaged)
	}
	return w.Flush()
}

// storedRunJSON is a stored simulation in the output of --json.
type storedRunJSON struct {
	ID        int64  `json:"id"`
	Trace     string `json:"trace"`
	Started   int64  `json:"started_ms"`
	Model     string `json:"model"`
	Scheduler string `json:"scheduler"`
	Nodes     int    `json:"nodes"`
	Seed      string `json:"seed"`
	Makespan  int64  `json:"makespan_ms"`
	Jobs      int    `json:"jobs"`
	Missed    int    `json:"deadlines_missed"`
}

func (s *session) listRuns(c *urfave.Context, d *db.DB) error {
	list, err := d.Runs(c.Context, c.Args().First())
	if err != nil {
		return err
	}
	if c.Bool("json") {
		out := []storedRunJSON{}
		for _, r := range list {
			out = append(out, storedRunJSON{r.ID, r.Trace, r.Started.UnixMilli(), r.Model, r.Scheduler, r.Nodes, r.Seed,
				r.Makespan, r.Jobs, r.Missed})
		}
		return s.json(out)
	}
	w := tabwriter.NewWriter(s.out, 2, 8, 2, ' ', 0)
	fmt.Fprintln(w, "TRACE\tSCHEDULER\tMODEL\tNODES\tSEED\tMAKESPAN s\tJOBS\tMISSED")
	for _, r := range list {
		fmt.Fprintf(w, "%s\t%s\t%s\t%d\t%s\t%.1f\t%d\t%d\n", r.Trace, r.Scheduler, r.Model, r.Nodes, r.Seed,
			seconds(r.Makespan), r.Jobs, r.Missed)
	}
	return w.Flush()
}

func (s *session) simShow() *urfave.Command {
	return &urfave.Command{
		Name: "show", Usage: "show a trace's jobs", ArgsUsage: "TRACE",
		Flags: append([]urfave.Flag{&urfave.BoolFlag{Name: "all", Usage: "list every job"}, dbFlag(), arguments.JSONFlag()},
			importFlags()...),
		Action: s.showSim,
	}
}

// shownJSON is a job of a trace in the output of --json.
type shownJSON struct {
	ID       string `json:"id"`
	Name     string `json:"name,omitempty"`
	User     string `json:"user,omitempty"`
	Queue    string `json:"queue,omitempty"`
	State    string `json:"state"`
	Submit   int64  `json:"submit_ms"`
	Finish   int64  `json:"finish_ms,omitempty"`
	Deadline int64  `json:"deadline_ms,omitempty"`
	Skewed   bool   `json:"skewed"`
	Maps     int    `json:"maps"`
	Reduces  int    `json:"reduces"`
	MapMS    int64  `json:"map_ms"`
	ReduceMS int64  `json:"reduce_ms"`
}

func shownJob(j *trace.Job) shownJSON {
	o := shownJSON{j.ID, j.Name, j.User, j.Queue, j.State.String(), j.Submit, j.Finish, j.Deadline, j.Skewed, len(j.Maps),
		len(j.Reduces), 0, 0}
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
	fmt.Fprintf(s.out, "%s (%s): %s, %s\n", w.name, w.origin, plural.Of(len(list), "job"),
		plural.Of(len(w.nodes), "node"))
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
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%.1f\t%s\t%d\t%s\t%d\t%s\t\n", j.ID, cut(j.Name, 24), cut(j.User, 12),
			cut(j.Queue, 12), state, seconds(j.Submit-list[0].Submit), took,
			j.Maps, average(j.MapMS, j.Maps), j.Reduces, average(j.ReduceMS, j.Reduces))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if len(list) > maxRows && !c.Bool("all") {
		fmt.Fprintf(s.out, "(%d more; use --all to list them)\n", len(list)-maxRows)
	}
	return nil
}

func average(ms int64, n int) string {
	if n == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f", seconds(ms)/float64(n))
}

// each calls f with every job until f returns an error.
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
		Name: "export", Usage: "write a trace as lines of JSON, which howdah sim import reads", ArgsUsage: "TRACE",
		Flags: append([]urfave.Flag{&urfave.StringFlag{Name: "out", Aliases: []string{"o"},
			Usage: "write to `FILE` (default: standard output); .gz compresses it"}, replaceFlag(), dbFlag()}, importFlags()...),
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

// writeTrace writes a trace to a file, compressed if the name ends in .gz. If the file is nil, it
// writes to standard output.
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
