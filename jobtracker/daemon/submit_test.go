package daemon

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/auth"
	"github.com/howdah/howdah/internal/staging"
	"github.com/howdah/howdah/internal/transport"
	"github.com/howdah/howdah/internal/wire/tracker"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
)

// A submit key that looks like the job's output directory does not block the submission.
func TestKeyLikeAnOutput(t *testing.T) {
	c := newCluster(t)
	c.start()
	for _, prefix := range []string{"", "output "} {
		j := c.job("out"+prefix, 1, 0)
		j.Key = prefix + "file:" + c.out("out"+prefix)
		_, err := c.client().Submit(c.ctx(), j)
		require.NoError(t, err)
	}
}

// A submission with the number of another user's job changes nothing of that job, while the job runs
// and after its end.
func TestUsedNumbers(t *testing.T) {
	c := newCluster(t)
	c.start()
	f := newFakeTracker(t, c, "t")
	f.hold("m")
	f.run()
	x := c.client()
	s, err := x.Submit(c.ctx(), c.job("out", 1, 0))
	require.NoError(t, err)
	xml, err := os.ReadFile(c.archive.ConfFile(s.ID))
	require.NoError(t, err)
	info := c.jobs.get(s.ID.Seq)

	fs, dir, err := c.stagingDir("bob", s.ID)
	require.NoError(t, err)
	evil := c.job("evil", 1, 0)
	evil.Conf.Set(conf.JobProgramJob.Name, "evil", "test")
	evil.Conf.Set(conf.JobProgramID.Name, "evil", "test")
	submit := func() error {
		require.NoError(t, staging.Write(t.Context(), fs, dir, evil.Conf, evil.Splits))
		_, err := c.Jobs().Submit(auth.With(c.ctx(), auth.Principal{Admin: true}), transport.Submission{ID: s.ID.String(),
			StagingDir: fs.URI() + dir, User: "bob", Key: "evil", Receipt: c.receipt("bob", s.ID)})
		return err
	}
	require.ErrorContains(t, submit(), "has this job number")
	both := c.jobs.add(&tracker.JobInfo{Job: s.ID.Seq, User: "bob", Owner: "evil"}) // at the same time
	require.True(t, failure.Is(both, failure.Exists))
	require.Same(t, info, c.jobs.get(s.ID.Seq))
	require.FileExists(t, c.jobs.path(s.ID.Seq))

	f.release("m")
	r, err := x.Wait(c.ctx(), s.ID, nil)
	require.NoError(t, err)
	require.Equal(t, job.Succeeded, r.State)
	require.ErrorContains(t, submit(), "has this job number")
	after, err := os.ReadFile(c.archive.ConfFile(s.ID))
	require.NoError(t, err)
	require.Equal(t, string(xml), string(after))
	require.NoDirExists(t, c.out("evil"))
}
