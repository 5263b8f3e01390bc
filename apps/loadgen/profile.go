package loadgen

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"
)

// Phase is a part of a task's work. A phase consists of steps, among which its work is divided
// evenly.
type Phase struct {
	CPU    time.Duration // work, as time on a core of about 3 GHz; see unit
	Wait   time.Duration // idle time
	Memory int64         // bytes in use at the end of the phase; memory changes evenly from step to step
	Live   int64         // like Memory, but in small objects that point to each other, for the garbage collector to scan
	Trash  int64         // bytes of small objects that are allocated and dropped immediately
	Write  int64         // bytes written to the task's own file
	Read   int64         // bytes read from that file; reads start over at its end
}

// Limits of a phase.
const (
	maxTime  = 24 * time.Hour
	maxBytes = 1 << 40
)

// Profile lists a task's phases in order. Their numbers of steps differ by at most one.
type Profile []Phase

// ParseProfile parses phases separated by ";". Each phase is a comma-separated list of WHAT=AMOUNT.
// The amount of cpu and wait is a time such as 1.5s. The amount of memory, live, trash, write, and
// read is a number of bytes such as 64m. A list must not set the same item twice. A phase that
// reads must also write, or follow a phase that writes.
func ParseProfile(s string) (Profile, error) {
	var p Profile
	for part := range strings.SplitSeq(s, ";") {
		var f Phase
		seen := map[string]bool{}
		for word := range strings.SplitSeq(part, ",") {
			word = strings.TrimSpace(word)
			if err := f.set(word); err != nil {
				return nil, err
			}
			what, _, _ := strings.Cut(word, "=")
			if seen[what] {
				return nil, fmt.Errorf("%q sets %s twice", strings.TrimSpace(part), what)
			}
			seen[what] = true
		}
		if f.Read > 0 && f.Write == 0 && p.written() == 0 {
			return nil, fmt.Errorf("%q reads before a phase has written data", strings.TrimSpace(part))
		}
		p = append(p, f)
	}
	return p, nil
}

const amounts = "cpu, wait, memory, live, trash, write or read"

func (f *Phase) set(word string) error {
	what, amount, ok := strings.Cut(word, "=")
	if !ok {
		return fmt.Errorf("%q: want %s, followed by = and an amount", word, amounts)
	}
	var err error
	switch what {
	case "cpu":
		f.CPU, err = parseTime(amount)
	case "wait":
		f.Wait, err = parseTime(amount)
	case "memory":
		f.Memory, err = parseBytes(amount)
	case "live":
		f.Live, err = parseBytes(amount)
	case "trash":
		f.Trash, err = parseBytes(amount)
	case "write":
		f.Write, err = parseBytes(amount)
	case "read":
		f.Read, err = parseBytes(amount)
	default:
		err = fmt.Errorf("want %s", amounts)
	}
	if err != nil {
		return fmt.Errorf("%q: %w", word, err)
	}
	return nil
}

func parseTime(s string) (time.Duration, error) {
	d, err := time.ParseDuration(s)
	if err != nil || d < 0 || d > maxTime {
		return 0, fmt.Errorf("want a time of 0s to %s", maxTime)
	}
	return d, nil
}

func parseBytes(s string) (int64, error) {
	digits, factor := s, int64(1)
	if s != "" {
		if i := strings.IndexByte("kmg", s[len(s)-1]|0x20); i >= 0 {
			digits, factor = s[:len(s)-1], 1<<(10*(i+1))
		}
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n < 0 || n > maxBytes/factor {
		return 0, fmt.Errorf("want bytes, 0 to 1024g, with an optional suffix k, m or g")
	}
	return n * factor, nil
}

func (p Profile) written() (n int64) {
	for _, f := range p {
		n += f.Write
	}
	return n
}

// Scaled returns a profile with the work multiplied by factor and the live objects multiplied by
// live. Memory stays the same. Unless factor is 0, a phase that writes still writes at least one
// byte, because a later read needs a nonempty file.
func (p Profile) Scaled(factor, live float64) Profile {
	out := make(Profile, len(p))
	for i, f := range p {
		f.CPU, f.Wait = time.Duration(float64(f.CPU)*factor), time.Duration(float64(f.Wait)*factor)
		f.Write, f.Read = int64(math.Ceil(float64(f.Write)*factor)), int64(float64(f.Read)*factor)
		f.Trash, f.Live = int64(float64(f.Trash)*factor), int64(float64(f.Live)*live)
		out[i] = f
	}
	return out
}

// Factor returns a task's work, or its live objects, divided by the average. The result is between
// 1-skew and 1+skew. The same arguments always yield the same result.
func Factor(seed int64, task uint64, skew float64) float64 {
	r := rand.New(rand.NewPCG(uint64(seed), task))
	return 1 + skew*(2*r.Float64()-1)
}

// MapFactors returns the factors of a map's work and of its live objects, for a job with the given
// values of -seed, -skew, and -skewlive. index is the map's index.
func MapFactors(seed int64, index uint64, skew, live float64) (work, objects float64) {
	return factors(seed, index<<1, skew, live)
}

// factors returns the factors of a task's work and of its live objects.
func factors(seed int64, task uint64, skew, live float64) (work, objects float64) {
	return Factor(seed, task, skew), Factor(seed, task|streamLive, live)
}

// At returns the phase of step i of n, the step's number within the phase, and the phase's number
// of steps.
func (p Profile) At(i, n int64) (phase int, step, steps int64) {
	k := int64(len(p))
	phase = int(i * k / n)
	first, end := ceil(int64(phase)*n, k), ceil(int64(phase+1)*n, k)
	return phase, i - first, end - first
}

func ceil(a, b int64) int64 { return (a + b - 1) / b }

// Work is the work of one step.
type Work struct {
	CPU, Wait   time.Duration
	Memory      int64 // bytes held at the end
	Live        int64 // bytes held in small objects at the end
	Trash       int64 // bytes of small objects to allocate and drop
	Write, Read int64
}

// Step returns the work of step i of n. n must be at least the number of phases. The steps of a
// phase add up to the phase's work.
func (p Profile) Step(i, n int64) Work {
	at, step, steps := p.At(i, n)
	f, before := p[at], Phase{}
	if at > 0 {
		before = p[at-1]
	}
	held := func(before, after int64) int64 { return before + (after-before)*(step+1)/steps }
	// total*k/steps, without the product, which can overflow
	done := func(total, k int64) int64 { return total/steps*k + total%steps*k/steps }
	part := func(total int64) int64 { return done(total, step+1) - done(total, step) }
	return Work{
		CPU: time.Duration(part(int64(f.CPU))), Wait: time.Duration(part(int64(f.Wait))),
		Memory: held(before.Memory, f.Memory), Live: held(before.Live, f.Live),
		Trash: part(f.Trash), Write: part(f.Write), Read: part(f.Read),
	}
}
