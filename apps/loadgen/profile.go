package loadgen

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"
)

// Phase is a part of a task's work. A task does it in equal steps.
type Phase struct {
	CPU    time.Duration // work: so long it takes a core of unit speed
	Wait   time.Duration // idle
	Memory int64         // bytes that the task holds at the end; it comes there from what it held before, step by step
	Live   int64         // the same of small objects that point at each other, which the garbage collector goes through
	Trash  int64         // bytes of small objects that are made and dropped at once
	Write  int64         // bytes written to a file of the task's own
	Read   int64         // bytes read from that file, from its beginning again and again
}

// Limits of a phase.
const (
	maxTime  = 24 * time.Hour
	maxBytes = 1 << 40
)

// Profile is the phases of a task, one after the other. Each takes the same number of steps.
type Profile []Phase

// ParseProfile reads phases with ";" between them, each a list of WHAT=AMOUNT with commas: cpu and wait with a time as in 1.5s, memory,
// live, trash, write and read with bytes as in 64m. Nothing may stand twice in a list.
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
				return nil, fmt.Errorf("%q says twice how much %s", strings.TrimSpace(part), what)
			}
			seen[what] = true
		}
		if f.Read > 0 && f.Write == 0 && p.written() == 0 {
			return nil, fmt.Errorf("%q reads before anything was written", strings.TrimSpace(part))
		}
		p = append(p, f)
	}
	return p, nil
}

const amounts = "cpu, wait, memory, live, trash, write or read"

func (f *Phase) set(word string) error {
	what, amount, ok := strings.Cut(word, "=")
	if !ok {
		return fmt.Errorf("%q: want %s, =, and how much", word, amounts)
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
		return 0, fmt.Errorf("want bytes, 0 to 1024g, with a suffix k m g if you like")
	}
	return n * factor, nil
}

func (p Profile) written() (n int64) {
	for _, f := range p {
		n += f.Write
	}
	return n
}

// Scaled gives a profile with so many times the work; it holds so many times the live objects, and the same other memory. Whoever writes
// goes on writing something: there may be reads of it.
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

// Factor tells how much more work than others a task has: between 1-skew and 1+skew, by seed and task, whenever it runs.
func Factor(seed int64, task uint64, skew float64) float64 {
	r := rand.New(rand.NewPCG(uint64(seed), task))
	return 1 + skew*(2*r.Float64()-1)
}

// At gives step i of n: the phase that it belongs to, and which of the phase's steps it is.
func (p Profile) At(i, n int64) (phase int, step, steps int64) {
	k := int64(len(p))
	phase = int(i * k / n)
	first, end := ceil(int64(phase)*n, k), ceil(int64(phase+1)*n, k)
	return phase, i - first, end - first
}

func ceil(a, b int64) int64 { return (a + b - 1) / b }

// Work is what is to be done in one step.
type Work struct {
	CPU, Wait   time.Duration
	Memory      int64 // bytes held when it is over
	Live        int64 // the same of small objects
	Trash       int64 // bytes of small objects to make and drop
	Write, Read int64
}

// Step gives the work of step i of n, n at least the number of phases. The steps of a phase add up to the phase.
func (p Profile) Step(i, n int64) Work {
	at, step, steps := p.At(i, n)
	f, before := p[at], Phase{}
	if at > 0 {
		before = p[at-1]
	}
	held := func(before, after int64) int64 { return before + (after-before)*(step+1)/steps }
	done := func(total, k int64) int64 { return total/steps*k + total%steps*k/steps } // total*k/steps, whose product may be too large
	part := func(total int64) int64 { return done(total, step+1) - done(total, step) }
	return Work{
		CPU: time.Duration(part(int64(f.CPU))), Wait: time.Duration(part(int64(f.Wait))),
		Memory: held(before.Memory, f.Memory), Live: held(before.Live, f.Live),
		Trash: part(f.Trash), Write: part(f.Write), Read: part(f.Read),
	}
}
