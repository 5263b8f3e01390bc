package tasktracker

import (
	"slices"

	"github.com/howdah/howdah/job"
)

// jobStage is the stage of a job's files on this tracker.
type jobStage uint8

const (
	unknown    jobStage = iota // not requested
	localizing                 // the driver is fetching them
	ready
	refused // this node cannot run the job
	numJobStages
)

var jobStageNames = [numJobStages]string{"unknown", "localizing", "ready", "refused"}

// jobState is the state of a job. The machine creates it when the JobTracker first asks for one of
// the job's attempts.
type jobState struct {
	seq    int32
	stage  jobStage
	wanted bool // part of the last Desired.Jobs, or one of the job's attempts is in Run
	info   JobInfo
	text   string // reason for the refusal
	// gone contains those attempts of the job that were dropped on this tracker. They must not
	// start again. The set is removed along with the job.
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

// onLocalized handles the driver's response to OutLocalize. A failure may be temporary, so the
// machine tries to localize the job again for the next attempt. A refusal is permanent.
func (m *Machine) onLocalized(in *Input) {
	j := m.job(in.Job)
	if j == nil || j.stage != localizing {
		m.ignore("job is not being localized")
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

// purgeJobs deletes the files of jobs that the JobTracker no longer wants. It does so as soon as no
// process can write to the files.
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

// releaseChildren takes the kept children of a job from it. It returns true if the job has no
// children left.
func (m *Machine) releaseChildren(seq int32) bool {
	none := true
	for _, c := range m.children {
		if c.job == seq && c.stage == kept {
			m.share(c)
		}
		none = none && c.job != seq
	}
	return none
}
