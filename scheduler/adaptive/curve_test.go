package adaptive

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/scheduler"
)

const sample = `# a day
period 24h
origin 1000
0h   1
12h  0.5 1 0   # CPU, memory, I/O
24h  1
tracker slow
0 0
12h 0
24h 0.0
`

func TestCurve(t *testing.T) {
	c, err := ParseCurves("f.txt", []byte(sample))
	require.NoError(t, err)
	f := c.of(&scheduler.Tracker{Name: "other:1", Host: "other"})
	for _, x := range []struct {
		at   int64
		r    Resource
		want int64
	}{
		{1000, CPU, Full}, {1000 + 6*hourMS, CPU, 750_000}, {1000 + 12*hourMS, CPU, 500_000},
		{1000 + 36*hourMS, Memory, Full},
		{1000 + 12*hourMS, Slot, 0}, {1000 - 6*hourMS, CPU, 750_000}, {1000 + 30*hourMS, IO, 500_000},
	} {
		require.Equal(t, x.want, f.At(x.at, x.r), "%+v", x)
	}
	slow := c.of(&scheduler.Tracker{Name: "slow:5", Host: "slow"})
	require.Zero(t, slow.At(77, CPU))
	require.Zero(t, slow.Integral(0, 99*hourMS, CPU))
}

// The prefix sums match a step-by-step sum of f(t), even across periods and before the origin.
func TestIntegral(t *testing.T) {
	c, err := ParseCurves("f.txt", []byte(sample))
	require.NoError(t, err)
	for _, span := range [][2]int64{{0, 5 * hourMS}, {7 * hourMS, 20 * hourMS}, {3 * hourMS, 80 * hourMS},
		{-30 * hourMS, 2 * hourMS}, {9, 9}, {9, 3}} {
		for r := range resources {
			sum := 0.0
			const dt = 60_000
			for x := span[0]; x < span[1]; x += dt {
				sum += float64(c.all.At(x+dt/2, r)) / Full * dt
			}
			require.InDelta(t, sum, c.all.Integral(span[0], span[1], r), 1e-4*math.Abs(sum)+1, "%v %d", span, r)
		}
	}
	var always *Curve
	require.EqualValues(t, 5000, always.Integral(1000, 6000, CPU))
	require.EqualValues(t, Full, always.At(5, IO))
}

func TestBadFilesNameTheLine(t *testing.T) {
	for text, want := range map[string]string{
		"":                                "no points",
		"# nothing\n":                     "no points",
		"0h 1\n":                          "f.txt:1: the period must be",
		"period 1d\n":                     "f.txt:1: \"1d\" is not a time",
		"period 0\n":                      "f.txt:1: period must be more than 0",
		"period 9000h\n":                  "at most",
		"period\n":                        "want period VALUE",
		"period 2h\n1h 1\n":               "f.txt:2: the first point",
		"period 2h\n0 1\n1h 1\n":          "f.txt:3: a gap: the last point",
		"period 4h\n0 1\n1h 1\n3h 1\n":    "f.txt:4: a gap of 2h ",
		"period 4h\nstep 30m\n0 1\n1h 1":  "f.txt:4: a gap of 1h ",
		"period 2h\n0 1\n2h 1\n1h 1\n":    "f.txt:4: the point at 1h is not after",
		"period 2h\n0 1\n0h 1\n":          "f.txt:3: the point at 0h is not after",
		"period 2h\n0 1\n3h 1\n":          "f.txt:3: the point at 3h is after the end",
		"period 2h\n0 -0.1\n":             "f.txt:2: \"-0.1\" is not a share",
		"period 2h\n0 1.1\n":              "is not a share",
		"period 2h\n0 NaN\n":              "is not a share",
		"period 2h\n0 1 1\n":              "f.txt:2: 2 values",
		"period 2h\n-1h 1\n":              "is not a time",
		"period 2h\n1h30 1\n":             "is not a time",
		"period 2h\n1us 1\n":              "is not a time",
		"period 2h\n30m1h 1\n":            "is not a time",
		"period 2h\n1h0 1\n":              "is not a time",
		"period 99999999999999999h\n":     "is not a time",
		"period 2h\n0 1\nperiod 3h\n":     "f.txt:3: period must be before",
		"origin -5\n":                     "f.txt:1: origin -5",
		"origin x y\n":                    "want origin VALUE",
		"tracker\n":                       "f.txt:1: want tracker NAME",
		"period 1h\ntracker a\n":          "f.txt:2: tracker a has no points",
		"period 1h\ntracker a\ntracker b": "f.txt:3: tracker a has no points",
		"period 1h\ntracker a\n0 1\n1h 1\ntracker a\n": "f.txt:5: tracker a occurs twice",
	} {
		_, err := ParseCurves("f.txt", []byte(text))
		require.Error(t, err, text)
		require.True(t, failure.Is(err, failure.Config), text)
		require.Contains(t, err.Error(), want, text)
	}
	_, err := ParseCurves("f.txt", []byte("period 1h\n"+strings.Repeat("0 1\n1h 1\ntracker x\n", 2)))
	require.Error(t, err)
}

func TestSpans(t *testing.T) {
	for text, want := range map[string]int64{"0": 0, "0h": 0, "90m": 5_400_000, "1h30m": 5_400_000, "2s250ms": 2250,
		"8784h": maxPeriod, "1h2m3s4ms": 3_723_004} {
		n, err := span(text)
		require.NoError(t, err, text)
		require.Equal(t, want, n, text)
	}
	require.Equal(t, "1h2m3s4ms", ms(3_723_004))
}

// Every parsed curve has shares from 0 to 1 and integrals that never decrease.
func FuzzParseCurves(f *testing.F) {
	f.Add([]byte(sample))
	f.Add([]byte("period 1h\nstep 20m\n0 1\n20m .5\n40m 0\n1h 1\n"))
	f.Add([]byte("period 1h\n0 1\n\n1h 0 # x\ntracker a\n0 .1 .2 .3\n1h 1 1 1\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := ParseCurves("f.txt", data)
		if err != nil {
			if !failure.Is(err, failure.Config) {
				t.Fatalf("%v", err)
			}
			return
		}
		curve := c.of(&scheduler.Tracker{Name: "a"})
		last := 0.0
		for x := int64(0); x < 100; x++ {
			at := x * 1_234_567
			if s := curve.At(at, CPU); s < 0 || s > Full {
				t.Fatalf("share %d at %d", s, at)
			}
			if i := curve.Integral(0, at, CPU); i < last-1 || i > float64(at)+1 {
				t.Fatalf("integral %g up to %d after %g", i, at, last)
			} else {
				last = i
			}
		}
	})
}

// The prediction for an hour is the share that the trackers measured in the same hour of the
// previous day.
func TestMeasured(t *testing.T) {
	var m Measured
	const day = 24 * hourMS
	for at := int64(0); at < 2*day; at += hourMS / 6 {
		share := int64(900_000)
		if h := at / hourMS % 24; h >= 17 && h < 20 {
			share = 200_000
		}
		m.add(at, share)
	}
	require.InDelta(t, 900_000, m.curve.At(2*day+5*hourMS+hourMS/2, CPU), 10_000)
	require.InDelta(t, 200_000, m.curve.At(2*day+18*hourMS+hourMS/2, CPU), 10_000)
	require.EqualValues(t, m.curve.At(3, Slot), m.curve.At(3, IO))

	var young Measured
	young.add(3*hourMS, 400_000)
	require.EqualValues(t, 400_000, young.curve.At(20*hourMS, CPU), "an hour that was never seen is as the present one")
}
