package child

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/internal/wire/umbilical"
)

func TestMemoryIsALease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var now int32
		m := &memory{limit: func(mb int32) { now = mb }}
		lease := func(attempt string, mb int32) { m.lease(&umbilical.Memory{Attempt: attempt, Mb: mb, Millis: 1000}) }
		lease("a", 300)
		require.Zero(t, now, "before the launch")
		m.begin("a", 128)
		require.EqualValues(t, 128, now)
		lease("b", 300)
		lease("a", -1)
		require.EqualValues(t, 128, now)
		lease("a", 300)
		require.EqualValues(t, 300, now)
		time.Sleep(900 * time.Millisecond)
		lease("a", 200)
		time.Sleep(900 * time.Millisecond)
		synctest.Wait()
		require.EqualValues(t, 200, now, "it was renewed")
		time.Sleep(200 * time.Millisecond)
		synctest.Wait()
		require.EqualValues(t, 128, now, "nobody renewed it")
		lease("a", 500)
		m.begin("b", 64)
		time.Sleep(2 * time.Second)
		synctest.Wait()
		require.EqualValues(t, 64, now, "the lease was another attempt's")
		m.begin("c", 0)
		lease("c", 100)
		require.EqualValues(t, 64, now, "not limited, so nothing to change")
	})
}
