package lab

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	urfave "github.com/urfave/cli/v2"

	"github.com/howdah/howdah/internal/arguments"
	"github.com/howdah/howdah/internal/plural"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/simulator/trace/importer"
	"github.com/howdah/howdah/simulator/whatif"
)

func (s *session) simWhatIf() *urfave.Command {
	return &urfave.Command{
		Name: "what-if", Usage: "predict when the jobs of a running cluster end under each scheduler",
		ArgsUsage: "http://JOBTRACKER",
		Description: "Reads the state of a JobTracker and simulates the rest of its jobs. Instead of an address, a file " +
			"with the\nresponse of http://JOBTRACKER/what-if works as well. An example:\n" +
			"howdah sim what-if --advise http://localhost:50030",
		Flags: []urfave.Flag{
			&urfave.StringFlag{Name: "scheduler", Usage: "`NAMES` of schedulers, separated by commas (default: all)"},
			&urfave.BoolFlag{Name: "advise", Usage: "say which scheduler would pay, and how much"},
			&urfave.StringFlag{Name: "goal", Usage: "`GOAL` of the advice: time, missed, or makespan (default: missed if " +
				"deadlines are at stake, otherwise time)"},
			&urfave.Float64Flag{Name: "min-gain", Usage: "least gain for advice, in `PERCENT`", Value: 5},
			&urfave.IntFlag{Name: "repeat", Usage: "simulate the best schedulers up to `N` times", Value: whatif.Repetitions},
			&urfave.DurationFlag{Name: "within", Usage: "start no simulation after `TIME`; 0 means no limit",
				Value: 4 * time.Second},
			&urfave.Uint64Flag{Name: "seed", Usage: "`SEED` of the random durations", Value: 1},
			&urfave.BoolFlag{Name: "check", Usage: "wait for the jobs, and compare the prediction with their ends"},
			workersFlag(), arguments.JSONFlag(),
		},
		Action: s.whatIf,
	}
}

func (s *session) whatIf(c *urfave.Context) error {
	if c.Args().Len() != 1 {
		return usageError("howdah sim what-if needs one JobTracker's address, got %s", plural.Of(c.Args().Len(), "argument"))
	}
	from := c.Args().First()
	goal, err := whatif.ParseGoal(c.String("goal"))
	if err != nil {
		return err
	}
	switch n, gain := c.Int("repeat"), c.Float64("min-gain"); {
	case n < 1 || n > 100_000:
		return usageError("--repeat=%d: want 1 to 100000", n)
	case !(gain >= 0 && gain <= 100):
		return usageError("--min-gain=%g: want 0 to 100", gain)
	case c.Duration("within") < 0:
		return usageError("--within=%s: must be 0 or more", c.Duration("within"))
	case c.Bool("check") && !isAddress(from):
		return usageError("--check needs the address of a JobTracker")
	}
	if err := checkWorkers(c); err != nil {
		return err
	}
	if !c.Bool("advise") {
		if err := needless(c, "without --advise", "goal", "min-gain"); err != nil {
			return err
		}
	}
	state, err := s.state(c.Context, from)
	if err != nil {
		return err
	}
	o := whatif.Options{Repeat: c.Int("repeat"), Goal: goal, Seed: c.Uint64("seed"), Workers: c.Int("workers"),
		Within: c.Duration("within")}
	if c.IsSet("scheduler") {
		o.Schedulers = strings.FieldsFunc(c.String("scheduler"), func(r rune) bool { return r == ',' || r == ' ' })
	}
	f, err := whatif.Predict(c.Context, state, o)
	if err != nil {
		return err
	}
	report := whatIfReport(f)
	if c.Bool("advise") {
		report.advice(f.Advise(goal, c.Float64("min-gain")))
	}
	if c.Bool("check") {
		if err := s.checkAgainst(c.Context, from, report); err != nil {
			return err
		}
	}
	if c.Bool("json") {
		return s.json(report)
	}
	return s.printWhatIf(from, f, report)
}

// givesState says what howdah sim what-if reads. The name of what it could not read follows.
const givesState = "use the address of a JobTracker's web page, such as http://host:50030, or a file with its " +
	"response to /what-if; for a trace, use howdah sim compare "

// state reads the state of a cluster from a JobTracker or from a file.
func (s *session) state(ctx context.Context, from string) (*whatif.State, error) {
	if !isAddress(from) {
		f, err := os.Open(from)
		if err != nil {
			return nil, failure.New(failure.NotFound, "read", from, err).Fix(givesState + from)
		}
		defer f.Close()
		state, err := whatif.Read(f)
		var bad *failure.Error
		if errors.As(err, &bad) {
			bad.On = from
			return nil, bad.Fix(givesState + from)
		}
		return state, err
	}
	answer, err := s.get(ctx, "read the state of", from, "what-if")
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	return whatif.Read(answer.Body)
}

// whatIfJSON is the result of a prediction. Times are in ms since the epoch unless their names say
// otherwise.
type whatIfJSON struct {
	Now       int64          `json:"now_ms"`
	Scheduler string         `json:"scheduler"`
	Policies  []predictJSON  `json:"schedulers"`
	Skipped   []skippedJSON  `json:"skipped"`
	Jobs      []whatIfJob    `json:"jobs"`
	Advice    *adviceJSON    `json:"advice,omitempty"`
	Check     *checkedTotals `json:"check,omitempty"`
}

