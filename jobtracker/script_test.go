package jobtracker

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/golden/transcript"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/job/heartbeat"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/scheduler/fifo"
)

// TestScripts runs the scripts in testdata/*.txt. Each block is a command, "----", and the
// machine's facts, replies, and orders. script.run defines the commands.
func TestScripts(t *testing.T) {
	transcript.Run(t, func(t *testing.T) func(string) string { return (&script{t: t, now: 1000}).run })
}

// script runs a script's commands on a machine with TaskTrackers that follow its orders.
type script struct {
	t        *testing.T
	m        *Machine
	now      int64
	facts    []event.Event
	trackers map[string]*told
	names    map[int32]string
}

// told is a TaskTracker with the latest orders from the JobTracker.
type told struct {
	handle int32
	inc    int64
	seq    uint64
	run    []job.Attempt
}

func newFIFO(t *testing.T) scheduler.Policy {
	p, err := fifo.New(scheduler.Setup{Conf: conf.New()})
	require.NoError(t, err)
	return p
}

// preemptor is a policy that kills the attempts named in the script.
type preemptor struct {
	scheduler.Policy
	victims []job.Attempt
	now     int64
}

func (p *preemptor) NextDeadline() int64 {
	if len(p.victims) > 0 {
		return p.now
	}
	return p.Policy.NextDeadline()
}

func (p *preemptor) Tick(v scheduler.View, plan scheduler.Plan) {
	for _, a := range p.victims {
		plan.Kill(a, "preempted for another pool")
	}
	p.victims = nil
	p.Policy.Tick(v, plan)
}

// run executes a command of the form "WORD NAME key=value…". The option at=N first advances the
// clock to N without a tick.
func (s *script) run(line string) string {
	f := strings.Fields(line)
	v := words{transcript.Words{T: s.t, Line: line, Value: map[string]string{}}}
	name := ""
	for _, x := range f[1:] {
		if k, val, pair := strings.Cut(x, "="); pair {
			v.Value[k] = strings.ReplaceAll(val, "_", " ")
		} else if name == "" {
			name = x
		} else {
			v.Value[x] = ""
		}
	}
	s.now = max(s.now, v.Int("at", s.now))
	in := &Input{Job: int32(v.Int("job", 1)), Text: v.Value["text"], Err: v.Value["err"]}
	switch f[0] {
	case "new":
		s.trackers, s.names = map[string]*told{}, map[int32]string{}
		return s.start(v)
	case "restart": // a new JobTracker, rebuilt from the facts
		return s.start(v)
	case "tick":
	case "submit":
		in.Kind, in.Job, in.Spec = InSubmit, 0, v.spec(name)
	case "kill-job":
		in.Kind = InKillJob
	case "priority":
		in.Kind, in.Priority = InSetPriority, map[string]job.Priority{"high": job.High, "low": job.Low}[name]
	case "kill", "fail":
		in.Kind, in.Attempt = map[string]InputKind{"kill": InKillAttempt, "fail": InFailAttempt}[f[0]], v.Attempt(name)
	case "preempt":
		p := s.m.Policy().(*preemptor)
		p.victims, p.now = []job.Attempt{v.Attempt(name)}, s.now
	case "register":
		in.Kind = InRegister
		in.Register = &Register{Name: name, Host: "host-" + name, Rack: "/rack", Addr: name + ":1",
			Incarnation: v.Int("incarnation", 1), Slots: v.Slots("slots")}
	case "beat":
		in.Kind, in.Report = InBeat, s.report(name, v)
	case "committed", "aborted":
		in.Kind = map[string]InputKind{"committed": InCommitDone, "aborted": InAbortDone}[f[0]]
	case "leave":
		in.Kind, in.Tracker = InTrackerLeave, s.trackers[name].handle
	case "drain":
		in.Kind, in.Name, in.Drain = InDrain, name, v.drain()
	case "policy":
		in.Kind, in.Policy, in.Setup = InSetPolicy, &preemptor{Policy: newFIFO(s.t)}, &PolicySetup{Name: name}
	case "speculator":
		in.Kind, in.Policy, in.Setup = InSetSpeculator, &eager{}, &PolicySetup{Name: name}
	case "limit":
		in.Kind, in.Millis = InLimits, v.Int("lease", 60_000)
		in.Limits = []heartbeat.Limit{{Attempt: v.Attempt(name), CPU: int32(v.Int("cpu", 0)),
			Memory: int32(v.Int("memory", 0)), Why: v.Value["why"]}}
	default:
		s.t.Fatalf("unknown command %q", line)
	}
	if f[0] != "tick" && f[0] != "preempt" {
		in.Req = 1
	}
	in.Now = s.now
	return s.show(s.m.Step(in, nil), in, name)
}

