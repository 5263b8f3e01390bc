package webui

import (
	"context"
	"sync"
	"time"

	"github.com/howdah/howdah/job/status"
)

// recent shares data with thousands of parts among requests, because many browsers fetch a large
// job's page, or that of a large cluster, once a second. The data is at most keepFor old. Requests
// only read it. A recent is safe for concurrent use.
type recent struct{ data sync.Map }

const (
	keepFor = time.Second
	// manyParts is the minimum number of attempts or TaskTrackers in shared data. Requests for smaller
	// data always get the present state.
	manyParts = 1000
)

// keep shares a value with the given number of parts.
func (r *recent) keep(key, value any, parts int) {
	if parts >= manyParts {
		r.data.Store(key, value)
		time.AfterFunc(keepFor, func() { r.data.CompareAndDelete(key, value) })
	}
}

// get returns the value with this key, or nil.
func (r *recent) get(key any) any {
	value, _ := r.data.Load(key)
	return value
}

// sharing is Jobs whose requests share the status of a large cluster.
type sharing struct {
	Jobs
	recent recent
}

// Cluster implements Jobs.
func (s *sharing) Cluster(ctx context.Context) (*status.Cluster, error) {
	type key struct{}
	if c, ok := s.recent.get(key{}).(*status.Cluster); ok {
		return c, nil
	}
	c, err := s.Jobs.Cluster(ctx)
	if err == nil {
		s.recent.keep(key{}, c, len(c.Trackers))
	}
	return c, err
}
