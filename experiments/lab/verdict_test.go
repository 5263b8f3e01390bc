package lab

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestJudge(t *testing.T) {
	low, high := -1.0, 1.0
	full, quick := [2]Verdict{Holds, Fixed}, [2]Verdict{Fails, ExpectedFail}
	pass, fail, undecided := full, quick, [2]Verdict{Holds, ExpectedFail}
	for _, c := range []struct {
		test    Test
		effect  Interval
		verdict [2]Verdict // of a relation that is expected to hold and of one that is expected to fail
		quick   [2]Verdict
	}{
		{Above, Interval{Mean: 0, Half: 0.5, N: 9}, pass, pass},
		{Above, Interval{Mean: 0, Half: 1, N: 9}, fail, undecided},
		{Above, Interval{Mean: -3, Half: 2, N: 9}, fail, fail},
		{Above, Exact(-1), fail, fail},
		{AtLeast, Exact(-1), pass, pass},
		{AtLeast, Interval{Mean: -1, Half: 0.1, N: 9}, fail, undecided},
		{Below, Interval{Mean: 0, Half: 0.5, N: 9}, pass, pass},
		{Below, Interval{Mean: 0, Half: 1, N: 9}, fail, undecided},
		{Below, Exact(1), fail, fail},
		{AtMost, Exact(1), pass, pass},
		{AtMost, Exact(1.1), fail, fail},
		{AtMost, Interval{Mean: 1, Half: 0.1, N: 9}, fail, undecided},
		{Within, Interval{Mean: 0, Half: 1, N: 9}, pass, pass},
		{Within, Interval{Mean: 0.5, Half: 1, N: 9}, fail, undecided},
		{Within, Interval{Mean: 0, Half: 9, N: 9}, fail, undecided},
		{Within, Exact(-2), fail, fail},
		{Above, Exact(math.NaN()), fail, fail},
		{Within, Exact(math.NaN()), fail, fail},
	} {
		for i, expected := range []Expected{ToHold, ToFail} {
			x := Relation{Test: c.test, Minimum: &low, Maximum: &high, Expected: expected}
			require.Equal(t, c.verdict[i], x.Judge(c.effect, false), "%v", c)
			require.Equal(t, c.quick[i], x.Judge(c.effect, true), "%v", c)
		}
	}
}

func TestRatio(t *testing.T) {
	to := 55.0
	for effect, want := range map[float64]float64{16: 0.5, 32: 1, 40: 1, 55: 1, 110: 2, -32: -1} {
		x := Relation{Paper: &Number{Value: 32, To: &to}}
		got, ok := x.Ratio(effect)
		require.True(t, ok)
		require.InDelta(t, want, got, 1e-12, effect)
	}
	x := Relation{Paper: &Number{Value: 10}}
	got, ok := x.Ratio(5)
	require.True(t, ok)
	require.InDelta(t, 0.5, got, 1e-12)
	for _, none := range []Relation{{}, {Paper: &Number{}}} {
		_, ok := none.Ratio(5)
		require.False(t, ok)
	}
}
