package adaptive

import "github.com/howdah/howdah/conf"

// Configuration keys of the policies.
const (
	VariantKey = "howdah.adaptive.variant"         // variant of the Adaptive scheduler: middleware11 or noms10
	LateKey    = "howdah.adaptive.late"            // how to treat jobs past their goal
	LateWhen   = "howdah.adaptive.late.when"       // when a job counts as late
	LengthKey  = "howdah.adaptive.task.length"     // source of task lengths (size model)
	HorizonKey = "howdah.adaptive.horizon"         // horizon of Algorithm 1
	SurplusKey = "howdah.adaptive.surplus"         // how to use slots that no job needs
	FileKey    = "howdah.adaptive.capacity.file"   // f(t)
	SourceKey  = "howdah.adaptive.capacity.source" // source of f(t): the file or measurements
	LimitKey   = "howdah.adaptive.capacity.enforced.by"
)

// Variants of the Adaptive scheduler.
const (
	Middleware11 = "middleware11" // Polo et al., Middleware 2011: utility and placement
	NOMS10       = "noms10"       // Polo et al., NOMS 2010: jobs ordered by their need for slots
)

// Rules for jobs past their goal. The paper does not specify one.
const (
	LateDemote = "demote" // one slot is enough; more only if no other job needs them
	LateTop    = "top"    // late jobs get slots before all others
	LateOthers = "others" // as many slots as a job without a goal, which should end as early as possible
)

// Conditions under which a job counts as late.
const (
	WhenPassed   = "passed"   // its goal has passed
	WhenHopeless = "hopeless" // the goal has passed, or a task that starts now would end after it
)

// Sources of task lengths.
const (
	// LengthFirst uses the mean of the job's finished tasks. Until the first task ends, it uses the
	// job's profile, or, without a profile, the mean of other jobs.
	LengthFirst   = "first"
	LengthProfile = "profile" // the job's profile (from history or the user); without one, like LengthFirst
	LengthGuess   = "guess"   // always the guess
)

// Sources of f(t).
const (
	SourceFile     = "file"
	SourceMeasured = "measured"
)

// Mechanisms that keep tasks within f(t).
const (
	ByScheduler = "scheduler" // trackers report all their slots, and the scheduler uses the share f(t)
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
	whole   bool
	horizon bool // Algorithm 1 ends after the mean task length, if longer than a cycle
	surplus bool // hand them out
	source  string
	limit   string
	buffer  int64 // percent
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
	// NOMS'10 specifies how to treat late jobs, so its default is a different rule.
	late := LateDemote
	if o.variant == NOMS10 {
		late = LateTop
	}
	o.late, err = conf.AdaptiveLate.GetOr(c, late)
	r.Note(err)
	o.whole, o.buffer = conf.AdaptiveWholeTasks.From(&r), conf.AdaptiveCapacityBuffer.From(&r)
	return o, r.Err
}
