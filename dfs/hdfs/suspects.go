package hdfs

import (
	"sync"
	"time"

	"github.com/howdah/howdah/dfs/hdfs/transfer"
)

// suspects contains DataNodes that failed recently. It is safe for concurrent use. Writers avoid
// these nodes, and readers use them only if there is no other replica.
type suspects struct {
	term time.Duration // time for which a node stays suspect

	mu sync.Mutex
	m  map[string]suspect // by UUID
}

type suspect struct {
	node  transfer.DataNode
	until time.Time
}

func (s *suspects) add(d transfer.DataNode) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.m == nil {
		s.m = map[string]suspect{}
	}
	s.m[d.UUID] = suspect{d, time.Now().Add(s.term)}
}

func (s *suspects) has(d transfer.DataNode) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	x, ok := s.m[d.UUID]
	if ok && time.Now().After(x.until) {
		delete(s.m, d.UUID)
		ok = false
	}
	return ok
}

func (s *suspects) list() []transfer.DataNode {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []transfer.DataNode
	for id, x := range s.m {
		if time.Now().After(x.until) {
			delete(s.m, id)
		} else {
			out = append(out, x.node)
		}
	}
	return out
}

func (s *suspects) clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.m)
}
