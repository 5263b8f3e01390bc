package policytest

import (
	"bytes"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Growth compares growthBeats heartbeats with few and with many jobs.
const (
	few, many   = 1_000, 20_000
	growthBeats = 500
)

var playFlag = flag.String("policytest.play", "", "for Growth: play a steady cluster with JOBS,BEATS,TICKS")

// Growth tests how the work of a policy grows from 1,000 to 20,000 waiting jobs. In each heartbeat,
// one task has ended. Reduce slots are free, but only maps wait. Without Ticks, the work of a
// heartbeat may grow by an exponent of at most 0.15, because there are as many more heartbeats as
// jobs. With Ticks, the exponent may be 1.15, because a placement cycle has to look at every job. The
// same holds for a policy with Options.Surveys.
//
// Work is the number of executed statements, as counted by go test -covermode=count, in the packages
// of -coverpkg except policytest. Growth skips the test without that mode. It does not count the
// statements of other packages, such as the moves of elements in slices.Insert, nor what the machine
// does for a policy. Cost counts questions to the machine.
func Growth(t *testing.T, o Options) {
	o = o.withDefaults()
	var jobs, beats int
	var ticks bool
	if n, _ := fmt.Sscanf(*playFlag, "%d,%d,%t", &jobs, &beats, &ticks); n == 3 {
		p := &paused{wrapper: wrapper{o.New()}}
		s := newSteady(o, jobs, 10, false, p)
		p.on = !ticks
		for range beats {
			s.beat(true)
		}
		return
	}
	if m := testing.CoverMode(); m != "count" && m != "atomic" {
		t.Skip("needs go test -covermode=count -coverpkg=PACKAGES")
	}
	start := [2]int64{statements(t, few, 0, false), statements(t, many, 0, false)}
	for _, ticks := range [2]bool{false, true} {
		var n [2]float64
		for i, jobs := range [2]int{few, many} {
			n[i] = float64(statements(t, jobs, growthBeats, ticks)-start[i]) / growthBeats
		}
		if n[0] <= 0 {
			t.Fatal("no statement of the policy was counted: -coverpkg must contain its package")
		}
		e, limit := math.Log(n[1]/n[0])/math.Log(many/few), 1.15
		if !ticks && o.Surveys == "" {
			limit--
		}
		t.Logf("ticks=%t: %.0f and %.0f statements a heartbeat, exponent %.2f", ticks, n[0], n[1], e)
		if e > limit {
			t.Errorf("with %d instead of %d jobs, the work grows by an exponent of %.2f, want at most %.2f", many, few, e, limit)
		}
	}
}

// A paused policy has no deadlines while on is set.
type paused struct {
	wrapper
	on bool
}

// NextDeadline implements scheduler.Policy.
func (p *paused) NextDeadline() int64 {
	if p.on {
		return 0
	}
	return p.Policy.NextDeadline()
}

// statements plays a steady cluster in a process of its own and returns the number of statements that
// it has executed.
func statements(t *testing.T, jobs, beats int, ticks bool) (sum int64) {
	file := filepath.Join(t.TempDir(), "profile")
	cmd := exec.Command(os.Args[0], "-test.run=^"+strings.ReplaceAll(t.Name(), "/", "$/^")+"$", "-test.coverprofile="+file,
		fmt.Sprintf("-policytest.play=%d,%d,%t", jobs, beats, ticks))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	profile, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(profile) {
		where, counts, _ := strings.Cut(string(line), " ")
		var n, times int64
		if _, err := fmt.Sscan(counts, &n, &times); err == nil && !strings.Contains(where, "/policytest/") {
			sum += n * times
		}
	}
	return sum
}
