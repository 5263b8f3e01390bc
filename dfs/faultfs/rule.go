package faultfs

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/howdah/howdah/job/failure"
)

// An Op is a set of operations.
type Op uint16

// The operations that a Rule can match.
const (
	Open Op = 1 << iota
	Read    // Read and ReadAt of an open file
	Create
	Write
	Sync
	Close // of a writer
	Stat
	List
	Mkdir
	Rename // a rule matches the path "FROM to TO"
	Delete
	Locations
	SetMeta
)

var opNames = []string{"open", "read", "create", "write", "sync", "close", "stat", "list", "mkdir", "rename", "delete",
	"locations", "setmeta"}

func (o Op) String() string {
	var names []string
	for i, n := range opNames {
		if o&(1<<i) != 0 {
			names = append(names, n)
		}
	}
	return strings.Join(names, "|")
}

// An Effect is what a Rule does to a call.
type Effect uint8

// The possible effects of a Rule.
const (
	None    Effect = iota
	Fail           // the call fails; a Read or Write first transfers the bytes before Rule.After
	Lost           // the call succeeds, but the caller receives an error; Read: like Fail
	Slow           // the call takes Rule.Delay longer
	Corrupt        // Read, Write: one bit of the byte at Rule.After is flipped
)

func (e Effect) String() string {
	return [...]string{"none", "failed", "lost answer", "slow", "corrupted"}[e]
}

// A Rule selects calls and the fault to inject into them.
type Rule struct {
	Ops    Op      // 0 means all
	Path   string  // part of the path; "" matches any path
	Skip   int     // number of matching calls that pass before the first fault
	Times  int     // maximum number of faults; 0 means no limit
	Chance float64 // probability of each fault, 0-1; 0 means that every fault occurs
	After  int64   // Read, Write: number of bytes that are transferred before the fault
	Total  bool    // After counts the bytes of all files together, as on a full disk
	Do     Effect
	Kind   failure.Kind  // for Fail and Lost; Unknown means IO
	Delay  time.Duration // for Slow
}

type rules struct {
	mu    sync.Mutex
	rules []Rule
	seen  []int // number of matching calls by rule
	hits  []int // number of faults by rule
	total struct{ read, written int64 }
	rand  *rand.Rand
	lines []string
}

func newRules(seed uint64, r []Rule) *rules {
	return &rules{rules: slices.Clone(r), seen: make([]int, len(r)), hits: make([]int, len(r)),
		rand: rand.New(rand.NewPCG(seed, seed))}
}

// strike is the fault, if any, that the rules inject into one call.
type strike struct {
	effect Effect
	kind   failure.Kind
	delay  time.Duration
	pass   int64 // number of this call's bytes that are transferred before the fault
	bit    byte  // bit to flip
}

// next decides the outcome of one call. op is its operation, and on is its path. A read or write
// covers the n bytes of the file that start at off.
func (r *rules) next(op Op, on string, off, n int64) strike {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range r.rules {
		if s, ok := r.try(i, op, on, off, n); ok {
			r.lines = append(r.lines, fmt.Sprintf("%v %s: %v", op, on, s.effect))
			r.count(op, s.passed(n))
			return s
		}
	}
	r.count(op, n)
	return strike{}
}

func (r *rules) try(i int, op Op, on string, off, n int64) (strike, bool) {
	rule := &r.rules[i]
	if rule.Ops != 0 && rule.Ops&op == 0 || !strings.Contains(on, rule.Path) {
		return strike{}, false
	}
	if rule.Total {
		off = r.total.read
		if op == Write {
			off = r.total.written
		}
	}
	pass := max(rule.After-off, 0)
	bytes := op == Read || op == Write
	if bytes && pass >= n ||
		bytes && rule.Do == Corrupt && rule.After < off ||
		!bytes && (rule.After > 0 || rule.Do == Corrupt) {
		return strike{}, false
	}
	r.seen[i]++
	if r.seen[i] <= rule.Skip || rule.Times > 0 && r.hits[i] >= rule.Times {
		return strike{}, false
	}
	if rule.Chance > 0 && r.rand.Float64() >= rule.Chance {
		return strike{}, false
	}
	r.hits[i]++
	return strike{effect: rule.Do, kind: rule.Kind, delay: rule.Delay, pass: pass, bit: 1 << r.rand.IntN(8)}, true
}

// passed returns how many of the n bytes of a call count toward the rules' totals.
func (s strike) passed(n int64) int64 {
	if s.effect == Fail {
		return s.pass
	}
	return n
}

func (r *rules) count(op Op, n int64) {
	switch op {
	case Read:
		r.total.read += n
	case Write:
		r.total.written += n
	}
}

func (r *rules) log() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.lines)
}

func (r *rules) heal() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.rules = nil
}

var errInjected = errors.New("injected fault")

func (s strike) err(op Op, on string) error {
	kind := s.kind
	if kind == failure.Unknown {
		kind = failure.IO
	}
	return failure.New(kind, op.String(), on, errInjected)
}

func ended(ctx context.Context, op Op, on string) error {
	return failure.New(failure.KindOf(ctx.Err()), op.String(), on, ctx.Err())
}
