//go:build integration

package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"github.com/howdah/howdah/integration/bench/measure"
)

// peer is a program in the comparison.
type peer interface {
	name() string
	// available prepares the program. If the machine cannot run the program, it returns an error
	// with the reason.
	available() error
	start() error
	stop()
	runs(j *job) bool // reports whether the program can run a job
	// run runs a job on local input, writes its output to out, and returns the time from the
	// command's start to its exit.
	run(j *job, in, out string) (time.Duration, error)
	mapReduce() bool // reports whether the part files must be the same as Hadoop's
}

// bench collects the measurements.
type bench struct {
	ctx         context.Context
	dir, howdah string
	size        int64
	runs        int
	jobs        []*job
	peers       []peer
	options     []string // of make
	missing     []string // names of the programs that this machine cannot run
	results     []*result
}

// result contains the times of all runs of one job with one program, and what they used of YARN.
type result struct {
	peer, job string
	seconds   []float64
	uses      []use
}

func (b *bench) of(p peer, j *job) *result {
	i := slices.IndexFunc(b.results, func(r *result) bool { return r.peer == p.name() && r.job == j.name })
	if i < 0 {
		return nil
	}
	return b.results[i]
}

// measure runs each job with each program once per round. Each round starts with a different
// program.
func (b *bench) measure() error {
	for _, j := range b.jobs {
		for _, p := range b.peers {
			if p.runs(j) {
				b.results = append(b.results, &result{peer: p.name(), job: j.name})
			}
		}
	}
	digests := map[string]string{} // for each job, and for each job with the boundaries of part files
	for round := range b.runs {
		for _, j := range b.jobs {
			for i := range b.peers {
				p := b.peers[(i+round)%len(b.peers)]
				r := b.of(p, j)
				if r == nil {
					continue
				}
				took, err := b.once(p, j, digests)
				if err != nil {
					return fmt.Errorf("%s, %s: %w", p.name(), j.name, err)
				}
				r.seconds = append(r.seconds, took.Seconds())
				if on, ok := p.(user); ok {
					u, err := on.used()
					if err != nil {
						return fmt.Errorf("%s, %s: %w", p.name(), j.name, err)
					}
					r.uses = append(r.uses, u)
				}
				fmt.Printf("round %d, %s, %s: %.3f s\n", round+1, j.name, p.name(), took.Seconds())
			}
		}
	}
	return nil
}

// once runs a job once. It returns an error if the result differs from those of earlier runs.
func (b *bench) once(p peer, j *job, digests map[string]string) (time.Duration, error) {
	out := filepath.Join(b.dir, "out")
	if err := os.RemoveAll(out); err != nil {
		return 0, err
	}
	took, err := p.run(j, b.input(j.input), out)
	if err != nil {
		return 0, err
	}
	checks := map[string]func(string) (string, error){j.name: j.canonical}
	if p.mapReduce() {
		checks[j.name+", part files"] = exact
	}
	for what, digest := range checks {
		sum, err := digest(out)
		if err != nil {
			return 0, err
		}
		if first := digests[what]; first != "" && sum != first {
			return 0, fmt.Errorf("the results differ (%s): digest %s, earlier %s", what, sum, first)
		}
		digests[what] = sum
	}
	return took, os.RemoveAll(out)
}

func (b *bench) command(name string, args ...string) *exec.Cmd {
	return exec.CommandContext(b.ctx, name, args...)
}

// table returns the figures as a Markdown table.
func (b *bench) table() string {
	var t bytes.Buffer
	fmt.Fprintln(&t, "| job | program | median (s) | minimum (s) | maximum (s) | relative to the first |")
	fmt.Fprintln(&t, "|---|---|---|---|---|---|")
	for _, j := range b.jobs {
		first := 0.0
		for _, p := range b.peers {
			r := b.of(p, j)
			if r == nil {
				continue
			}
			median := measure.Median(r.seconds)
			if first == 0 {
				first = median
			}
			fmt.Fprintf(&t, "| %s | %s | %s | %s | %s | %.2f |\n", j.name, p.name(), figure(median),
				figure(slices.Min(r.seconds)), figure(slices.Max(r.seconds)), median/first)
		}
	}
	return t.String()
}

// figure formats a time in seconds, to the millisecond below one second and otherwise to a
// hundredth of a second.
func figure(s float64) string {
	if s < 1 {
		return fmt.Sprintf("%.3f", s)
	}
	return fmt.Sprintf("%.2f", s)
}
