//go:build integration

package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The parts cover the text without overlap and cut no word.
func TestCount(t *testing.T) {
	for _, text := range []string{"", " ", "a", "one  two\tone\nthree\r\ftwo one", "aaaaaaaaaaaaaaaaaaaaaaaaa b",
		"b aaaaaaaaaaaaaaaaaaaaaa"} {
		want := map[string]int64{}
		for _, word := range strings.Fields(text) {
			want[word]++
		}
		for workers := 1; workers <= 9; workers++ {
			got := map[string]int64{}
			for word, n := range count([]byte(text), workers) {
				got[word] = *n
			}
			require.Equal(t, want, got, "%q with %d workers", text, workers)
		}
	}
}

func TestWrite(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, write(&out, count([]byte("b a b"), 2)))
	require.Equal(t, "a\t1\nb\t2\n", out.String())
}
