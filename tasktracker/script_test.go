package tasktracker

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/internal/golden/transcript"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/job/heartbeat"
)

// TestScripts runs testdata/*.txt. Each block is a command, "----", the machine's outputs, and its
// state. The commands are defined in script.run.
func TestScripts(t *testing.T) {
	transcript.Run(t, func(t *testing.T) func(string) string { return (&script{t: t, now: 1000}).run })
}

// script is a machine that executes the commands of a text.
type script struct {
	t   *testing.T
	m   *Machine
	now int64
}

// run executes one command: "WORD key=value…". at=N first advances the time to N without a tick.
func (s *script) run(line string) string {
	word, rest, _ := strings.Cut(line, " ")
	v := args{transcript.Words{T: s.t, Line: line, Value: map[string]string{}}}
	for _, kv := range strings.Fields(rest) {
		k, val, _ := strings.Cut(kv, "=")
		v.Value[k] = val
	}
	s.now = max(s.now, v.Int("at", s.now))
	if word == "new" {
		s.m = New(Config{Slots: v.Slots("slots"), Incarnation: v.Int("incarnation", 7), Warm: int32(v.Int("warm", 0)),
			WarmDelay: 50, KillDelay: 5000, IdleExit: 10_000, JobsPerChild: int32(v.Int("jobs", 0)), Retry: 100,
			MaxRetry: 2000})
		return s.step(&Input{Kind: InTick})
	}
	in := &Input{Child: int32(v.Int("child", 0)), Job: int32(v.Int("job", 0)), Tracker: int32(v.Int("tracker", 3)),
		Epoch: v.Int("epoch", 0), Cluster: "c", Text: strings.ReplaceAll(v.Value["text"], "_", " ")}
	for k := InTick; k < numInputKinds; k++ {
		if k.String() == word {
			in.Kind = k
		}
	}
	if in.Kind == InTick && word != "tick" && word != "nonsense" {
		s.t.Fatalf("unknown command %q", line)
	}
	if word == "nonsense" {
		in.Kind = numInputKinds
	}
	if in.Kind == InFailed || in.Kind == InExited || in.Kind == InJobFailed {
		in.Failure = failure.Kind(v.Int("kind", int64(failure.User)))
	}
	switch in.Kind {
	case InDesired:
		in.Desired = &heartbeat.Desired{Seq: uint64(v.Int("seq", int64(s.m.seq))), Run: v.Attempts("run"),
			Jobs: v.jobs("jobs"), Interval: v.Int("interval", 1000),
			Full: v.Has("full"), Register: v.Has("register"), Epoch: v.Int("epoch", s.m.epoch)}
	case InJobReady:
		in.JobInfo = JobInfo{Timeout: v.Int("timeout", 0), TasksPerChild: int32(v.Int("reuse", 1)), OwnProgram: v.Has("own"),
			Class: v.Value["class"]}
	case InProgress:
		in.Progress = v.progress()
	case InDone, InFailed:
		if v.Has("p") {
			in.Progress = v.progress()
		}
		if v.Has("file") {
			in.Files = []job.OutputFile{{Name: v.Value["file"], Length: 1}}
		}
	case InInHand:
		in.Range = job.Range{Start: v.Int("from", 0), Length: v.Int("n", 1)}
	case InFetchFailed:
		in.Map = v.Attempts("map")[0]
	case InSlots:
		in.Slots = v.Slots("slots")
	}
	return s.step(in)
}

func (s *script) step(in *Input) string {
	in.Now = s.now
	var b strings.Builder
	for _, o := range s.m.Step(in, nil) {
		fmt.Fprintln(&b, "  "+showOutput(&o))
	}
	b.WriteString(dump(s.m))
	return b.String()
}

// args are the key=value pairs of a command.
type args struct{ transcript.Words }

func (v args) jobs(k string) []int32 {
	var out []int32
	for _, s := range v.List(k) {
		n, err := strconv.Atoi(s)
		require.NoError(v.T, err, v.Line)
		out = append(out, int32(n))
	}
	return out
}

func (v args) progress() *Progress {
	p := &Progress{Phase: job.Phase(v.Int("phase", 1)), Millionths: int32(v.Int("p", 0)), Status: v.Value["status"],
		Alive: v.Has("alive"), ShuffleDone: v.Int("shuffled", 0), SortDone: v.Int("sorted", 0)}
	if v.Has("in") {
		p.Builtin = []BuiltinValue{{job.MapInputRecords, v.Int("in", 0)}}
	}
	if v.Has("memory") {
		p.Builtin = append(p.Builtin, BuiltinValue{job.PhysicalMemoryBytes, v.Int("memory", 0) << 20})
	}
	if v.Has("user") {
		p.User = []job.UserCounter{{Group: "g", Name: "n", Value: v.Int("user", 0)}}
	}
	return p
}

