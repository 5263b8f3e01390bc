package heap

import (
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func never() bool { return false }

func TestDelaysAddUpUntilTheFirstCollection(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(70))
	d := &delay{}
	d.add(Small, never)
	require.Equal(t, 400, percent())
	d.add(100<<20, never)
	require.Equal(t, 2900, percent())
	runtime.GC()
	require.Eventually(t, func() bool { return percent() == 70 }, time.Minute, time.Millisecond)
	d.add(Small, collected)
	require.Equal(t, 70, percent())
}

func TestCollectionWhileTheDelayBegins(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(70))
	calls := 0
	(&delay{}).add(Small, func() bool { calls++; return calls == 2 })
	require.Equal(t, 70, percent())
}

func TestDelayKeepsThePercentageThatTheProgramSets(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(70))
	d := &delay{}
	d.add(Small, never)
	debug.SetGCPercent(50)
	d.end(70)
	require.Equal(t, 50, percent())
}

func TestGOGCTakesPrecedence(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(70))
	t.Setenv("GOGC", "70")
	first = delay{}
	Delay(Small)
	require.Zero(t, first.bytes)
	require.Equal(t, 70, percent())
}
