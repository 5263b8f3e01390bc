package daemon

import (
	"context"
	"math"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/client"
	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/rpc"
	"github.com/howdah/howdah/internal/staging"
	"github.com/howdah/howdah/internal/transport"
	"github.com/howdah/howdah/internal/wire/tracker"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
)

// A user's large submissions run one after another and block neither small ones nor other users.
func TestLargeSubmissionsTakeTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := newTurns()
		ctx, cancel := context.WithCancel(t.Context())
		running, failed := make(chan *turn, 100), make(chan error, 100)
		submit := func(user string) {
			n, err := x.take(ctx)
			if err == nil {
				err = n.alone(ctx, user)
			}
			if err != nil {
				n.end()
				failed <- err
				return
			}
			running <- n
		}
		for range 3 * maxSubmits {
			go submit("ann")
		}
		synctest.Wait()
		require.Len(t, running, 1)
		var small []*turn
		for range maxSubmits - 2 {
			n, err := x.take(t.Context())
			require.NoError(t, err)
			small = append(small, n)
		}
		go submit("bob")
		synctest.Wait()
		require.Len(t, running, 2, "bob's large submission")
		(<-running).end()
		synctest.Wait()
		require.Len(t, running, 2, "ann's next one")

		cancel()
		synctest.Wait()
		require.Len(t, failed, 3*maxSubmits-2)
		for len(failed) > 0 {
			err := <-failed
			require.True(t, failure.Is(err, failure.Timeout), "%v", err)
		}
		for _, n := range append(small, <-running, <-running) {
			n.end()
		}
		require.Empty(t, x.tokens)
		require.Empty(t, x.users.held)
	})
}

// The JobTracker does not read a large submission before its turn.
func TestLargeSubmissionsWait(t *testing.T) {
	c := newCluster(t)
	c.start()
	for name, change := range map[string]func(hosts, value *string){
		"splits":        func(hosts, _ *string) { *hosts = strings.Repeat("h", 250) },
		"configuration": func(_, value *string) { *value = strings.Repeat("v", smallSubmission) },
	} {
		t.Run(name, func(t *testing.T) {
			host, value := "", ""
			change(&host, &value)
			j := c.job(name, 0, 0)
			j.Conf.Set("some.key", value, "test")
			for range smallSubmission / 250 {
				j.Splits = append(j.Splits, mapreduce.Split{Hosts: []string{host}})
			}
			id, r := c.stage(j)
			_, err := c.readSubmission(c.ctx(), id, r, smallSubmission)
			require.ErrorIs(t, err, errLarge)
			s, err := c.readSubmission(c.ctx(), id, r, math.MaxInt64)
			require.NoError(t, err)
			s.release()
			_, err = c.submit(c.ctx(), r)
			require.NoError(t, err)
		})
	}
}

// Small submissions occupy little memory, because one user can have several at the same time.
func TestSmallSubmissionsAreSmall(t *testing.T) {
	c := newCluster(t)
	c.start()
	j := c.job("j", 0, 0)
	j.Splits = make([]mapreduce.Split, smallSubmission/8)
	id, r := c.stage(j)
	s, err := c.readSubmission(c.ctx(), id, r, math.MaxInt64)
	require.NoError(t, err)
	defer s.release()
	require.Less(t, s.info.Memory, int64(1<<20))
}

// stage stages a job of user ann without submitting it.
func (c *cluster) stage(j client.Job) (job.ID, *transport.Submission) {
	p, err := c.Jobs().NewJob(c.ctx(), transport.NewJob{User: "ann", Protocol: rpc.Protocol})
	require.NoError(c.t, err)
	id, err := job.ParseID(p.ID)
	require.NoError(c.t, err)
	j.Conf.Set(conf.JobProgramJob.Name, "x", "test")
	fs, dir, err := c.stagingDir("ann", id)
	require.NoError(c.t, err)
	require.NoError(c.t, staging.Write(c.t.Context(), fs, dir, j.Conf, j.Splits))
	return id, &transport.Submission{ID: p.ID, StagingDir: p.StagingDir, User: "ann", Receipt: p.Receipt}
}

// The JobTracker stops reading splits for which the user has no room. It does not get as far as the
// wrong setting.
func TestRoomForSplits(t *testing.T) {
	c := newCluster(t)
	c.conf.Set(conf.JobTrackerUserConfMaximum.Name, "20k", "test")
	c.start()
	for maps, kind := range map[int]failure.Kind{1: failure.Config, 200: failure.Limit} {
		j := c.job("j", maps, 0)
		j.Conf.Set(conf.MapMaxAttempts.Name, "none", "test")
		id, r := c.stage(j)
		_, err := c.readSubmission(c.ctx(), id, r, math.MaxInt64)
		require.True(t, failure.Is(err, kind), "%d maps: %v", maps, err)
	}
}

func TestRoom(t *testing.T) {
	j := &jobs{live: map[int32]*tracker.JobInfo{}, uses: map[string]*userUse{}}
	room := func(seq int32, user string, used int64) int64 {
		n, err := j.room(job.ID{Seq: seq}, user, used)
		if err != nil {
			require.True(t, failure.Is(err, failure.Limit), "%v", err)
			require.ErrorContains(t, err, conf.JobTrackerUserConfMaximum.Name)
			return -1
		}
		return n
	}
	require.EqualValues(t, 0, room(1, "ann", 5), "no limit")
	j.limits.memory = 100
	require.NoError(t, j.add(&tracker.JobInfo{Job: 1, User: "ann", Memory: 60}))
	require.EqualValues(t, 1, room(2, "ann", 39))
	require.EqualValues(t, -1, room(2, "ann", 40))
	require.EqualValues(t, 60, room(2, "bob", 40))
	require.EqualValues(t, 60, room(1, "ann", 40), "the client repeats the submission")
}
