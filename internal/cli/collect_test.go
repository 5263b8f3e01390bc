package cli

import (
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

func TestDelayCollection(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(70))
	t.Setenv("GOGC", "70")
	delayCollection()
	require.EqualValues(t, 70, percent())

	t.Setenv("GOGC", "")
	delayCollection()
	require.EqualValues(t, 400, percent())
	runtime.GC()
	require.Eventually(t, func() bool { return percent() == 70 }, time.Minute, time.Millisecond)
}
