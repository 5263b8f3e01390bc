package daemon

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/acl"
	"github.com/howdah/howdah/internal/wire/client"
	"github.com/howdah/howdah/internal/wire/tracker"
	"github.com/howdah/howdah/job/failure"
)

const (
	capacities = `<configuration>
<property><name>mapred.capacity-scheduler.queue.prod.capacity</name><value>70</value></property>
<property><name>mapred.capacity-scheduler.queue.dev.capacity</name><value>30</value></property>
</configuration>`
	acls = `<configuration>
<property><name>mapred.queue.prod.acl-submit-job</name><value>ann</value></property>
<property><name>mapred.queue.prod.acl-administer-jobs</name><value>boss</value></property>
</configuration>`
)

// capacityCluster runs the capacity scheduler with two queues. The ACL for submissions to queue
// prod lists only ann.
func capacityCluster(t *testing.T) *cluster {
	c := newCluster(t)
	for key, text := range map[string]string{conf.CapacityFile.Name: capacities, conf.QueueACLFile.Name: acls} {
		file := filepath.Join(c.root, key)
		write(t, file, text)
		c.conf.Set(key, file, "test")
	}
	c.conf.Set(conf.JobTrackerTaskScheduler.Name, "capacity", "test")
	c.conf.Set("mapred.queue.names", "prod,dev", "test")
	c.conf.Set("mapreduce.cluster.acls.enabled", "true", "test")
	c.start()
	return c
}

// Every change of a job includes the user's name, and the policy can reject it. Administrators can
// make all changes.
func TestRightsOfTheDeclaredUser(t *testing.T) {
	c := capacityCluster(t)
	newFakeTracker(t, c, "t1").hold("m")
	x := c.client()
	submit := func(user, queue string) (string, error) {
		j := c.job(user+queue, 1, 0)
		j.Conf.Set("mapreduce.job.user.name", user, "test")
		j.Conf.Set("mapreduce.job.queuename", queue, "test")
		s, err := x.Submit(c.ctx(), j)
		if err != nil {
			return "", err
		}
		return s.ID.String(), nil
	}
	_, err := submit("bob", "prod")
	require.True(t, failure.Is(err, failure.Permission), "%v", err)
	id, err := submit("ann", "prod")
	require.NoError(t, err)
	for _, user := range []string{"bob", "eve"} {
		_, err = c.wire().SetPriority(c.ctx(), &client.PriorityRequest{Id: id, Priority: "LOW", User: user})
		require.True(t, failure.Is(err, failure.Permission), "%q: %v", user, err)
		_, err = c.wire().Kill(c.ctx(), &client.KillRequest{Id: id, User: user})
		require.True(t, failure.Is(err, failure.Permission), "%q: %v", user, err)
	}
	for _, user := range []string{"ann", "boss", c.policies.Rules().Me, ""} {
		_, err = c.wire().SetPriority(c.ctx(), &client.PriorityRequest{Id: id, Priority: "LOW", User: user})
		require.NoError(t, err, user)
	}
	_, err = c.wire().Kill(c.ctx(), &client.KillRequest{Id: id, User: "boss"})
	require.NoError(t, err)
}

