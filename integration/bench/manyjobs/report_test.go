package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestLimits(t *testing.T) {
	for name, x := range map[string]struct {
		rss     int64 // at the end
		files   int
		restart time.Duration
		ok      bool
	}{
		"within":        {rss: 52 << 20, files: 30, restart: 2 * time.Second, ok: true},
		"less":          {rss: 1, files: 10, restart: 1, ok: true},
		"memory":        {rss: 52<<20 + 1, files: 20},
		"more files":    {rss: 1, files: 31},
		"fewer files":   {rss: 1, files: 9},
		"slow restarts": {rss: 1, files: 20, restart: 2*time.Second + 1},
	} {
		r := &report{restart: x.restart, samples: []sample{
			{jobs: 10, rss: 90 << 20, files: 90}, {jobs: 20, rss: 20 << 20, files: 20},
			{jobs: 100, after: time.Second, rss: x.rss, files: x.files},
		}}
		require.Equal(t, x.ok, r.judge() == nil, name)
	}
}
