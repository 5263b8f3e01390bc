package daemon

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/howdah/howdah/history"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/scheduler/estimate"
)

// profiles finds what is known of a job from the newest successful job of the same user and name: its profile, for policies
// that plan ahead. It remembers names only, of jobs that succeed and, once somebody asks for a name that it does not know, of
// those in the history; durations are read from the history when they are wanted. Methods may be called concurrently.
type profiles struct {
	mu    sync.Mutex // held while somebody looks for a profile, which takes files and the owner
	names map[jobName]*candidates
	left  []int32 // jobs in the history that were not looked at yet, by number; the newest are looked at first
	began bool    // left was filled

	freshMu sync.Mutex // never held for long: the owner takes it
	fresh   map[jobName]int32
}

type jobName struct{ user, name string }

// candidates are jobs of one name: at first perhaps successful ones, in the end the one that was measured.
type candidates struct {
	seqs    []int32 // newest first
	profile string  // of seqs[0]; "" = not measured yet
}

// Bounds on what is remembered and how much of a long history is looked through.
const (
	maxProfiles   = 10_000
	maxLookedAt   = 5_000
	maxCandidates = 4
)

func newProfiles() *profiles {
	return &profiles{names: map[jobName]*candidates{}, fresh: map[jobName]int32{}}
}

// succeeded notes the newest successful job of a name. Of more names than are remembered the first ones count until somebody
// asks.
func (p *profiles) succeeded(user, name string, seq int32) {
	p.freshMu.Lock()
	defer p.freshMu.Unlock()
	if n := (jobName{user, name}); len(p.fresh) < maxProfiles || p.fresh[n] != 0 {
		p.fresh[n] = seq
	}
}

// merge takes what succeeded since the last time. The caller holds mu.
func (p *profiles) merge() {
	p.freshMu.Lock()
	fresh := p.fresh
	p.fresh = map[jobName]int32{}
	p.freshMu.Unlock()
	for n, seq := range fresh {
		if p.names[n] == nil {
			p.room()
		}
		p.names[n] = &candidates{seqs: []int32{seq}}
	}
}

// room forgets the name that was used longest ago if there are too many.
func (p *profiles) room() {
	if len(p.names) < maxProfiles {
		return
	}
	var oldest jobName
	first := true
	for n, c := range p.names {
		if first || c.seqs[0] < p.names[oldest].seqs[0] {
			oldest, first = n, false
		}
	}
	delete(p.names, oldest)
}

// addProfile gives a job the profile of its forerunner, unless its user gave one or there is none.
func (d *Daemon) addProfile(ctx context.Context, s *job.Spec) error {
	if text, _ := s.Get(estimate.Key); text != "" {
		return nil
	}
	text, seq, err := d.profileOf(ctx, jobName{s.User, s.Name})
	if err != nil || text == "" {
		return err
	}
	from := job.ID{Cluster: d.cluster, Seq: seq}.String()
	for _, p := range []job.Property{{Name: estimate.Key, Value: text}, {Name: KeyProfileFrom, Value: from}} {
		i, found := slices.BinarySearchFunc(s.Conf, p.Name, func(x job.Property, name string) int { return strings.Compare(x.Name, name) })
		if found {
			s.Conf[i] = p
		} else {
			s.Conf = slices.Insert(s.Conf, i, p)
		}
	}
	return nil
}

// profileOf gives the profile of the newest successful job of a name, "" if there is none.
func (d *Daemon) profileOf(ctx context.Context, n jobName) (text string, seq int32, err error) {
	p := d.profiles
	p.mu.Lock()
	defer p.mu.Unlock()
	p.merge()
	for {
		if err := d.searchHistory(n); err != nil {
			return "", 0, err
		}
		c := p.names[n]
		switch {
		case c == nil:
			return "", 0, nil
		case c.profile != "":
			return c.profile, c.seqs[0], nil
		}
		profile, ok, err := d.measure(ctx, c.seqs[0])
		switch {
		case err != nil:
			return "", 0, err
		case ok:
			c.profile, c.seqs = profile, c.seqs[:1]
		case len(c.seqs) > 1:
			c.seqs = c.seqs[1:] // it failed, and the one before it is the next to ask
		default:
			delete(p.names, n)
		}
	}
}

// searchHistory notes the names of jobs in the history, from the newest on, until n is among them. Each is looked at once. The
// caller holds the lock.
func (d *Daemon) searchHistory(n jobName) error {
	p := d.profiles
	if !p.began {
		var err error
		if p.left, err = d.history.newest(maxLookedAt); err != nil {
			return err
		}
		p.began = true
	}
	for len(p.left) > 0 && p.names[n] == nil {
		seq := p.left[len(p.left)-1]
		p.left = p.left[:len(p.left)-1]
		found, err := readName(d.history.base(job.ID{Cluster: d.cluster, Seq: seq}) + ".facts")
		if err != nil {
			d.cfg.Log.Warn("a job's history cannot be read; its profile is not known", "job", seq, "error", err)
			continue
		}
		c := p.names[found]
		switch {
		case c == nil && len(p.names) < maxProfiles:
			p.names[found] = &candidates{seqs: []int32{seq}}
		case c != nil && len(c.seqs) < maxCandidates && seq < c.seqs[len(c.seqs)-1]:
			c.seqs = append(c.seqs, seq)
		}
	}
	return nil
}

// newest lists the jobs with the highest numbers whose files are complete, by number.
func (h *histories) newest(n int) ([]int32, error) {
	folders, err := h.folders(nil)
	if err != nil {
		return nil, err
	}
	var list []int32
	for _, f := range slices.Backward(folders) {
		some, err := h.complete(f)
		if err != nil {
			return nil, err
		}
		if list = append(some, list...); len(list) >= n {
			return list[len(list)-n:], nil
		}
	}
	return list, nil
}

// readName reads who submitted a job under which name.
func readName(file string) (jobName, error) {
	f, err := os.Open(file)
	if err != nil {
		return jobName{}, err
	}
	defer f.Close()
	d := history.NewDecoder(bufio.NewReader(f))
	for {
		var e event.Event
		if err := d.Next(&e); err != nil {
			return jobName{}, err
		}
		if e.Type == event.JobSubmitted && e.Spec != nil {
			return jobName{e.Spec.User, e.Spec.Name}, nil
		}
	}
}

// measure gives a job's profile; ok is false if the job did not succeed or nothing of it can be measured.
func (d *Daemon) measure(ctx context.Context, seq int32) (text string, ok bool, err error) {
	facts, err := d.history.facts(ctx, d.owner, job.ID{Cluster: d.cluster, Seq: seq})
	if err != nil || facts == nil {
		return "", false, err
	}
	defer facts.Close()
	var h estimate.History
	dec := history.NewDecoder(facts)
	for {
		var e event.Event
		switch err := dec.Next(&e); {
		case err == io.EOF:
			profile := h.Profile(seq)
			return profile.String(), ok && !profile.IsZero(), nil
		case failure.Is(err, failure.Corrupt), errors.Is(err, history.ErrTorn):
			d.cfg.Log.Warn("a job's history is damaged; its profile is not known", "job", seq, "error", err)
			return "", false, nil
		case err != nil:
			return "", false, err
		}
		h.Add(&e)
		if e.Type == event.JobFinished {
			ok = e.JobState == job.Succeeded
		}
	}
}
