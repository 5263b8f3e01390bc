package tasktracker

import (
	"slices"

	"github.com/howdah/howdah/job"
)

// jobStage is how far a job's files are on this tracker.
type jobStage uint8

const (
	unknown    jobStage = iota // not asked for
	localising                 // the driver fetches them
	ready
	refused // this node cannot run it
	numJobStages
)

var jobStageNames = [numJobStages]string{"unknown", "localising", "ready", "refused"}

// jobState is a job of which an attempt was once desired here.
type jobState struct {
	seq    int32
	stage  jobStage
	wanted bool // in the last Desired.Jobs, or an attempt of it in Run
	info   JobInfo
	text   string // why it was refused
	// gone holds the attempts that were here and were dropped: they are never started again. It ends with the job.
	gone map[job.Attempt]struct{}
}

func (m *Machine) job(seq int32) *jobState {
	for _, j := range m.jobs {
		if j.seq == seq {
			return j
		}
	}
	return nil
}

// onLocalised takes the driver's answer to OutLocalise. A failure may pass, so the next attempt tries again; a refusal stays.
func (m *Machine) onLocalised(in *Input) {
	j := m.job(in.Job)
	if j == nil || j.stage != localising {
		m.ignore("job is not being localised")
		return
	}
	switch in.Kind {
	case InJobReady:
		j.stage = ready
		j.info = in.JobInfo
	case InJobRefused:
		j.stage = refused
		j.text = cut(in.Text, MaxText)
	case InJobFailed:
		j.stage = unknown
		for _, a := range m.attempts {
			if a.id.Job == j.seq && a.stage == waiting {
				m.end(a, job.AttemptFailed, in.Failure, in.Text)
			}
		}
	}
}

// purgeJobs has the files of unwanted jobs deleted as soon as no process can write there any more.
func (m *Machine) purgeJobs() {
	for i := 0; i < len(m.jobs); {
		j := m.jobs[i]
		if j.wanted {
			i++
			continue
		}
		if !m.releaseChildren(j.seq) {
			i++
			continue
		}
		if j.stage != unknown {
			m.emit(Output{Kind: OutPurge, Job: j.seq})
		}
		m.jobs = slices.Delete(m.jobs, i, i+1)
	}
}

// releaseChildren lets the idle children of a job go and reports whether none is left.
func (m *Machine) releaseChildren(seq int32) bool {
	none := true
	for _, c := range m.children {
		if c.job != seq {
			continue
		}
		none = false
		if c.stage == kept {
			m.leave(c)
		}
	}
	return none
}
