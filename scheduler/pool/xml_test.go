package pool

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/scheduler"
)

const whole = `<?xml version="1.0"?>
<!-- every element -->
<allocations>
  <pool name="sales">
    <minMaps>10</minMaps> <minReduces>5</minReduces> <maxMaps>20</maxMaps> <maxReduces>15</maxReduces>
    <maxRunningJobs>3</maxRunningJobs> <weight>2.5</weight> <schedulingMode>FIFO</schedulingMode>
    <minSharePreemptionTimeout>300</minSharePreemptionTimeout> <canBePreempted>false</canBePreempted>
  </pool>
  <pool name="old"><redirect>older</redirect></pool>
  <pool name="older"><redirect>sales</redirect></pool>
  <pool name="batch"><fifo>true</fifo></pool>
  <pool name="plain"/>
  <user name="ann"><maxRunningJobs>6</maxRunningJobs></user>
  <user name="bob"/>
  <poolMaxJobsDefault>7</poolMaxJobsDefault>
  <userMaxJobsDefault>4</userMaxJobsDefault>
  <poolMaxMapsDefault>100</poolMaxMapsDefault>
  <poolMaxReducesDefault>50</poolMaxReducesDefault>
  <defaultMinSharePreemptionTimeout>600</defaultMinSharePreemptionTimeout>
  <fairSharePreemptionTimeout>900</fairSharePreemptionTimeout>
  <defaultPoolSchedulingMode>fair</defaultPoolSchedulingMode>
  <poolPlacementPolicy><rule name="specified" create="false"/><rule name="default" pool="plain"/></poolPlacementPolicy>
</allocations>`

func parse(text string, slots ...int32) (*Allocations, error) {
	return Parse(scheduler.File{Key: conf.FairSchedulerAllocationFile.Name, Path: "f.xml", Data: []byte(text)},
		[2]int32(append(slots, 0, 0)[:2]))
}

func TestEveryElement(t *testing.T) {
	a, err := parse(whole)
	require.NoError(t, err)
	sales := a.Of("sales")
	require.Equal(t, Allocation{Name: "sales", Weight: 2.5, Min: [2]int32{10, 5}, Max: [2]int32{20, 15}, MaxJobs: 3,
		Mode:            FIFO,
		MinShareTimeout: 300_000, line: 4}, sales)
	plain := a.Of("plain")
	require.Equal(t, Allocation{Name: "plain", Weight: 1, Max: [2]int32{100, 50}, MaxJobs: 7, MinShareTimeout: 600_000,
		Preemptable: true, line: 12}, plain)
	unnamed := a.Of("other")
	require.Equal(t, [2]int32{100, 50}, unnamed.Max)
	require.Equal(t, FIFO, a.Of("batch").Mode)
	require.Equal(t, "sales", a.Of("old").Redirect, "to where it ends")
	require.EqualValues(t, 6, a.MaxJobsOf("ann"))
	require.Equal(t, NoLimit, a.MaxJobsOf("bob"))
	require.EqualValues(t, 4, a.MaxJobsOf("eve"))
	require.EqualValues(t, 900_000, a.FairShareTimeout)
	require.Equal(t, []Rule{{Name: "specified", Pool: DefaultName}, {Name: "default", Create: true, Pool: "plain"}},
		a.Rules)
	require.True(t, a.LimitsJobs())
	require.True(t, a.timeouts())
}

func TestNoFile(t *testing.T) {
	a, err := Parse(scheduler.File{Key: conf.FairSchedulerAllocationFile.Name}, [2]int32{})
	require.NoError(t, err)
	require.Equal(t, Allocation{Name: "x", Weight: 1, Max: [2]int32{NoLimit, NoLimit}, MaxJobs: NoLimit,
		MinShareTimeout: Never, Preemptable: true}, a.Of("x"))
	require.False(t, a.LimitsJobs())
	require.False(t, a.timeouts())
}

// Each of the four limits on running jobs counts.
func TestLimitsJobs(t *testing.T) {
	for _, limit := range []string{"<userMaxJobsDefault>4</userMaxJobsDefault>",
		"<poolMaxJobsDefault>7</poolMaxJobsDefault>",
		`<user name="ann"><maxRunningJobs>6</maxRunningJobs></user>`,
		`<pool name="a"><maxRunningJobs>3</maxRunningJobs></pool>`} {
		a, err := parse("<allocations>" + limit + "</allocations>")
		require.NoError(t, err)
		require.True(t, a.LimitsJobs(), limit)
	}
}