// A move needs the right to change the job and to submit to its new queue. The lists of the old queue
// then permit nothing, also to readers of logs on TaskTrackers.
func TestMove(t *testing.T) {
	c := capacityCluster(t)
	newFakeTracker(t, c, "t1").hold("m")
	submit := func(user, queue string) string {
		j := c.job(user+queue, 1, 0)
		j.Conf.Set("mapreduce.job.user.name", user, "test")
		j.Conf.Set("mapreduce.job.queuename", queue, "test")
		s, err := c.client().Submit(c.ctx(), j)
		require.NoError(t, err)
		return s.ID.String()
	}
	id := submit("ann", "prod")
	move := func(user, id, to string) error {
		_, err := c.wire().Move(c.ctx(), &client.MoveRequest{Id: id, Queue: to, User: user})
		return err
	}
	refused := func(kind failure.Kind, user, id, to string) {
		t.Helper()
		err := move(user, id, to)
		require.True(t, failure.Is(err, kind), "%s moves %s to %s: %v", user, id, to, err)
	}
	in := func(queue, administrators string) {
		t.Helper()
		s, err := c.wire().Status(c.ctx(), &client.StatusRequest{Id: id})
		require.NoError(t, err)
		require.Equal(t, queue, s.Queue)
		a, err := c.byNode("t1").GetAdministrators(c.ctx(), &tracker.GetAdministratorsRequest{Id: id})
		require.NoError(t, err)
		require.Equal(t, [2]string{queue, administrators}, [2]string{a.Queue, a.List})
	}
	in("prod", "boss")
	refused(failure.Permission, "bob", id, "dev")
	refused(failure.NotFound, "ann", id, "gone")
	refused(failure.NotFound, "ann", id, "")
	refused(failure.Usage, "ann", "jab", "dev")
	refused(failure.Permission, "bob", submit("bob", "dev"), "prod")
	in("prod", "boss")

	require.NoError(t, move("boss", id, "dev"))
	in("dev", acl.Parse("").String())
	refused(failure.Permission, "boss", id, "dev")
	_, err := c.wire().Kill(c.ctx(), &client.KillRequest{Id: id, User: "boss"})
	require.True(t, failure.Is(err, failure.Permission), "%v", err)
	require.NoError(t, move("ann", id, "prod"))
	in("prod", "boss")

	_, err = c.wire().Kill(c.ctx(), &client.KillRequest{Id: id, User: "ann"})
	require.NoError(t, err)
	require.Eventually(t, func() bool { return failure.Is(move("ann", id, "prod"), failure.Stale) }, time.Minute,
		10*time.Millisecond, "the job has ended")
	in("prod", "boss")
}

func TestQueuesOfThePolicy(t *testing.T) {
	c := capacityCluster(t)
	queues := func(user string) map[string]*client.QueueInfo {
		r, err := c.wire().Queues(c.ctx(), &client.QueuesRequest{User: user})
		require.NoError(t, err)
		m := map[string]*client.QueueInfo{}
		for _, q := range r.Queue {
			m[q.Name] = q
		}
		require.Len(t, m, 2)
		return m
	}
	bob := queues("bob")
	require.Empty(t, bob["prod"].SubmitAcl)
	require.Empty(t, bob["prod"].AdminAcl)
	require.Equal(t, []string{"bob"}, bob["dev"].SubmitAcl)
	require.Empty(t, bob["dev"].AdminAcl, "an unset list admits only administrators")
	require.Contains(t, bob["prod"].Info, "share 0, demand 0")
	require.Equal(t, []string{"ann"}, queues("ann")["prod"].SubmitAcl)
	require.Equal(t, []string{"*"}, queues(c.policies.Rules().Me)["prod"].AdminAcl)
}

// Pools of the fair scheduler appear as queues, and jobs are listed under their pools.
func TestPoolsAreListed(t *testing.T) {
	c, _ := fairCluster(t)
	c.start()
	x := c.client()
	j := c.job("j", 1, 0)
	j.Conf.Set("mapred.fairscheduler.pool", "etl", "test")
	s, err := x.Submit(c.ctx(), j)
	require.NoError(t, err)
	r, err := c.wire().Queues(c.ctx(), &client.QueuesRequest{User: "ann"})
	require.NoError(t, err)
	waiting := map[string]int32{}
	for _, q := range r.Queue {
		waiting[q.Name] = q.Waiting
	}
	require.EqualValues(t, 1, waiting["etl"])
	require.EqualValues(t, 0, waiting["default"])
	l, err := c.wire().List(c.ctx(), &client.ListRequest{Queue: "etl"})
	require.NoError(t, err)
	require.Len(t, l.Job, 1)
	require.Equal(t, s.ID.String(), l.Job[0].Id)
	require.Equal(t, "etl", l.Job[0].Pool)
}