func (s *script) start(v words) string {
	cfg := DefaultConfig()
	cfg.Expiry, cfg.EndWait = v.Int("expiry", 10_000), v.Int("wait", 0)
	cfg.FetchNotices = int32(v.Int("notices", int64(cfg.FetchNotices)))
	m, err := New(cfg, &preemptor{Policy: newFIFO(s.t)})
	require.NoError(s.t, err)
	s.m = m
	for i := range s.facts {
		require.NoError(s.t, m.Apply(&s.facts[i]))
	}
	return s.show(m.Recovered(s.now, nil), &Input{}, "")
}

// report returns a TaskTracker's beat. All ordered attempts are running, unless the command
// specifies a different state.
func (s *script) report(name string, v words) *heartbeat.Report {
	tt := s.trackers[name]
	require.NotNil(s.t, tt, v.Line)
	if !v.Has("again") {
		tt.seq++
	}
	r := &heartbeat.Report{Tracker: tt.handle, Incarnation: tt.inc, Seq: tt.seq, Full: v.Has("full"),
		Unhealthy: v.Value["unhealthy"]}
	if t := s.m.trackers.Get(tt.handle); t != nil {
		r.Slots = t.slots
	}
	state := map[job.Attempt]job.AttemptState{}
	for _, a := range v.Attempts("done") {
		state[a] = job.AttemptSucceeded
	}
	for _, a := range v.Attempts("failed") {
		state[a] = job.AttemptFailed
	}
	for _, a := range tt.run {
		l := heartbeat.AttemptReport{Attempt: a, State: job.AttemptRunning, Progress: int32(v.Int("p", 0)) * 10_000}
		if st, over := state[a]; over {
			if l.State = st; st == job.AttemptFailed {
				l.Kind, l.Text = failure.User, v.Value["text"]
			}
		}
		r.Attempts = append(r.Attempts, l)
	}
	if v.Has("misses") {
		for _, a := range tt.run {
			if a.Type == job.Reduce {
				r.Fetch = append(r.Fetch, heartbeat.FetchFailure{Reduce: a, Map: v.Attempt(v.Value["misses"])})
			}
		}
	}
	if v.Has("refuses") {
		r.Refused = []heartbeat.Refusal{{Job: int32(v.Int("refuses", 0)), Text: v.Value["text"]}}
	}
	if v.Has("unheld") {
		a := v.Attempt(v.Value["unheld"])
		cpu, memory := s.m.Limits(a)
		r.Unheld = []heartbeat.Unheld{{Attempt: a, CPU: cpu, Memory: memory, HeldCPU: int32(v.Int("held", 0)),
			Why: v.Value["text"]}}
	}
	return r
}

// show formats the outputs of a step, one per line.
func (s *script) show(out []Output, in *Input, name string) string {
	require.NoError(s.t, s.m.Err())
	var b strings.Builder
	for i := range out {
		o := &out[i]
		switch o.Kind {
		case OutFact:
			s.facts = append(s.facts, *o.Event)
			if o.Event.Type == event.TrackerJoined {
				s.names[o.Event.Tracker] = o.Event.Name
			}
			fmt.Fprintln(&b, "  fact "+s.fact(o.Event))
		case OutReply:
			fmt.Fprintln(&b, "  reply "+s.reply(o, in, name))
		case OutWake:
			fmt.Fprintln(&b, "  wake "+s.names[o.Tracker])
		default:
			order := map[OutputKind]string{OutCommit: "commit", OutAbort: "abort", OutForget: "forget"}[o.Kind]
			fmt.Fprintf(&b, "  %s job %d\n", order, o.Job)
		}
	}
	if next := s.m.NextDeadline(); next > 0 {
		fmt.Fprintf(&b, "next: %d\n", next)
	}
	return b.String()
}

