package webui

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/status"
)

// countedJobs counts the calls that need a large snapshot.
type countedJobs struct {
	*fakeJobs
	clusters, attempts int
}

func (c *countedJobs) Cluster(ctx context.Context) (*status.Cluster, error) {
	c.clusters++
	return c.fakeJobs.Cluster(ctx)
}

func (c *countedJobs) Status(ctx context.Context, id job.ID, q status.Query) (*status.Job, error) {
	if q.Attempts {
		c.attempts++
	}
	return c.fakeJobs.Status(ctx, id, q)
}

// Requests share the data of a large cluster and of a large job for a second. They do not share the data
// of small ones, of a job that has changed its state, or of an interval.
func TestLargePagesShareData(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, large := range []bool{false, true} {
			parts, fresh, kept := manyParts-1, 3, 3 // calls for three requests
			if large {
				parts, fresh, kept = manyParts, 1, 0
			}
			c := &countedJobs{fakeJobs: sample(parts)}
			for len(c.cluster.Trackers) < parts {
				c.cluster.Trackers = append(c.cluster.Trackers, &status.Tracker{Name: "tt"})
			}
			rights := &fakeRights{}
			h := JobTracker(c, Parts{Rights: rights})
			expect := func(path string, n *int, calls int) {
				t.Helper()
				*n = 0
				_, body, _ := get(t, h, path)
				get(t, h, path)
				_, again, _ := get(t, h, path)
				require.True(t, body == again)
				require.Equal(t, calls, *n)
			}
			const jobPage = "/jobs/job_202611210753_0001"
			expect("/", &c.clusters, fresh)
			time.Sleep(keepFor - 1)
			expect("/", &c.clusters, kept)
			_, second, _ := get(t, h, "/?page=2")
			require.Contains(t, second, "page 2 of 10")
			require.NotContains(t, second, "Drain…")
			rights.admin = true
			_, second, _ = get(t, h, "/?page=2")
			require.Contains(t, second, "Drain…", "readers with other rights do not share a table")
			rights.admin = false
			time.Sleep(time.Nanosecond)
			synctest.Wait() // the shared data goes at this instant
			expect("/", &c.clusters, fresh)

			expect(jobPage, &c.attempts, fresh)
			expect(jobPage+"?from=0&to=9", &c.attempts, 3)
			c.jobs[0].FinishMs, c.jobs[0].State = 9_000, job.Killed
			expect(jobPage, &c.attempts, fresh)
			time.Sleep(keepFor)
			synctest.Wait()
			expect(jobPage, &c.attempts, fresh)
			time.Sleep(keepFor)
		}
	})
}
