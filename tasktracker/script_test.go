package tasktracker

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/internal/golden"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
)

// TestScripts runs testdata/*.txt: blocks of one command, "----", and what the machine does, with its state after it. The
// words are those of script.run.
func TestScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, f := range files {
		t.Run(strings.TrimSuffix(filepath.Base(f), ".txt"), func(t *testing.T) { runScript(t, f) })
	}
}

func runScript(t *testing.T, file string) {
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	s := &script{t: t, now: 1000}
	var out strings.Builder
	for _, block := range strings.Split(strings.TrimSpace(string(text)), "\n\n") {
		head, want, isCommand := strings.Cut(block, "\n----")
		if !isCommand {
			fmt.Fprintf(&out, "%s\n\n", block)
			continue
		}
		lines := strings.Split(head, "\n")
		got := s.run(lines[len(lines)-1])
		fmt.Fprintf(&out, "%s\n----\n%s\n", head, got)
		if !*golden.Rewrite {
			require.Equal(t, strings.TrimSpace(want), strings.TrimSpace(got), "%s: after %q", file, lines[len(lines)-1])
		}
	}
	if *golden.Rewrite {
		require.NoError(t, os.WriteFile(file, []byte(strings.TrimSpace(out.String())+"\n"), 0o644))
	}
}

// script is a machine at the end of a text.
type script struct {
	t   *testing.T
	m   *Machine
	now int64
}

