package suggest

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNearest(t *testing.T) {
	words := []string{"wordcount", "sort", "secondarysort", "list", "list-attempt-ids"}
	for name, want := range map[string]string{"wordcuont": "wordcount", "srt": "sort", "lits": "list", "list": "list",
		"zebra": "", "": "", "x": ""} {
		require.Equal(t, want, Nearest(name, words), name)
	}
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"", "abc", 3}, {"abc", "", 3}, {"kitten", "sitting", 3}, {"same", "same", 0}, {"rnu", "run", 1},
		{"ab", "bca", 3}, {"ca", "ac", 1}} {
		require.Equal(t, c.want, Distance(c.a, c.b), "%q %q", c.a, c.b)
	}
}