func TestBadFiles(t *testing.T) {
	in := func(body string) string { return "<allocations>\n" + body + "\n</allocations>" }
	pool := func(body string) string { return in("<pool name=\"p\">" + body + "</pool>") }
	for _, c := range []struct{ text, want string }{
		{"", "f.xml:1: the file ends too early"},
		{"<configuration/>", "the top-level element must be <allocations>"},
		{"<allocations/>\n<allocations/>", "f.xml:2: <allocations> after </allocations>: want only one top-level element"},
		{"<allocations/>x", "text outside"},
		{"<allocations/>\n<", "f.xml:2: XML syntax error"},
		{"<allocations>", "f.xml:1: XML syntax error"},
		{"<allocations>\n<pool", "f.xml:2: "},
		{in("text"), "text \"text\" in <allocations>"},
		{in("<pol name=\"p\"/>"), "f.xml:2: unknown element <pol> in <allocations>; did you mean pool?"},
		{in("<queue name=\"p\"/>"), "belongs to YARN's fair scheduler"},
		{in("<pool/>"), "f.xml:2: <pool> without a name"},
		{in("<user name=\" \"/>"), "<user> without a name"},
		{pool("<weight>-1</weight>"), "f.xml:2: <weight>-1</weight>: want a number from 0 to 1000000"},
		{pool("<weight>NaN</weight>"), "want a number"},
		{pool("<minMaps>-1</minMaps>"), "want a whole number"},
		{pool("<minMaps>1.5</minMaps>"), "want a whole number"},
		{pool("<minMaps>99999999999</minMaps>"), "want a whole number"},
		{pool("<minMaps>11</minMaps>"), "f.xml:2: <minMaps>11</minMaps>: the cluster has 10 such slots"},
		{pool("<minReduces>5</minReduces><maxReduces>4</maxReduces>"), "f.xml:2: pool p: minReduces 5 is above maxReduces 4"},
		{pool("<minMaps>5</minMaps>") + "", ""},
		{pool("<minMaps>10</minMaps><minReduces>0</minReduces>"), ""},
		{pool("<minReduces>5</minReduces><maxReduces>5</maxReduces>"), ""},
		{pool("<weight>1000000</weight><minSharePreemptionTimeout>100000000</minSharePreemptionTimeout>"), ""},
		{pool("<schedulingMode>lifo</schedulingMode>"), "want fair or fifo"},
		{pool("<fifo>1</fifo>"), "want true or false"},
		{pool("<canBePreempted/>"), "want true or false"},
		{pool("<minMap>1</minMap>"), "did you mean minMaps?"},
		{pool("<zzzzzzzz>1</zzzzzzzz>"), "use one of: minMaps"},
		{pool("<minMaps><b/></minMaps>"), "<b> inside <minMaps>"},
		{pool("<minMaps>1</minMaps><minMaps>1</minMaps>"), "<minMaps> occurs twice in pool p"},
		{pool("\n<pool name=\"q\"/>"), "f.xml:3: a pool inside pool p: pools cannot be nested"},
		{pool("<minSharePreemptionTimeout>100000001</minSharePreemptionTimeout>"), "want a whole number from 0 to 100000000"},
		{pool("<redirect>p</redirect>"), "f.xml:2: pool p is redirected in a cycle"},
		{in("<pool name=\"a\"><redirect>b</redirect></pool>\n<pool name=\"b\"><redirect>a</redirect></pool>"),
			"f.xml:2: pool a is redirected in a cycle"},
		{in("<pool name=\"0\"><redirect>a</redirect></pool>\n<pool name=\"a\"><redirect>b</redirect></pool>\n<pool " +
			"name=\"b\"><redirect>a</redirect></pool>"), "redirected in a cycle"},
		{in("<pool name=\"a\"/>\n<pool name=\"a\"/>"), "f.xml:3: pool a is already in line 2"},
		{in("<user name=\"a\"/>\n<user name=\"a\"/>"), "f.xml:3: user a is already in line 2"},
		{in("<user name=\"a\"><weight>1</weight></user>"), "unknown element <weight> in <user>"},
		{in("<poolPlacementPolicy><rul/></poolPlacementPolicy>"), "did you mean rule?"},
		{in("<poolPlacementPolicy><rule name=\"x\"/></poolPlacementPolicy>"), "use one of: specified"},
		{in("<poolPlacementPolicy><rule name=\"user\" create=\"x\"/></poolPlacementPolicy>"), "want true or false"},
		{in("<poolPlacementPolicy><rule name=\"user\" a=\"x\"/></poolPlacementPolicy>"), "unknown attribute a"},
		{in("<poolPlacementPolicy><rule name=\"reject\"/><rule name=\"user\"/></poolPlacementPolicy>"),
			"rules after reject"},
	} {
		_, err := parse(c.text, 10, 10)
		if c.want == "" {
			require.NoError(t, err)
			continue
		}
		require.True(t, failure.Is(err, failure.Config), "%s: %v", c.text, err)
		require.ErrorContains(t, err, c.want, c.text)
	}
	spaces := strings.Repeat(" ", maxFile-len("<allocations></allocations>"))
	_, err := parse("<allocations>" + spaces + "</allocations>")
	require.NoError(t, err)
	_, err = parse("<allocations>" + spaces + " </allocations>")
	require.ErrorContains(t, err, "larger than")
}

// The default mode applies to a listed pool unless the pool sets its own mode with either element.
func TestDefaultMode(t *testing.T) {
	a, err := parse(`<allocations><pool name="plain"/><pool name="mode"><schedulingMode>fair</schedulingMode></pool>` +
		`<pool name="fifo"><fifo>false</fifo></pool><defaultPoolSchedulingMode>fifo</defaultPoolSchedulingMode>` +
		`</allocations>`)
	require.NoError(t, err)
	for name, want := range map[string]Mode{"plain": FIFO, "mode": Fair, "fifo": Fair, "unlisted": FIFO} {
		require.Equal(t, want, a.Of(name).Mode, name)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(whole))
	f.Add([]byte(`<allocations><pool name="a"><redirect>b</redirect></pool><pool name="b"><redirect>c</redirect></pool>` +
		`</allocations>`))
	f.Add([]byte(`<allocations><pool name="a"><weight>1e3</weight></pool>`))
	f.Fuzz(func(t *testing.T, data []byte) {
		a, err := Parse(scheduler.File{Path: "f.xml", Data: data}, [2]int32{100, 100})
		if err != nil {
			require.True(t, failure.Is(err, failure.Config))
			require.ErrorContains(t, err, "f.xml")
			return
		}
		for i := range a.Pools {
			p := &a.Pools[i]
			require.False(t, !(p.Weight >= 0) || p.Min[job.Map] > p.Max[job.Map] || p.Min[job.Reduce] > p.Max[job.Reduce])
			require.NotEqual(t, p.Name, p.Redirect)
		}
	})
}