// run executes one command: "WORD key=value…". at=N lets the time pass until then first, without a tick.
func (s *script) run(line string) string {
	word, rest, _ := strings.Cut(line, " ")
	v := args{s.t, line, map[string]string{}}
	for _, kv := range strings.Fields(rest) {
		k, val, _ := strings.Cut(kv, "=")
		v.m[k] = val
	}
	s.now = max(s.now, v.int("at", s.now))
	if word == "new" {
		s.m = New(Config{Slots: v.slots("slots"), Incarnation: v.int("incarnation", 7), Warm: int32(v.int("warm", 0)), WarmDelay: 50, KillDelay: 5000,
			IdleExit: 10_000, Retry: 100, MaxRetry: 2000})
		return s.step(&Input{Kind: InTick})
	}
	in := &Input{Child: int32(v.int("child", 0)), Job: int32(v.int("job", 0)), Tracker: int32(v.int("tracker", 3)), Epoch: v.int("epoch", 0),
		Cluster: "c", Text: strings.ReplaceAll(v.m["text"], "_", " ")}
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
		in.Failure = failure.Kind(v.int("kind", int64(failure.User)))
	}
	switch in.Kind {
	case InDesired:
		in.Desired = &Desired{Seq: uint64(v.int("seq", int64(s.m.seq))), Run: v.attempts("run"), Jobs: v.jobs("jobs"), Interval: v.int("interval", 1000),
			Full: v.has("full"), Register: v.has("register"), Epoch: v.int("epoch", s.m.epoch)}
	case InJobReady:
		in.JobInfo = JobInfo{Timeout: v.int("timeout", 0), TasksPerChild: int32(v.int("reuse", 1)), OwnProgram: v.has("own")}
	case InProgress:
		in.Progress = v.progress()
	case InDone, InFailed:
		if v.has("p") {
			in.Progress = v.progress()
		}
		if v.has("file") {
			in.Files = []job.OutputFile{{Name: v.m["file"], Length: 1}}
		}
	case InInHand:
		in.Range = job.Range{Start: v.int("from", 0), Length: v.int("n", 1)}
	case InFetchFailed:
		in.Map = v.attempts("map")[0]
	case InSlots:
		in.Slots = v.slots("slots")
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
type args struct {
	t    *testing.T
	line string
	m    map[string]string
}

func (v args) has(k string) bool { _, ok := v.m[k]; return ok }

func (v args) int(k string, def int64) int64 {
	if !v.has(k) {
		return def
	}
	n, err := strconv.ParseInt(v.m[k], 10, 64)
	require.NoError(v.t, err, v.line)
	return n
}

func (v args) list(k string) []string {
	return strings.FieldsFunc(v.m[k], func(r rune) bool { return r == ',' })
}

func (v args) slots(k string) [2]int32 {
	l := v.list(k)
	require.Len(v.t, l, 2, v.line)
	m, _ := strconv.Atoi(l[0])
	r, _ := strconv.Atoi(l[1])
	return [2]int32{int32(m), int32(r)}
}

func (v args) jobs(k string) []int32 {
	var out []int32
	for _, s := range v.list(k) {
		n, err := strconv.Atoi(s)
		require.NoError(v.t, err, v.line)
		out = append(out, int32(n))
	}
	return out
}

// attempts reads "1m2.3": job 1, map 2, attempt 3 (".0" may be left out).
func (v args) attempts(k string) []job.Attempt {
	var out []job.Attempt
	for _, s := range v.list(k) {
		var a job.Attempt
		var letter rune
		if n, _ := fmt.Sscanf(s, "%d%c%d.%d", &a.Job, &letter, &a.Index, &a.N); n < 3 {
			v.t.Fatalf("%s: no attempt: %s", v.line, s)
		}
		if letter == 'r' {
			a.Type = job.Reduce
		}
		out = append(out, a)
	}
	return out
}

func (v args) progress() *Progress {
	p := &Progress{Phase: job.Phase(v.int("phase", 1)), Millionths: int32(v.int("p", 0)), Status: v.m["status"], Alive: v.has("alive"),
		ShuffleDone: v.int("shuffled", 0), SortDone: v.int("sorted", 0)}
	if v.has("in") {
		p.Builtin = []BuiltinValue{{job.MapInputRecords, v.int("in", 0)}}
	}
	if v.has("user") {
		p.User = []job.UserCounter{{Group: "g", Name: "n", Value: v.int("user", 0)}}
	}
	return p
}

func showAttempt(a job.Attempt) string {
	return fmt.Sprintf("%d%c%d.%d", a.Job, a.Type.Letter(), a.Index, a.N)
}

func showOutput(o *Output) string {
	switch o.Kind {
	case OutRegister:
		return fmt.Sprintf("register incarnation=%d", o.Incarnation)
	case OutBeat:
		return showReport(o.Report)
	case OutLocalise, OutPurge:
		return fmt.Sprintf("%s job=%d", o.Kind, o.Job)
	case OutSpawn:
		return fmt.Sprintf("spawn child=%d job=%d", o.Child, o.Job)
	case OutLaunch:
		return fmt.Sprintf("launch child=%d %s", o.Child, showAttempt(o.Attempt))
	case OutClean:
		return fmt.Sprintf("clean %s keep=%t", showAttempt(o.Attempt), o.Keep)
	case OutExit, OutTerm, OutKill:
		return fmt.Sprintf("%s child=%d", o.Kind, o.Child)
	case OutIgnored:
		return "ignored: " + o.Text
	}
	return o.Kind.String()
}

func showReport(r *Report) string {
	var b strings.Builder
	fmt.Fprintf(&b, "beat seq=%d tracker=%d incarnation=%d slots=%d,%d epoch=%d", r.Seq, r.Tracker, r.Incarnation, r.Slots[0], r.Slots[1], r.Epoch)
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
		fmt.Fprintf(&b, "\n    %s cannot fetch %s", showAttempt(f.Reduce), showAttempt(f.Map))
	}
	for _, f := range r.Refused {
		fmt.Fprintf(&b, "\n    job %d refused: %s", f.Job, f.Text)
	}
	return b.String()
}

func showAttemptReport(a *AttemptReport) string {
	s := fmt.Sprintf("%s %s %s %d%%", showAttempt(a.Attempt), a.State, a.Phase, a.Progress/10_000)
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

// dump gives the machine's state in one line for each part of it that is not empty.
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
		s := showAttempt(a.id) + "/" + stageNames[a.stage]
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
	list("jobs:", len(m.jobs), func(i int) string { return fmt.Sprintf("%d/%s", m.jobs[i].seq, jobStageNames[m.jobs[i].stage]) })
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
