package pool

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/scheduler"
)

func read(file string, pairs ...string) (*Settings, error) {
	s := scheduler.Setup{Conf: conf.New()}
	for i := 0; i < len(pairs); i += 2 {
		s.Conf.Set(pairs[i], pairs[i+1], "test")
	}
	if file != "" {
		s.Files = []scheduler.File{{Key: conf.FairSchedulerAllocationFile.Name, Path: "f.xml", Data: []byte("<allocations>" +
			file + "</allocations>")}}
	}
	return Read(s)
}

func TestDefaults(t *testing.T) {
	s, err := read("")
	require.NoError(t, err)
	require.Equal(t, &Settings{Pools: noAllocations(), PoolProperty: "user.name", Undeclared: true,
		PreemptionInterval: 15_000, UpdateInterval: 500, BoosterFactor: 1,
		AssignMultiple: true, PerBeat: [2]int32{NoLimit, NoLimit}, NodeDelay: auto, RackDelay: auto, heartbeatMin: 300,
		heartbeatPerSecond: 100}, s)
}

func TestDelays(t *testing.T) {
	for _, c := range []struct {
		pairs      []string
		trackers   int32
		node, rack int64
	}{
		{nil, 1, 450, 450},
		{nil, 100, 1500, 1500},
		{nil, 100_000, 15_000, 15_000},
		{[]string{conf.FairSchedulerLocalityDelay.Name, "70"}, 1, 70, 70},
		{[]string{conf.FairSchedulerLocalityDelay.Name, "70", conf.FairSchedulerLocalityDelayRack.Name, "5"}, 1, 70, 5},
		{[]string{"mapred.fairscheduler.locality.delay.nodelocal", "9"}, 1, 9, 450},
	} {
		s, err := read("", c.pairs...)
		require.NoError(t, err)
		node, rack := s.Delays(c.trackers)
		require.Equal(t, [2]int64{c.node, c.rack}, [2]int64{node, rack}, "%v", c)
	}
}

func TestBadSettings(t *testing.T) {
	for _, c := range [][2]string{{conf.FairSchedulerPreemption.Name, "x"}, {conf.FairSchedulerUpdateInterval.Name,
		"0"}, {conf.FairSchedulerPreemptionInterval.Name, "-5"},
		{conf.FairSchedulerLoadMaxDiff.Name, "2"}, {conf.FairSchedulerAssignMultipleMaps.Name, "-2"},
		{conf.FairSchedulerLocalityDelayNode.Name, "-2"},
		{conf.FairSchedulerWeightAdjuster.Name, "org.example.Adjuster"}, {conf.NewJobWeightBoosterFactor.Name, "0"}} {
		_, err := read("", c[0], c[1])
		require.True(t, failure.Is(err, failure.Config), "%v: %v", c, err)
		require.ErrorContains(t, err, c[0])
	}
	_, err := read("<pool name='p'><weight>-1</weight></pool>")
	require.ErrorContains(t, err, "f.xml:1")
}

// A file that a setting names must exist. The default file may be missing.
func TestMissingFile(t *testing.T) {
	s := scheduler.Setup{Conf: conf.New(), Files: []scheduler.File{{Key: conf.FairSchedulerAllocationFile.Name,
		Path: "/etc/fair-scheduler.xml"}}}
	_, err := Read(s)
	require.NoError(t, err)
	s.Conf.Set(conf.FairSchedulerAllocationFile.Name, "/etc/pools.xml", "test")
	_, err = Read(s)
	require.ErrorContains(t, err, "no such file")
	s.Files[0].Data = []byte("<allocations/>")
	_, err = Read(s)
	require.NoError(t, err)
	s.Files[0].Data = nil
	s.Conf.Set(conf.FairSchedulerAllocationFile.Name, DefaultFile, "test")
	_, err = Read(s)
	require.NoError(t, err)
}

// A heartbeat may assign no tasks of a type. -1 means no limit.
func TestTasksPerBeat(t *testing.T) {
	s, err := read("", conf.FairSchedulerAssignMultipleMaps.Name, "0", conf.FairSchedulerAssignMultipleReduces.Name, "-1")
	require.NoError(t, err)
	require.Equal(t, [2]int32{0, NoLimit}, s.PerBeat)
}

