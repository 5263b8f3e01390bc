package heap

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"testing"
	"time"
	"unsafe"

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

func TestShiftMovesBytes(t *testing.T) {
	for _, n := range []int{0, 5, 4096, large + 5000} {
		buf := make([]byte, n)
		for i := range buf {
			buf[i] = byte(i * 31 >> 3)
		}
		want := bytes.Clone(buf)
		from := min(n, 3)
		for _, size := range []int{0, n + 100} {
			old := len(buf)
			Shift(&buf, 0, from, n, size)
			require.Len(t, buf, max(old, size))
			require.True(t, bytes.Equal(want[from:], buf[:n-from]), "%d bytes, new size %d", n, size)
			copy(buf, want)
		}
		Shift(&buf, 50, 0, n, n+50)
		require.True(t, bytes.Equal(want, buf[50:50+n]))
	}
}

func TestUntouchedMemoryIsNotResident(t *testing.T) {
	const size = 256 << 20
	resident := func() (pages int) {
		b, err := os.ReadFile("/proc/self/statm")
		if err != nil {
			t.Skip(err)
		}
		_, err = fmt.Sscan(string(b), new(int), &pages)
		require.NoError(t, err)
		return pages * os.Getpagesize()
	}
	for range 3 { // from the second time on, the runtime reuses the memory
		buf := Untouched(size)
		for i := 0; i < size; i += os.Getpagesize() {
			buf[i] = 1
		}
		Drop(&buf)
		before := resident()
		buf = Untouched(size)
		require.Less(t, resident()-before, size/2)
		Drop(&buf)
	}
	require.Empty(t, Untouched(0))
}

func TestReleaseReturnsWholePages(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("other systems may keep the content of released memory")
	}
	page := os.Getpagesize()
	all := bytes.Repeat([]byte{1}, 16*page)
	released := func() int { return bytes.Count(all, []byte{0}) / page }
	skip := -int(uintptr(unsafe.Pointer(unsafe.SliceData(all)))) & (page - 1)
	b := all[skip:]
	for _, part := range [][]byte{nil, b[1:page], b[1 : 2*page-1], b[:page-1], b[page-1 : page+1]} {
		release(part)
		require.Zero(t, released())
	}
	release(b[1 : 4*page-1])
	require.Equal(t, 2, released())
	require.EqualValues(t, 1, b[page-1])
	require.EqualValues(t, 1, b[3*page])
}
