package daemon

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/jobtracker"
	"github.com/howdah/howdah/simulator/whatif"
)

// Limits on reading the state for predictions.
const (
	maxStates    = 2 // concurrent requests
	stateTimeout = 10 * time.Second
)

// whatIf answers GET /what-if with the state of the cluster, from which howdah sim what-if predicts
// the ends of jobs. docs/reference/protocol.md describes the format.
func (d *Daemon) whatIf(w http.ResponseWriter, r *http.Request) {
	select {
	case d.states <- struct{}{}:
		defer func() { <-d.states }()
	default:
		http.Error(w, "too many clients are reading the state of the cluster; try again later", http.StatusServiceUnavailable)
		return
	}
	user, err := d.cfg.Acting.For(r.Context(), "")
	if err != nil {
		http.Error(w, err.Error(), http.StatusForbidden)
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), stateTimeout)
	defer cancel()
	s, err := d.state(ctx, whatif.Reader{User: user, Admin: user == "" || d.policies.Rules().Admin(user), Key: d.opaque})
	if err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	text, err := json.Marshal(s)
	switch {
	case err != nil:
		http.Error(w, err.Error(), http.StatusInternalServerError)
	case len(text) > whatif.MaxBytes:
		http.Error(w, "the state of the cluster is too large", http.StatusServiceUnavailable)
	default:
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(text) // a client that has gone needs no answer
	}
}

// state reads the state of the cluster. The owner handles other calls between the steps.
func (d *Daemon) state(ctx context.Context, r whatif.Reader) (*whatif.State, error) {
	c, err := look(ctx, d.owner, func(m *jobtracker.Machine) (*whatif.Capture, error) {
		return whatif.Begin(m, m.AllJobs())
	})
	for more := true; more && err == nil; {
		more, err = look(ctx, d.owner, func(m *jobtracker.Machine) (bool, error) {
			return c.Step(m, d.forecast.Learner, d.cluster)
		})
	}
	if err != nil {
		return nil, err
	}
	x := whatif.Scheduler{Name: d.policies.Present().Name}
	x.Settings, x.Files = d.policies.Inputs()
	return c.State(x, r), nil
}

// Advice determines whether the JobTracker follows the advice of predictions.
type Advice struct {
	Every      time.Duration // between predictions; 0 means that the JobTracker follows no advice
	Agree      int           // how often in a row the same advice must be given
	MinPercent float64       // least gain
	Rest       time.Duration // least time between two changes of the policy
	Goal       whatif.Goal
	Schedulers []string // from which to choose
}

func adviceFromConf(r *reader) Advice {
	goal, err := whatif.ParseGoal(conf.JobTrackerAdviceGoal.Get(r.Conf))
	if err != nil {
		r.Note(r.Conf.Refuse(conf.JobTrackerAdviceGoal.Name, err))
	}
	return Advice{Every: conf.JobTrackerAdviceInterval.From(r), Agree: int(conf.JobTrackerAdviceAgree.From(r)),
		MinPercent: conf.JobTrackerAdviceGainMin.From(r), Rest: conf.JobTrackerAdviceRest.From(r), Goal: goal,
		Schedulers: conf.JobTrackerAdviceSchedulers.Get(r.Conf)}
}

// followAdvice predicts at each interval what other policies would achieve, and follows the advice
// with hysteresis.
func (d *Daemon) followAdvice(ctx context.Context) error {
	ticker := time.NewTicker(d.cfg.Advice.Every)
	defer ticker.Stop()
	w := &whatif.Follower{Agree: d.cfg.Advice.Agree, Rest: d.cfg.Advice.Rest.Milliseconds()}
	for seed := uint64(1); ; seed++ {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
			d.adviseOnce(ctx, w, seed)
		}
	}
}

// adviseOnce makes one prediction, and logs the decision that follows from it.
func (d *Daemon) adviseOnce(ctx context.Context, w *whatif.Follower, seed uint64) {
	x := &d.cfg.Advice
	s, err := d.state(ctx, whatif.Reader{Admin: true})
	if err != nil || len(s.Jobs) == 0 {
		if err != nil && ctx.Err() == nil {
			d.cfg.Log.Warn("cannot read the state of the cluster for a prediction", "error", err)
		}
		return
	}
	w.Switched(max(0, d.policies.Status().Since.UnixMilli()), s.Scheduler.Name)
	f, err := whatif.Predict(ctx, s, whatif.Options{Schedulers: x.Schedulers, Catalog: d.cfg.Catalog, Goal: x.Goal,
		Seed: seed, Within: x.Every / 2})
	if err != nil {
		if ctx.Err() == nil {
			d.cfg.Log.Warn("cannot predict what other schedulers would achieve", "error", err)
		}
		return
	}
	a := f.Advise(x.Goal, x.MinPercent)
	do, why := w.Decide(time.Now().UnixMilli(), a)
	if do {
		if err := d.policies.Follow(ctx, a.To); err != nil {
			do, why = false, err.Error()
		}
	}
	d.cfg.Log.Info("advice on the scheduler", "scheduler", a.From, "advice", a.To, "followed", do, "goal", a.Goal,
		"gain", a.Gain.Median, "low", a.Gain.Low, "high", a.Gain.High, "percent", a.Percent, "jobs", len(s.Jobs), "why", why)
}