func TestSinglePoolHasTheMode(t *testing.T) {
	for _, m := range []Mode{Fair, FIFO} {
		require.Equal(t, m, Single(m).Pools.Of("p").Mode)
	}
}

func TestPoolOf(t *testing.T) {
	spec := &job.Spec{User: "ann", Queue: "q", Conf: []job.Property{{Name: "group.name", Value: "staff"},
		{Name: "my.pool", Value: "mine"}}}
	named := &job.Spec{User: "ann", Conf: []job.Property{{Name: conf.FairSchedulerPool.Name, Value: "sales"}}}
	for _, c := range []struct {
		file   string
		pairs  []string
		spec   *job.Spec
		want   string
		reject bool
	}{
		{spec: spec, want: "ann"},
		{spec: named, want: "sales"},
		{pairs: []string{conf.FairSchedulerPoolNameProperty.Name, "group.name"}, spec: spec, want: "staff"},
		{pairs: []string{conf.FairSchedulerPoolNameProperty.Name, "mapred.job.queue.name"}, spec: spec, want: "q"},
		{pairs: []string{conf.FairSchedulerPoolNameProperty.Name, "mapreduce.job.queuename"}, spec: spec, want: "q"},
		{pairs: []string{conf.FairSchedulerPoolNameProperty.Name, "my.pool"}, spec: spec, want: "mine"},
		{pairs: []string{conf.FairSchedulerPoolNameProperty.Name, "my.pool"}, spec: named, want: "sales"},
		{pairs: []string{conf.FairSchedulerPoolNameProperty.Name, "other"}, spec: spec, want: DefaultName},
		{pairs: []string{conf.FairSchedulerAllowUndeclaredPools.Name, "false"}, spec: named, want: DefaultName},
		{file: `<pool name="sales"/>`, pairs: []string{conf.FairSchedulerAllowUndeclaredPools.Name, "false"}, spec: named,
			want: "sales"},
		{file: `<pool name="sales"><redirect>new</redirect></pool>`, spec: named, want: "new"},
		{file: `<poolPlacementPolicy><rule name="specified" create="false"/><rule name="user"/></poolPlacementPolicy>`,
			spec: named, want: "ann"},
		{file: `<pool name="sales"/><poolPlacementPolicy><rule name="specified" create="false"/><rule name="user"/></` +
			`poolPlacementPolicy>`, spec: named, want: "sales"},
		{file: `<poolPlacementPolicy><rule name="specified" create="false"/><rule name="reject"/></poolPlacementPolicy>`,
			spec: named, want: DefaultName, reject: true},
		{file: `<poolPlacementPolicy/>`, spec: named, want: DefaultName, reject: true},
		{file: `<poolPlacementPolicy><rule name="primaryGroup"/></poolPlacementPolicy>`, spec: spec, want: "staff"},
		{file: `<poolPlacementPolicy><rule name="specified"/><rule name="default" pool="d"/></poolPlacementPolicy>`,
			spec: spec, want: "d"},
	} {
		s, err := read(c.file, c.pairs...)
		require.NoError(t, err)
		name, ok := s.PoolOf(c.spec)
		require.Equal(t, c.want, name, "%+v", c)
		require.Equal(t, !c.reject, ok, "%+v", c)
	}
}

// If unlisted pools are allowed, a redirection can name one.
func TestRedirectToUndeclaredPool(t *testing.T) {
	const redirect = "\n<pool name=\"old\"><redirect>new</redirect></pool>"
	_, err := read(redirect)
	require.NoError(t, err)
	_, err = read(redirect, conf.FairSchedulerAllowUndeclaredPools.Name, "false")
	require.True(t, failure.Is(err, failure.Config), "%v", err)
	require.ErrorContains(t, err, ":2: pool old is redirected to new, which is not in the file")
	for _, ok := range []string{redirect + `<pool name="new"/>`, `<pool name="old"><redirect>default</redirect></pool>`} {
		_, err = read(ok, conf.FairSchedulerAllowUndeclaredPools.Name, "false")
		require.NoError(t, err)
	}
}
