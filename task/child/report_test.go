package child

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"github.com/howdah/howdah/internal/wire/umbilical"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/task"
)

func TestReportsCarryWhatChanged(t *testing.T) {
	v := func(records, cpu, mine int64) task.View {
		c := &job.Counters{}
		c.Builtin[job.MapInputRecords], c.Builtin[job.CPUMillis] = records, cpu
		c.Add("g", "mine", mine)
		return task.View{Phase: job.PhaseMap, Counters: c}
	}
	var r reporter
	p := r.next(v(5, 10, 1))
	require.True(t, p.Alive)
	require.Len(t, p.Counter, 3)
	p = r.next(v(5, 11, 1))
	require.False(t, p.Alive, "CPU time alone is no life")
	require.Len(t, p.Counter, 1)
	require.EqualValues(t, 11, value(p, job.CPUMillis))
	p = r.next(v(5, 11, 2))
	require.True(t, p.Alive)
	require.Equal(t, "mine", p.Counter[0].Name)
	again := v(5, 11, 2)
	again.Beats = 1
	p = r.next(again)
	require.True(t, p.Alive, "Context.Progress")
	require.Empty(t, p.Counter)

	again.Status = strings.Repeat("€", maxText)
	p = r.next(again)
	require.LessOrEqual(t, len(p.Status), maxText+2)
	_, err := proto.Marshal(p)
	require.NoError(t, err, "the text is valid UTF-8")
}

func TestFeedKeepsOrderAndEnds(t *testing.T) {
	f := newFeed()
	for i := range int32(100) {
		f.add([]*umbilical.Completion{{Map: i}})
	}
	for i := range int32(100) {
		require.Equal(t, i, (<-f.out).Map)
	}
	f.add([]*umbilical.Completion{{Map: 1}})
	f.close()
}
