package adaptive

import (
	"errors"
	"strings"
	"time"

	"github.com/howdah/howdah/conf"
)

// Keys of the family.
const (
	VariantKey = "howdah.adaptive.variant"           // which paper's Adaptive scheduler: middleware11 or noms10
	CycleKey   = "howdah.adaptive.cycle"             // T, the control cycle
	LateKey    = "howdah.adaptive.late"              // jobs past their goal
	LateWhen   = "howdah.adaptive.late.when"         // since when they are
	LengthKey  = "howdah.adaptive.task.length"       // where the length of a task comes from (size model)
	UnknownKey = "howdah.adaptive.task.length.guess" // length of a task before anything is known
	WholeKey   = "howdah.adaptive.whole.tasks"       // tasks cannot be split
	HorizonKey = "howdah.adaptive.horizon"           // what Algorithm 1 plans for
	SurplusKey = "howdah.adaptive.surplus"           // slots that nobody needs
	FileKey    = "howdah.adaptive.capacity.file"     // f(t)
	SourceKey  = "howdah.adaptive.capacity.source"   // f(t) from the file or measured
	LimitKey   = "howdah.adaptive.capacity.enforced.by"
	BufferKey  = "howdah.adaptive.capacity.buffer"
)

// Variants of the Adaptive scheduler.
const (
	Middleware11 = "middleware11" // Polo et al., Middleware 2011: utility and placement
	NOMS10       = "noms10"       // Polo et al., NOMS 2010: jobs in order of their need of slots
)

// Rules for jobs that are past their goal; the paper names none.
const (
	LateDemote = "demote" // one slot is enough for them; they get more only of what others do not need
	LateTop    = "top"    // they want all slots before anybody else gets one
	LateOthers = "others" // they want as many slots as a job without a goal, which should end as early as possible
)

// When a job counts as late.
const (
	WhenPassed   = "passed"   // its goal has passed
	WhenHopeless = "hopeless" // a task that started now would end after the goal
)

// Sources of the length of a task.
const (
	LengthFirst   = "first"   // mean of the job's tasks that are done; before there are any: the profile, then other jobs' mean
	LengthProfile = "profile" // the job's profile (from history or the user); without one as LengthFirst
	LengthGuess   = "guess"   // always the guess
)

// Sources of f(t).
const (
	SourceFile     = "file"
	SourceMeasured = "measured"
)

// Who keeps tasks within f(t).
const (
	ByScheduler = "scheduler" // trackers report all their slots, the scheduler uses the share f(t) of them
	ByTrackers  = "trackers"  // trackers report fewer slots as the other load grows; f(t) only foretells it
)

// options are the settings of a policy.
type options struct {
	variant string
	cycle   int64 // ms
	late    string
	when    string
	length  string
	guess   int64 // ms
	whole   bool
	horizon bool // Algorithm 1 ends a task's length from now, not a cycle's
	surplus bool // give it away
	source  string
	limit   string
	buffer  int64 // percent
}

func readOptions(c *conf.Config) (o options, err error) {
	r := reader{conf.Reader{Conf: c}}
	o.variant = r.choice(VariantKey, Middleware11, NOMS10)
	o.cycle = r.ms(CycleKey, 10*time.Second, 10*time.Millisecond, time.Hour)
	o.when = r.choice(LateWhen, WhenPassed, WhenHopeless)
	o.length = r.choice(LengthKey, LengthFirst, LengthProfile, LengthGuess)
	o.guess = r.ms(UnknownKey, time.Minute, time.Millisecond, 240*time.Hour)
	o.horizon = r.choice(HorizonKey, "task", "cycle") == "task"
	o.surplus = r.choice(SurplusKey, "max", "min") == "max"
	o.source = r.choice(SourceKey, SourceFile, SourceMeasured)
	o.limit = r.choice(LimitKey, ByScheduler, ByTrackers)
	// NOMS'10 says what becomes of late jobs, so there another rule comes first.
	if o.variant == NOMS10 {
		o.late = r.choice(LateKey, LateTop, LateDemote, LateOthers)
	} else {
		o.late = r.choice(LateKey, LateDemote, LateTop, LateOthers)
	}
	o.whole, o.buffer = r.Bool(WholeKey, true), r.Int(BufferKey, 0, 0, 100)
	return o, r.Err
}

// reader reads words and times, too.
type reader struct{ conf.Reader }

// choice reads one of several words; the first is the default.
func (r *reader) choice(key string, words ...string) string {
	s := strings.ToLower(strings.TrimSpace(r.Conf.Get(key)))
	if s == "" {
		return words[0]
	}
	for _, w := range words {
		if s == w {
			return w
		}
	}
	r.Note(r.Conf.Refuse(key, errors.New("want one of "+strings.Join(words, ", "))))
	return words[0]
}

func (r *reader) ms(key string, def, min, max time.Duration) int64 {
	d, err := r.Conf.Duration(key, def, time.Millisecond, min, max)
	r.Note(err)
	return d.Milliseconds()
}
