package lab

import (
	"math"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func percent() uint64 {
	s := []metrics.Sample{{Name: "/gc/gogc:percent"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

func TestSaveMemory(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(70))
	t.Setenv("GOGC", "70")
	saveMemory(0)
	require.EqualValues(t, 70, percent())

	t.Setenv("GOGC", "")
	saveMemory(math.MaxUint64)
	require.EqualValues(t, 70, percent(), "the heap is small")
	const large = 64 << 20
	saveMemory(large)
	require.EqualValues(t, 70, percent(), "the heap is still small")
	heap := make([]byte, large+1)
	require.Eventually(t, func() bool { runtime.GC(); return percent() == largePercent }, time.Minute, time.Millisecond)
	runtime.KeepAlive(heap)
}
