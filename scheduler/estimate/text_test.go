package estimate

import (
	"math"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job/failure"
)

func TestText(t *testing.T) {
	p := Profile{Map: Phase{1200, 2500}, First: Phase{300, 400}, Typical: Phase{500, 900}, Reduce: Phase{800.5, 1000}}
	require.Equal(t, "map=1200/2500,first=300/400,typical=500/900,reduce=800.5/1000", p.String())
	require.Empty(t, Profile{}.String())
	got, err := Parse(" reduce=800.5/1000, map=1200/2500,typical=500/900,first=300/400")
	require.NoError(t, err)
	require.Equal(t, p, got)
	got, err = Parse("map=7")
	require.NoError(t, err)
	require.Equal(t, Profile{Map: Phase{7, 7}}, got)
	got, err = Parse("map=0,reduce=1e12")
	require.NoError(t, err, "both ends of the range")
	require.Equal(t, Profile{Reduce: Phase{1e12, 1e12}}, got)
}

func TestTextRefuses(t *testing.T) {
	for _, s := range []string{"map", "map=", "map=x", "map=-1", "map=NaN", "map=Inf", "map=2/1", "map=1/x", "map=1,map=2",
		"sort=1", ",", "map=1e13"} {
		_, err := Parse(s)
		require.True(t, failure.Is(err, failure.Config), "%q: %v", s, err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add("map=1200/2500,first=300/400,typical=500/900,reduce=800.5/1000")
	f.Add("map=0/0")
	f.Fuzz(func(t *testing.T, s string) {
		p, err := Parse(s)
		if err != nil {
			return
		}
		again, err := Parse(p.String())
		require.NoError(t, err)
		require.Equal(t, p, again)
	})
}

// The shortcut for whole numbers does not change any text.
func TestNumbersAreInDecimal(t *testing.T) {
	for _, x := range []float64{0, 1, -1, 0.5, 1234567.25, 1<<53 - 1, 1 << 53, 1e21, 1e300, math.Inf(1)} {
		require.Equal(t, strconv.FormatFloat(x, 'f', -1, 64), string(appendNumber(nil, x)))
	}
}
