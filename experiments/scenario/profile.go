package scenario

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/simulator/trace"
	"github.com/howdah/howdah/simulator/trace/generate"
	"github.com/howdah/howdah/simulator/trace/importer"
	trprofile "github.com/howdah/howdah/simulator/trace/profile"
)

// Profile contains recorded runs of applications, by the names of the parts. The simulator draws the
// tasks of an application from them.
type Profile struct {
	From string // where the profile comes from, for reports
	runs map[string][]recorded
}

// recorded is a run of an application with its jobs.
type recorded []stage

// stage is a job of an application. The application submits it gap ms after the stage after has
// ended, or after its start if after is -1. The job ends commit ms after its last task, which the
// simulator does not know.
type stage struct {
	after  int
	gap    int64
	commit int64
	job    *trace.Job
}

// ReadProfile reads a profile from the directory of a real run's result, or from a trace or job
// history. name may have the form DIR:VARIANT, which selects one variant of a result; without it,
// the profile comes from the first variant. In a history, the name of a job must be the name of a
// part of the workload.
func ReadProfile(name string) (*Profile, error) {
	dir, variant, _ := strings.Cut(name, ":")
	info, err := os.Stat(dir)
	if err != nil {
		return nil, failure.New(failure.KindOf(err), "read profile", name, err)
	}
	if _, err := os.Stat(filepath.Join(dir, resultFile)); info.IsDir() && err == nil {
		return profileOfResult(dir, variant)
	}
	if variant != "" {
		return nil, failure.New(failure.Usage, "read profile", name, errors.New("only a result has variants"))
	}
	im, err := importer.Open([]string{dir}, importer.Options{})
	if err != nil {
		return nil, err
	}
	defer im.Close()
	t, err := im.Trace()
	if err != nil {
		return nil, err
	}
	p := &Profile{From: name, runs: map[string][]recorded{}}
	for _, j := range t.Jobs {
		if j.State == job.Succeeded && len(j.Maps) > 0 {
			p.runs[j.Name] = append(p.runs[j.Name], recorded{{after: -1, job: j}})
		}
	}
	return p, nil
}

// profileOfResult reads the journals of a real run.
func profileOfResult(dir, variant string) (*Profile, error) {
	r, err := ReadResult(dir)
	if err != nil {
		return nil, err
	}
	bad := func(why string) error { return failure.New(failure.Usage, "read profile", dir, errors.New(why)) }
	if !r.Real {
		return nil, bad("it is the result of a simulation")
	}
	at := 0
	if variant != "" {
		at = slices.IndexFunc(r.Variants, func(v VariantResult) bool { return v.Name == variant })
	}
	if at < 0 || at >= len(r.Variants) {
		return nil, bad(fmt.Sprintf("it has no variant %q: want one of %s", variant, strings.Join(r.names(), ", ")))
	}
	v := &r.Variants[at]
	p := &Profile{From: fmt.Sprintf("%s of a real run (%s, revision %s)", v.Name, dir, r.Revision),
		runs: map[string][]recorded{}}
	for i := range v.Runs {
		if err := p.add(dir, &v.Runs[i]); err != nil {
			return nil, err
		}
	}
	if len(p.runs) == 0 {
		return nil, bad("no application succeeded in it, or its journals are missing")
	}
	return p, nil
}

// add adds the applications of a real run that succeeded.
func (p *Profile) add(dir string, run *Run) error {
	byID, commits := map[string]*trace.Job{}, map[string]int64{}
	for _, file := range run.Journals {
		text, err := os.ReadFile(filepath.Join(dir, filepath.Base(file)))
		if err != nil {
			return failure.New(failure.KindOf(err), "read profile", file, err)
		}
		t, err := readJournal(file, text)
		if err != nil {
			return err
		}
		spans, err := lab.ReadSlotSpans(bytes.NewReader(text))
		if err != nil {
			return err
		}
		for _, j := range t.Jobs {
			byID[j.ID], commits[j.ID] = j, commit(j, t.Jobs[0].Submit, spans)
		}
	}
	for i := range run.Jobs {
		x := &run.Jobs[i]
		var jobs []*trace.Job
		for _, id := range x.IDs {
			if j := byID[id]; j != nil && len(j.Maps) > 0 {
				jobs = append(jobs, j)
			}
		}
		if !x.Failed && len(jobs) > 0 {
			list := stages(jobs, run.Start+x.Submit)
			for k := range list {
				list[k].commit = commits[list[k].job.ID]
			}
			p.runs[x.Part] = append(p.runs[x.Part], list)
		}
	}
	return nil
}