type predictJSON struct {
	Name     string    `json:"name"`
	Runs     int       `json:"runs"`
	Time     rangeJSON `json:"mean_time_s"`
	Makespan rangeJSON `json:"makespan_s"`
	Missed   rangeJSON `json:"deadlines_missed"`
}

type skippedJSON struct {
	Name string `json:"name"`
	Why  string `json:"why"`
}

type whatIfJob struct {
	ID       string      `json:"id"`
	Name     string      `json:"name,omitempty"`
	User     string      `json:"user,omitempty"`
	Hidden   bool        `json:"hidden,omitempty"`
	Basis    string      `json:"basis"`
	Deadline int64       `json:"deadline_ms,omitempty"`
	Left     []rangeJSON `json:"left_s"`              // time until the end, by scheduler
	Finish   int64       `json:"finish_ms,omitempty"` // real end, with --check
}

type rangeJSON struct {
	Median   float64 `json:"median"`
	Low      float64 `json:"low"`
	High     float64 `json:"high"`
	Coverage float64 `json:"coverage"`
}

type adviceJSON struct {
	Scheduler string      `json:"scheduler,omitempty"` // absent if no switch pays
	Goal      whatif.Goal `json:"goal"`
	Gain      rangeJSON   `json:"gain"`
	Percent   float64     `json:"percent"`
	Why       string      `json:"why,omitempty"`
}

// checkedTotals compares predicted with real ends. The mean error is the sum of the absolute
// differences divided by the sum of the real times from the prediction to the ends, so that jobs that
// were about to end do not dominate it. The bias is the same with signs.
type checkedTotals struct {
	Jobs     int     `json:"jobs"`
	Mean     float64 `json:"mean_error"`
	Worst    float64 `json:"worst_error_s"`
	Bias     float64 `json:"bias"`
	Inside   int     `json:"inside"` // ends within their ranges
	Makespan float64 `json:"makespan_error"`
}

func rangeOf(x whatif.Interval) rangeJSON { return rangeJSON{x.Median, x.Low, x.High, x.Coverage} }

func whatIfReport(f *whatif.Forecast) *whatIfJSON {
	r := &whatIfJSON{Now: f.State.Now, Scheduler: f.Policies[0].Name, Skipped: []skippedJSON{}}
	for i := range f.Policies {
		p := &f.Policies[i]
		of := func(g whatif.Goal) rangeJSON { return rangeOf(whatif.IntervalOf(f.Of(g, p))) }
		r.Policies = append(r.Policies, predictJSON{p.Name, len(p.Finish), of(whatif.Time), of(whatif.Makespan),
			of(whatif.Missed)})
	}
	for _, x := range f.Skipped {
		r.Skipped = append(r.Skipped, skippedJSON{x.Name, x.Err.Error()})
	}
	for i := range f.State.Jobs {
		j := &f.State.Jobs[i]
		x := whatIfJob{ID: j.ID, Name: j.Name, User: j.User, Hidden: j.Hidden, Basis: f.Bases[i], Deadline: j.Deadline}
		for k := range f.Policies {
			left := make([]float64, len(f.Policies[k].Finish))
			for n, run := range f.Policies[k].Finish {
				left[n] = seconds(run[i] - f.State.Now)
			}
			x.Left = append(x.Left, rangeOf(whatif.IntervalOf(left)))
		}
		r.Jobs = append(r.Jobs, x)
	}
	return r
}

func (r *whatIfJSON) advice(a *whatif.Advice) {
	r.Advice = &adviceJSON{Scheduler: a.To, Goal: a.Goal, Gain: rangeOf(a.Gain), Percent: a.Percent, Why: a.Why}
}

// checkEvery is the time between two looks at the state of the cluster while checkAgainst waits.
const checkEvery = 500 * time.Millisecond

// checkAgainst waits until the jobs have ended, and adds their ends to the report. It leaves out
// jobs whose ends the user must not see.
func (s *session) checkAgainst(ctx context.Context, from string, r *whatIfJSON) error {
	waiting := map[string]bool{}
	for i := range r.Jobs {
		waiting[r.Jobs[i].ID] = true
	}
	for left := len(waiting); left > 0; {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(checkEvery):
		}
		state, err := s.state(ctx, from)
		if err != nil {
			return err
		}
		left = 0
		for i := range state.Jobs {
			if waiting[state.Jobs[i].ID] {
				left++
			}
		}
	}
	w, err := s.fetch(ctx, from, importer.Options{})
	if err != nil {
		return err
	}
	src, done, err := w.open(ctx)
	if err != nil {
		return err
	}
	ends := map[string]int64{}
	for {
		j, err := src.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return errors.Join(err, done())
		}
		ends[j.ID] = j.Finish
	}
	r.compare(ends)
	return done()
}