func showOutput(o *Output) string {
	switch o.Kind {
	case OutRegister:
		return fmt.Sprintf("register incarnation=%d", o.Incarnation)
	case OutBeat:
		return showReport(o.Report)
	case OutLocalize, OutPurge:
		return fmt.Sprintf("%s job=%d", o.Kind, o.Job)
	case OutSpawn:
		return fmt.Sprintf("spawn child=%d job=%d", o.Child, o.Job)
	case OutLaunch:
		return fmt.Sprintf("launch child=%d %s", o.Child, transcript.Show(o.Attempt))
	case OutClean:
		return fmt.Sprintf("clean %s keep=%t", transcript.Show(o.Attempt), o.Keep)
	case OutExit, OutTerm, OutKill:
		return fmt.Sprintf("%s child=%d", o.Kind, o.Child)
	case OutIgnored:
		return "ignored: " + o.Text
	}
	return o.Kind.String()
}

func showReport(r *heartbeat.Report) string {
	var b strings.Builder
	fmt.Fprintf(&b, "beat seq=%d tracker=%d incarnation=%d slots=%d,%d epoch=%d", r.Seq, r.Tracker, r.Incarnation,
		r.Slots[0], r.Slots[1], r.Epoch)
	if r.Full {
		b.WriteString(" full")
	}
	if r.Unhealthy != "" {
		fmt.Fprintf(&b, " unhealthy=%q", r.Unhealthy)
	}
	for _, a := range r.Attempts {
		b.WriteString("\n    " + showAttemptReport(&a))
	}
	for _, f := range r.Fetch {
		fmt.Fprintf(&b, "\n    %s cannot fetch %s", transcript.Show(f.Reduce), transcript.Show(f.Map))
	}
	for _, f := range r.Refused {
		fmt.Fprintf(&b, "\n    job %d refused: %s", f.Job, f.Text)
	}
	return b.String()
}

func showAttemptReport(a *heartbeat.AttemptReport) string {
	s := fmt.Sprintf("%s %s %s %d%%", transcript.Show(a.Attempt), a.State, a.Phase, a.Progress/10_000)
	if c := a.Counters; c != nil {
		s += fmt.Sprintf(" in=%d", c.Builtin[job.MapInputRecords])
		for _, u := range c.User {
			s += fmt.Sprintf(" %s.%s=%d", u.Group, u.Name, u.Value)
		}
	}
	if a.ShuffleDone+a.SortDone > 0 {
		s += fmt.Sprintf(" shuffled=%d sorted=%d", a.ShuffleDone, a.SortDone)
	}
	if a.Status != "" {
		s += " status=" + a.Status
	}
	if a.Kind != 0 || a.Text != "" {
		s += fmt.Sprintf(" [%s: %s]", a.Kind, a.Text)
	}
	for _, f := range a.Manifest {
		s += " file=" + f.Name
	}
	return s
}

// dump returns the machine's state, with one line for each nonempty part.
func dump(m *Machine) string {
	var b strings.Builder
	list := func(what string, n int, f func(i int) string) {
		if n == 0 {
			return
		}
		b.WriteString(what)
		for i := range n {
			b.WriteString(" " + f(i))
		}
		b.WriteByte('\n')
	}
	list("attempts:", len(m.attempts), func(i int) string {
		a := m.attempts[i]
		s := transcript.Show(a.id) + "/" + stageNames[a.stage]
		if a.child != 0 {
			s += fmt.Sprintf("/child%d", a.child)
		}
		if a.deadline != 0 {
			s += fmt.Sprintf("/until%d", a.deadline)
		}
		if !a.wanted {
			s += "/unwanted"
		}
		return s
	})
	list("jobs:", len(m.jobs), func(i int) string {
		return fmt.Sprintf("%d/%s", m.jobs[i].seq,
			jobStageNames[m.jobs[i].stage])
	})
	list("children:", len(m.children), func(i int) string {
		c := m.children[i]
		s := fmt.Sprintf("%d/%s", c.handle, childStageNames[c.stage])
		if c.job != 0 {
			s += fmt.Sprintf("/job%d", c.job)
		}
		if c.deadline != 0 {
			s += fmt.Sprintf("/until%d", c.deadline)
		}
		return s
	})
	if n := m.NextDeadline(); n != 0 {
		fmt.Fprintf(&b, "next: %d\n", n)
	}
	return b.String()
}
