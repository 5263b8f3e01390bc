package adaptive

import "github.com/howdah/howdah/conf"

// Variants of the Adaptive scheduler.
const (
	Middleware11 = "middleware11" // Polo et al., Middleware 2011: utility and placement
	NOMS10       = "noms10"       // Polo et al., NOMS 2010: jobs ordered by their need for slots
)

// Rules for late jobs. The CCGrid paper does not specify one.
const (
	LateDemote = "demote" // one slot is enough; more only if no other job needs them
	LateTop    = "top"    // late jobs get slots before all others
	LateOthers = "others" // treated like jobs without a goal, which should end as early as possible
)

// Conditions under which a job counts as late.
const (
	WhenPassed   = "passed"   // the job's goal has passed
	WhenHopeless = "hopeless" // the goal has passed, or its pending maps cannot all end in time, even in all slots
)

// Sources of task lengths.
const (
	// LengthFirst uses the mean of the job's finished tasks. Until the first task ends, it uses the
	// first of these that is known: the job's profile, the mean of all jobs, or the guess.
	LengthFirst   = "first"
	LengthProfile = "profile" // the job's profile (from history or the user); without one, like LengthFirst
	LengthGuess   = "guess"   // always the guess
)

// Sources of f(t).
const (
	SourceFile     = "file"
	SourceMeasured = "measured"
	// SourceManager is a file that an MR-cluster's agent writes. It describes the coming number of
	// TaskTrackers, which therefore keep tasks within f(t).
	SourceManager = "manager"
)

// Mechanisms that keep tasks within f(t).
const (
	ByScheduler = "scheduler" // trackers report all their slots, and the scheduler uses only the share f(t)
	ByTrackers  = "trackers"  // trackers report fewer slots as the other load grows; f(t) is only a prediction
)

// options holds the settings of a policy.
type options struct {
	variant string
	cycle   int64 // ms
	late    string
	when    string
	length  string
	guess   int64 // ms
	whole   bool  // estimates do not split tasks
	average bool  // s_req is at most the average capacity until the goal, if the policy predicts with f(t)
	horizon bool  // WorkloadEstimator.ahead is the mean task length if that is longer than a cycle
	surplus bool  // jobs also get slots that no job needs
	source  string
	limit   string
	buffer  int64 // percent of the predicted capacity
}

func readOptions(c *conf.Config) (o options, err error) {
	r := conf.Reader{Conf: c}
	o.variant = conf.AdaptiveVariant.From(&r)
	o.cycle = conf.AdaptiveCycle.From(&r).Milliseconds()
	o.when = conf.AdaptiveLateWhen.From(&r)
	o.length = conf.AdaptiveTaskLength.From(&r)
	o.guess = conf.AdaptiveTaskLengthGuess.From(&r).Milliseconds()
	o.horizon = conf.AdaptiveHorizon.From(&r) == "task"
	o.surplus = conf.AdaptiveSurplus.From(&r) == "max"
	o.source = conf.AdaptiveCapacitySource.From(&r)
	o.limit = conf.AdaptiveCapacityEnforcedBy.From(&r)
	if o.source == SourceManager {
		o.limit = ByTrackers
	}
	// NOMS'10 specifies how to treat late jobs, so its default is a different rule.
	late := LateDemote
	if o.variant == NOMS10 {
		late = LateTop
	}
	o.late, err = conf.AdaptiveLate.GetOr(c, late)
	r.Note(err)
	o.whole, o.average = conf.AdaptiveWholeTasks.From(&r), conf.AdaptiveAverageCapacity.From(&r)
	o.buffer = conf.AdaptiveCapacityBuffer.From(&r)
	return o, r.Err
}