// commit returns the time from the end of a job's last attempt to the end of the job. first is the time
// of the first submission in the journal, from which spans count.
func commit(j *trace.Job, first int64, spans []lab.SlotSpan) int64 {
	seq, _ := sequence(j.ID)
	last := int64(0)
	for _, s := range spans {
		if s.Job == seq {
			last = max(last, first+s.End)
		}
	}
	if last == 0 {
		return 0
	}
	return max(0, j.Finish-last)
}

// readJournal reads the jobs of a journal.
func readJournal(name string, text []byte) (*trace.Trace, error) {
	im, err := importer.OpenStream(name, bytes.NewReader(text), importer.Options{})
	if err != nil {
		return nil, err
	}
	t, err := im.Trace()
	if err == nil && im.Damaged > 0 {
		err = failure.New(failure.Corrupt, "read journal", name, fmt.Errorf("%d damaged records", im.Damaged))
	}
	return t, err
}

// stages returns the jobs of an application that arrived at start, with their dependencies. Each job
// follows the job that had ended last when the application submitted it.
func stages(jobs []*trace.Job, start int64) recorded {
	slices.SortStableFunc(jobs, func(a, b *trace.Job) int { return cmp.Compare(a.Submit, b.Submit) })
	var out recorded
	for i, j := range jobs {
		s := stage{after: -1, gap: max(0, j.Submit-start), job: j}
		for k := range i {
			if f := jobs[k].Finish; f <= j.Submit && (s.after < 0 || f >= jobs[s.after].Finish) {
				s.after, s.gap = k, j.Submit-f
			}
		}
		out = append(out, s)
	}
	return out
}

// draw returns an application's jobs in the simulator. It takes them from the profile, otherwise from
// the part's tasks, otherwise from the suite's template.
func (p *Profile) draw(w *Work, r *rand.Rand) recorded {
	if p != nil && len(p.runs[w.Name]) > 0 {
		from := p.runs[w.Name][r.IntN(len(p.runs[w.Name]))]
		out := slices.Clone(from)
		for i := range out {
			out[i].job = generate.Resample(out[i].job, r)
		}
		return out
	}
	if t := w.Tasks; t != nil {
		a := generate.Application{Name: w.Name, Map: t.Map, First: t.Shuffle, Typical: t.Shuffle, Reduce: t.ReducePhase}
		return recorded{{after: -1, job: a.Job(t.Maps, t.Reduces, t.Reduces, r)}}
	}
	b, s := benchmarkOf(w.App), sizeOf(w.Size)
	a, factor := b.modeled(s)
	var out recorded
	for i := range b.jobs {
		j := a.Job(s.maps, s.reduces, s.reduces, r)
		for k := range j.Maps {
			j.Maps[k].Time = max(1, int64(float64(j.Maps[k].Time)*factor))
		}
		for k := range j.Reduces {
			x := &j.Reduces[k]
			x.Shuffle, x.Time = int64(float64(x.Shuffle)*factor), max(1, int64(float64(x.Time)*factor))
		}
		out = append(out, stage{after: i - 1, job: j})
	}
	return out
}

// about says where the durations of an application come from.
func (p *Profile) about(w *Work) string {
	switch {
	case p != nil && len(p.runs[w.Name]) > 0:
		return "profile: " + p.From
	case w.Tasks != nil:
		return "tasks in the scenario"
	}
	return "SimMR's testbed (" + benchmarkOf(w.App).model + "), scaled to the bytes of a map"
}

// setting returns the value of howdah.job.profile for a part with a single job, or "" if its
// durations are unknown.
func (p *Profile) setting(w *Work) string {
	if p == nil || len(p.runs[w.Name]) == 0 {
		return ""
	}
	var jobs []*trace.Job
	for _, run := range p.runs[w.Name] {
		if len(run) != 1 {
			return ""
		}
		jobs = append(jobs, run[0].job)
	}
	return trprofile.Of(jobs...).Estimate().String()
}

// ReadProfile reads the profile that name or, if name is "", the scenario names. It returns nil if
// neither does.
func (s *Scenario) ReadProfile(name string) (*Profile, error) {
	if name == "" && s.Profile != "" {
		name = s.path(s.Profile)
	}
	if name == "" {
		return nil, nil
	}
	p, err := ReadProfile(name)
	if err != nil {
		return nil, err
	}
	for i := range s.Work {
		if w := &s.Work[i]; w.IsApplication() && len(p.runs[w.Name]) > 0 {
			return p, nil
		}
	}
	return nil, failure.New(failure.Usage, "read profile", name, errors.New("it has no run of any application of the "+
		"scenario")).Fix("the names of the parts must be equal")
}
