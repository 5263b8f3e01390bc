package loadgen

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestParseProfile(t *testing.T) {
	p, err := ParseProfile("cpu=1.5s, memory=64m,write=1g; wait=200ms,read=3k,memory=7,live=2m,trash=5")
	require.NoError(t, err)
	require.Equal(t, Profile{{CPU: 1500 * time.Millisecond, Memory: 64 << 20, Write: 1 << 30},
		{Wait: 200 * time.Millisecond, Read: 3 << 10, Memory: 7, Live: 2 << 20, Trash: 5}}, p)
	for _, bad := range []string{"", "cpu", "cpu=", "cpu=-1s", "cpu=25h", "disk=1", "memory=1x", "memory=-1",
		"write=1025g", "write=99999999999999999999g", "cpu=1s;", "cpu=1s,cpu=1s", "read=1k", "cpu=1s;read=1k;write=2k"} {
		_, err := ParseProfile(bad)
		require.Error(t, err, bad)
	}
}

// TestStepsAddUp checks that any number of steps adds up to the profile and ends with its memory.
func TestStepsAddUp(t *testing.T) {
	p, err := ParseProfile("cpu=1s,memory=100m,live=9m;write=77,read=13,trash=12;memory=3m,wait=1ms,live=1m")
	require.NoError(t, err)
	for n := int64(3); n < 200; n += 7 {
		var sum Work
		for i := range n {
			w := p.Step(i, n)
			require.GreaterOrEqual(t, w.Memory, int64(0))
			require.LessOrEqual(t, w.Memory, int64(100<<20))
			sum.CPU, sum.Wait, sum.Write, sum.Read, sum.Memory = sum.CPU+w.CPU, sum.Wait+w.Wait, sum.Write+w.Write,
				sum.Read+w.Read, w.Memory
			sum.Trash, sum.Live = sum.Trash+w.Trash, w.Live
		}
		require.Equal(t, Work{CPU: time.Second, Wait: time.Millisecond, Write: 77, Read: 13, Memory: 3 << 20, Live: 1 << 20,
			Trash: 12}, sum, "%d steps", n)
	}
}

// TestStepsOfTheLongestTask checks that the longest task, with its work doubled by skew, divides into
// the most steps without an overflow.
func TestStepsOfTheLongestTask(t *testing.T) {
	p := Profile{{CPU: maxTime, Wait: maxTime}}.Scaled(2, 1)
	for i := range int64(maxSteps) {
		if w := p.Step(i, maxSteps); w.CPU != 2*maxTime/maxSteps || w.Wait != w.CPU {
			require.Fail(t, "wrong work", "step %d: %v", i, w)
		}
	}
}

func TestSkew(t *testing.T) {
	require.Equal(t, 1.0, Factor(1, 5, 0))
	sum, differs := 0.0, false
	for i := range uint64(1000) {
		f := Factor(7, i, 0.5)
		require.Equal(t, f, Factor(7, i, 0.5), "a second attempt has the same work")
		require.True(t, f >= 0.5 && f <= 1.5)
		differs = differs || f > 1.3
		sum += f
	}
	require.InDelta(t, 1000, sum, 50)
	require.True(t, differs)
	require.Equal(t, Profile{{Write: 1, Read: 50}}, Profile{{Write: 1, Read: 100}}.Scaled(0.5, 1))
	p := Profile{{CPU: time.Second, Memory: 5, Live: 7, Trash: 8, Write: 10}}.Scaled(0.5, 2)
	require.Equal(t, Profile{{CPU: time.Second / 2, Memory: 5, Live: 14, Trash: 4, Write: 5}}, p)
}

func FuzzParseProfile(f *testing.F) {
	f.Add("cpu=1.5s, memory=64m,write=1g; wait=200ms,read=3k")
	f.Fuzz(func(t *testing.T, s string) {
		p, err := ParseProfile(s)
		if err != nil || len(p) > maxSteps {
			return
		}
		n := int64(len(p))
		for i := range n {
			if w := p.Step(i, n); w.CPU < 0 || w.Memory < 0 || w.Write < 0 || w.Read < 0 {
				t.Fatal(w)
			}
		}
	})
}