// compare adds the real ends to the report.
func (r *whatIfJSON) compare(ends map[string]int64) {
	t := &checkedTotals{}
	last, predicted, sum := 0.0, 0.0, 0.0
	for i := range r.Jobs {
		j := &r.Jobs[i]
		j.Finish = ends[j.ID]
		left := seconds(j.Finish - r.Now)
		if j.Finish == 0 || left <= 0 {
			continue
		}
		x := j.Left[0]
		e := x.Median - left
		t.Jobs++
		sum += left
		t.Mean, t.Bias, t.Worst = t.Mean+math.Abs(e), t.Bias+e, max(t.Worst, math.Abs(e))
		if left >= x.Low && left <= x.High {
			t.Inside++
		}
		last, predicted = max(last, left), max(predicted, x.Median)
	}
	if t.Jobs > 0 {
		t.Mean, t.Bias = t.Mean/sum, t.Bias/sum
		t.Makespan = (predicted - last) / last
	}
	r.Check = t
}

func (s *session) printWhatIf(from string, f *whatif.Forecast, r *whatIfJSON) error {
	slots := [2]int32{}
	for i := range f.State.Trackers {
		for k, n := range f.State.Trackers[i].Slots {
			slots[k] += n
		}
	}
	fmt.Fprintf(s.out, "%s: %s under %s on %s with %d + %d slots\n", from, plural.Of(len(r.Jobs), "job"), r.Scheduler,
		plural.Of(len(f.State.Trackers), "TaskTracker"), slots[0], slots[1])
	t := tabwriter.NewWriter(s.out, 2, 8, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "scheduler\truns\tmean time s\tall ended after s\tdeadlines missed\t")
	for _, p := range r.Policies {
		fmt.Fprintf(t, "%s\t%d\t%s\t%s\t%s\t\n", p.Name, p.Runs, p.Time, p.Makespan, p.Missed)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, x := range r.Skipped {
		fmt.Fprintf(s.out, "(without %s: %s)\n", x.Name, x.Why)
	}
	fmt.Fprintln(s.out, "(median of the runs, and range that covers one more future with a probability of "+
		"95% after 39 runs)")
	if f.State.Scheduler.Hidden {
		s.note("the schedulers' files are for administrators; the prediction uses their defaults")
	}
	if err := s.printWhatIfJobs(r); err != nil {
		return err
	}
	if a := r.Advice; a != nil {
		s.printAdvice(r.Scheduler, a)
	}
	if c := r.Check; c != nil {
		fmt.Fprintf(s.out, "check of %s: mean error %.1f%%, worst %.1f s, bias %+.1f%%, %d inside their ranges, "+
			"makespan %+.1f%%\n", plural.Of(c.Jobs, "job"), 100*c.Mean, c.Worst, 100*c.Bias, c.Inside, 100*c.Makespan)
	}
	return nil
}

// String returns the range for a table.
func (x rangeJSON) String() string {
	if x.Low == x.High {
		return fmt.Sprintf("%.4g", x.Median)
	}
	return fmt.Sprintf("%.4g (%.4g to %.4g)", x.Median, x.Low, x.High)
}

// printWhatIfJobs lists the predicted times until the jobs end.
func (s *session) printWhatIfJobs(r *whatIfJSON) error {
	if len(r.Jobs) > maxRows {
		fmt.Fprintf(s.out, "(use --json to list the %d jobs)\n", len(r.Jobs))
		return nil
	}
	fmt.Fprintln(s.out, "seconds until each job ends:")
	t := tabwriter.NewWriter(s.out, 2, 8, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(t, "job\tuser\tname\tbasis\tdeadline\t")
	for _, p := range r.Policies {
		fmt.Fprintf(t, "%s\t", p.Name)
	}
	if r.Check != nil {
		fmt.Fprint(t, "real\t")
	}
	fmt.Fprintln(t)
	for _, j := range r.Jobs {
		deadline := "-"
		if j.Deadline > 0 {
			deadline = fmt.Sprintf("%.4g", seconds(j.Deadline-r.Now))
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t", j.ID, cut(j.User, 16), cut(j.Name, 24), j.Basis, deadline)
		for k, x := range j.Left {
			if k == 0 {
				fmt.Fprintf(t, "%s\t", x)
			} else {
				fmt.Fprintf(t, "%.4g\t", x.Median)
			}
		}
		if r.Check != nil {
			fmt.Fprintf(t, "%.4g\t", seconds(j.Finish-r.Now))
		}
		fmt.Fprintln(t)
	}
	return t.Flush()
}

func (s *session) printAdvice(active string, a *adviceJSON) {
	if a.Scheduler == "" {
		fmt.Fprintf(s.out, "advice: keep %s; %s (goal %s)\n", active, a.Why, a.Goal)
		return
	}
	what := map[whatif.Goal]string{whatif.Time: "s of mean time until a job ends", whatif.Missed: "missed deadlines",
		whatif.Makespan: "s until all jobs have ended"}[a.Goal]
	fmt.Fprintf(s.out, "advice: switch to %s, which saves %s %s (%.0f%%): howdah admin -setScheduler %s\n", a.Scheduler,
		a.Gain, what, a.Percent, a.Scheduler)
}
