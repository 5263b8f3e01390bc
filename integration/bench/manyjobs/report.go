package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"time"
)

// sample is the JobTracker's resource usage after a number of jobs.
type sample struct {
	jobs  int
	after time.Duration
	rss   int64 // bytes
	files int
}

func (s sample) String() string {
	return fmt.Sprintf("%6d jobs  %6.1f s  %6.1f MiB  %4d open files", s.jobs, s.after.Seconds(),
		float64(s.rss)/(1<<20), s.files)
}

// take reads a sample from /proc.
func take(c *cluster, jobs int, after time.Duration) (sample, error) {
	s := sample{jobs: jobs, after: after}
	pid, err := c.pid()
	if err != nil {
		return s, err
	}
	fds, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	if err != nil {
		return s, err
	}
	s.files = len(fds)
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return s, err
	}
	_, rest, _ := bytes.Cut(status, []byte("VmRSS:"))
	if _, err := fmt.Sscanf(string(rest), "%d kB", &s.rss); err != nil {
		return s, fmt.Errorf("read VmRSS of %d: %w", pid, err)
	}
	s.rss *= 1024
	return s, nil
}

// report holds all measurements.
type report struct {
	samples []sample
	restart time.Duration
}

// judge prints the figures with their limits. It returns an error if a limit is exceeded.
func (r *report) judge() error {
	last := r.samples[len(r.samples)-1]
	var base sample
	for _, s := range r.samples {
		if s.jobs == last.jobs/5 {
			base = s
		}
	}
	checks := []struct {
		what, got, limit string
		ok               bool
	}{
		{"RSS", fmt.Sprintf("%.1f MiB after %d jobs, %.1f MiB after %d", mib(base.rss), base.jobs, mib(last.rss), last.jobs),
			fmt.Sprintf("+%d MiB", maxGrowth>>20), last.rss <= base.rss+maxGrowth},
		{"open files", fmt.Sprintf("%d, then %d", base.files, last.files),
			fmt.Sprintf("±%d", maxFiles), max(last.files-base.files, base.files-last.files) <= maxFiles},
		{"restart to first accepted job", r.restart.Round(time.Millisecond).String(), maxRestart.String(),
			r.restart <= maxRestart},
	}
	broken := false
	for _, c := range checks {
		verdict := "ok"
		if !c.ok {
			verdict, broken = "BROKEN", true
		}
		fmt.Printf("%-30s %-45s limit %-8s %s\n", c.what, c.got, c.limit, verdict)
	}
	fmt.Printf("%-30s %.1f\n", "jobs per second", float64(last.jobs)/last.after.Seconds())
	if broken {
		return errors.New("a limit is exceeded")
	}
	return nil
}

func mib(n int64) float64 { return float64(n) / (1 << 20) }
