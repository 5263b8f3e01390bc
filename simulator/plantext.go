package simulator

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/howdah/howdah/job/failure"
)

// ReadPlan reads a plan from a file; see ParsePlan.
func ReadPlan(path string) (*Plan, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, failure.New(failure.KindOf(err), "read plan", path, err)
	}
	return parsePlan(path+":", string(text))
}

// ParsePlan parses a plan. Line ends or semicolons separate clauses, and # starts a comment. NODES
// is "all", a number, a range, or a comma-separated list such as 1-8,12. Times look like 90s or
// 2h30m (units h, m, s, ms). AT and BACK count from the first submission.
//
//	speed NODES FACTOR             1 = as recorded, 2 = twice as fast
//	locality NODE RACK OFFSWITCH   slowdown of maps by the place of their input
//	straggle SHARE FACTOR          this share of attempts takes FACTOR times as long
//	fail SHARE                     this share of attempts fails
//	load NODES AT SHARE [slots]    others use this share of the CPU from AT on; slots: it costs slots, not speed
//	lose NODES AT [BACK]           trackers die, and restart at BACK
//	leave NODES AT [BACK]          trackers leave gracefully, and restart at BACK
//	join COUNT AT                  more nodes
//	crash EVERY DOWN               each initial node crashes at random, on average after EVERY (1s or more) up, for DOWN
//
// Errors are of kind Config and include the line number. Node numbers are checked against the size
// of the cluster when the plan runs.
func ParsePlan(text string) (*Plan, error) { return parsePlan("line ", text) }

// parsePlan parses a plan. file precedes the line number in errors.
func parsePlan(file, text string) (*Plan, error) {
	p := &Plan{}
	for i, line := range strings.Split(text, "\n") {
		line, _, _ = strings.Cut(line, "#")
		for clause := range strings.SplitSeq(line, ";") {
			words := strings.Fields(clause)
			if len(words) == 0 {
				continue
			}
			one := clausePlan{place: fmt.Sprintf("%s%d: %s", file, i+1, strings.TrimSpace(clause))}
			if err := one.clause(words); err != nil {
				return nil, one.bad(err)
			}
			if err := one.check(maxTrackers); err != nil {
				return nil, one.bad(err)
			}
			p.clauses = append(p.clauses, one)
			_ = p.clause(words) // the text has already been parsed without an error
		}
	}
	return p, nil
}

// clausePlan is a plan with a single clause, with the clause's position for errors.
type clausePlan struct {
	Plan
	place string
}

func (c *clausePlan) bad(err error) error {
	return failure.New(failure.Config, "read plan", c.place, err)
}

func (p *Plan) clause(words []string) error {
	w := clauseWords{words: words[1:]}
	switch words[0] {
	case "speed":
		p.Speeds = append(p.Speeds, Speed{w.nodes(), w.number()})
	case "locality":
		p.Locality = [3]float64{w.factor(), w.factor(), w.factor()}
	case "straggle":
		p.Straggle = Straggle{w.number(), w.factor()}
	case "fail":
		p.Fail = w.number()
	case "load":
		p.Loads = append(p.Loads, Load{w.nodes(), w.time(), w.number(), w.word("slots")})
	case "lose":
		p.Aways = append(p.Aways, Away{Nodes: w.nodes(), At: w.time(), Back: w.optional()})
	case "leave":
		p.Aways = append(p.Aways, Away{Nodes: w.nodes(), At: w.time(), Back: w.optional(), Leave: true})
	case "join":
		p.Joins = append(p.Joins, Join{w.count(), w.time()})
	case "crash":
		p.Crash = Crash{max(1, w.time()), w.time()} // to say "never", omit the clause
	default:
		return errors.New("want one of: speed locality straggle fail load lose leave join crash")
	}
	if w.err == nil && len(w.words) > 0 {
		w.err = fmt.Errorf("unexpected word %q", w.words[0])
	}
	return w.err
}

// clauseWords parses the words of a clause one by one and keeps the first error.
type clauseWords struct {
	words []string
	err   error
}

func (w *clauseWords) next() string {
	if len(w.words) == 0 {
		w.bad("a word is missing")
		return ""
	}
	s := w.words[0]
	w.words = w.words[1:]
	return s
}

func (w *clauseWords) bad(format string, args ...any) {
	if w.err == nil {
		w.err = fmt.Errorf(format, args...)
	}
}

func (w *clauseWords) number() float64 {
	s := w.next()
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		w.bad("%q is not a number", s)
	}
	return f
}

// factor parses a factor. It rejects 0, which would mean "not set".
func (w *clauseWords) factor() float64 {
	f := w.number()
	if !(f >= minFactor && f <= maxFactor) {
		w.bad("%g: want a factor of %g to %d", f, minFactor, maxFactor)
	}
	return f
}

func (w *clauseWords) count() int {
	s := w.next()
	n, err := strconv.Atoi(s)
	if err != nil {
		w.bad("%q is not a whole number", s)
	}
	return n
}

func (w *clauseWords) time() int64 {
	s := w.next()
	d, err := time.ParseDuration(s)
	if err != nil {
		w.bad("%q is not a time: write 90s or 2h30m", s)
	}
	if ms := d.Milliseconds(); ms < 0 || ms > maxTime {
		w.bad("%s: want 0s to %dh", s, maxTime/3600_000)
	}
	return d.Milliseconds()
}

func (w *clauseWords) optional() int64 {
	if len(w.words) == 0 {
		return 0
	}
	return max(1, w.time()) // in a plan, 0 means "never"
}

func (w *clauseWords) word(s string) bool {
	if len(w.words) == 0 || w.words[0] != s {
		return false
	}
	w.words = w.words[1:]
	return true
}

func (w *clauseWords) nodes() Nodes {
	s := w.next()
	if s == "all" || s == "" {
		return nil
	}
	var list Nodes
	for part := range strings.SplitSeq(s, ",") {
		a, b, isRange := strings.Cut(part, "-")
		from, err := strconv.Atoi(a)
		to := from
		if err == nil && isRange {
			to, err = strconv.Atoi(b)
		}
		if err != nil || from < 1 || to < from || to > maxTrackers {
			w.bad("%q is not a list of nodes: write 1-8,12 or all", s)
			return nil
		}
		for n := from; n <= to && len(list) <= maxTrackers; n++ {
			list = append(list, n)
		}
	}
	return list
}
