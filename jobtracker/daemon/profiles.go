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

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/jobtracker/history"
	"github.com/howdah/howdah/scheduler/estimate"
)

// profiles finds the profile of a job for policies that plan ahead. The profile is that of the
// newest successful job with the same user and name. profiles remembers the names of jobs that
// succeed and, after the first request for an unknown name, of jobs in the history. It computes a
// profile from the history on demand. It is safe for concurrent use.
type profiles struct {
	mu    sync.Mutex // held during the search for a profile, which reads files and calls the owner
	names map[jobName]*candidates
	left  []int32 // numbers of jobs in the history that are not examined yet, newest last
	began bool    // whether left has been filled

	freshMu sync.Mutex // held only briefly, because the owner locks it
	fresh   map[jobName]int32
}

type jobName struct{ user, name string }

// candidates holds jobs with one name, newest first. After one of them has been measured, only that
// job remains.
type candidates struct {
	seqs    []int32 // newest first
	profile string  // profile of seqs[0]; "" means not measured yet
}

// Limits on the number of names and on the search of a long history.
const (
	maxProfiles   = 10_000
	maxLookedAt   = 5_000
	maxCandidates = 4
)

func newProfiles() *profiles {
	return &profiles{names: map[jobName]*candidates{}, fresh: map[jobName]int32{}}
}

// succeeded records job seq as the newest successful job with the given user and name. If there are
// too many new names, it ignores additional names until the next request.
func (p *profiles) succeeded(user, name string, seq int32) {
	p.freshMu.Lock()
	defer p.freshMu.Unlock()
	if n := (jobName{user, name}); len(p.fresh) < maxProfiles || p.fresh[n] != 0 {
		p.fresh[n] = seq
	}
}

// merge adds the jobs that have succeeded since the previous call. The caller must hold mu.
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

// room makes room for another name. If there are too many, it drops the name whose newest job is
// the oldest.
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

// addProfile sets a job's profile to that of the newest successful job with the same user and name.
// It does nothing if the user set a profile or if there is no such job.
func (d *Daemon) addProfile(ctx context.Context, s *job.Spec) error {
	if text, _ := s.Get(conf.JobProfile.Name); text != "" {
		return nil
	}
	text, seq, err := d.profileOf(ctx, jobName{s.User, s.Name})
	if err != nil || text == "" {
		return err
	}
	from := job.ID{Cluster: d.cluster, Seq: seq}.String()
	for _, p := range []job.Property{{Name: conf.JobProfile.Name, Value: text}, {Name: conf.JobProfileFrom.Name,
		Value: from}} {
		i, found := slices.BinarySearchFunc(s.Conf, p.Name,
			func(x job.Property, name string) int { return strings.Compare(x.Name, name) })
		if found {
			s.Conf[i] = p
		} else {
			s.Conf = slices.Insert(s.Conf, i, p)
		}
	}
	return nil
}

// profileOf returns the profile and number of the newest successful job whose user and name are n.
// The profile is "" if there is none.
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
			c.seqs = c.seqs[1:] // it has no profile, so try the next older job
		default:
			delete(p.names, n)
		}
	}
}

// searchHistory records the names of jobs in the history, newest first, until it finds n. It reads
// each job once. The caller must hold mu.
func (d *Daemon) searchHistory(n jobName) error {
	p := d.profiles
	if !p.began {
		var err error
		if p.left, err = d.archive.Newest(maxLookedAt); err != nil {
			return err
		}
		p.began = true
	}
	for len(p.left) > 0 && p.names[n] == nil {
		seq := p.left[len(p.left)-1]
		p.left = p.left[:len(p.left)-1]
		found, err := readName(d.archive.FactsFile(job.ID{Cluster: d.cluster, Seq: seq}))
		if err != nil {
			d.cfg.Log.Warn("cannot read a job's history; the job's profile is unknown", "job", seq, "error", err)
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

// readName reads the user and the name of a job from the job's file in the history.
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

// measure returns a job's profile. ok is false if the job did not succeed or has no measurable
// phases.
func (d *Daemon) measure(ctx context.Context, seq int32) (text string, ok bool, err error) {
	facts, err := d.archive.Facts(ctx, job.ID{Cluster: d.cluster, Seq: seq})
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
			d.cfg.Log.Warn("a job's history is damaged; the job's profile is unknown", "job", seq, "error", err)
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