func (s *script) reply(o *Output, in *Input, name string) string {
	switch {
	case o.Err != nil:
		return fmt.Sprintf("refused: %s: %s", o.Err.Kind, o.Err.Err)
	case in.Kind == InSubmit:
		return fmt.Sprintf("job %d", o.Job)
	case in.Kind == InRegister:
		s.trackers[name] = &told{handle: o.Tracker, inc: in.Register.Incarnation}
		return fmt.Sprintf("tracker %d", o.Tracker)
	case o.Desired == nil:
		return "done"
	}
	d := o.Desired
	s.trackers[name].run = append([]job.Attempt(nil), d.Run...)
	var b strings.Builder
	fmt.Fprintf(&b, "seq=%d", d.Seq)
	for what, on := range []bool{d.Register, d.Draining, d.Full} {
		if on {
			b.WriteString([]string{" register", " draining", " full"}[what])
		}
	}
	if len(d.Run) > 0 {
		b.WriteString(" run")
	}
	for _, a := range d.Run {
		b.WriteString(" " + transcript.Show(a))
	}
	if len(d.Jobs) > 0 {
		fmt.Fprintf(&b, " jobs %v", d.Jobs)
	}
	for _, l := range d.Limits {
		fmt.Fprintf(&b, " limit %s cpu=%d memory=%d", transcript.Show(l.Attempt), l.CPU, l.Memory)
	}
	return b.String()
}

// fact formats the fields of a fact that matter for its type.
func (s *script) fact(e *event.Event) string {
	words := []string{e.Type.String()}
	add := func(on bool, format string, args ...any) {
		if on {
			words = append(words, fmt.Sprintf(format, args...))
		}
	}
	id := e.Attempt != job.Attempt{}
	add(id, "%s", transcript.Show(e.Attempt))
	add(!id && e.Job > 0, "job %d", e.Job)
	switch e.Type {
	case event.Started:
		add(true, "restarts=%d", e.N)
	case event.TrackerJoined:
		add(true, "%s slots=%d,%d", e.Name, e.Slots[0], e.Slots[1])
	case event.AttemptStarted:
		add(true, "on %s in a %s slot", s.names[e.Tracker], strings.ToLower(e.Slot.String()))
	case event.AttemptFinished:
		add(true, "on %s %s", s.names[e.Tracker], e.State)
	case event.TaskReopened:
		add(true, "%s", e.State)
	case event.TaskFinished:
		add(true, "%s", e.TaskState)
	case event.JobAborting, event.JobFinished:
		add(true, "%s", e.JobState)
	case event.JobPriorityChanged:
		add(true, "%s", e.Priority)
	case event.JobMoved:
		add(true, "%s", e.Name)
	case event.LimitsChanged:
		add(true, "cpu=%d memory=%d", e.VCores, e.Memory)
	case event.SchedulerChanged:
		add(true, "%s%s", e.Name, map[int64]string{1: " (speculative execution)"}[e.N])
	case event.TrackerDraining:
		add(true, "%s %s", e.Name, Drain(e.N))
	case event.TrackerLost, event.TrackerBlacklisted, event.TrackerDrained:
		add(true, "%s", s.names[e.Tracker])
	}
	add(e.Kind != failure.Unknown, "[%s]", e.Kind)
	add(e.Text != "", "%q", e.Text)
	return strings.Join(words, " ")
}

// words contains the key=value pairs of a command.
type words struct{ transcript.Words }

func (v words) spec(name string) *job.Spec {
	s := spec(int32(v.Int("maps", 1)), int32(v.Int("reduces", 0)))
	s.Name, s.MapSpeculative = name, v.Has("speculative")
	s.MapAttempts = int32(v.Int("attempts", 4))
	return s
}

func (v words) drain() Drain {
	for d := range numDrains {
		if d.String() == v.Value["how"] {
			return d
		}
	}
	v.T.Fatalf("%s: no way to drain", v.Line)
	return DrainOff
}
