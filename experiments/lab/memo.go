package lab

import (
	"context"
	"sync"
)

// Memo keeps the results of simulations, because several figures share them. A key must contain
// everything that determines its result. The zero Memo is empty. A Memo is safe for concurrent use.
type Memo[K comparable, V any] struct{ results sync.Map }

// Get returns the result for key, which the first successful call computes with f. Concurrent calls
// for the same key wait for each other.
func (m *Memo[K, V]) Get(ctx context.Context, key K, f func() (V, error)) (result V, err error) {
	if err := ctx.Err(); err != nil {
		return result, err
	}
	type entry struct {
		sync.Mutex
		known  bool
		result V
	}
	x, _ := m.results.LoadOrStore(key, &entry{})
	e := x.(*entry)
	e.Lock()
	defer e.Unlock()
	if !e.known {
		if e.result, err = f(); err != nil {
			return result, err
		}
		e.known = true
	}
	return e.result, nil
}
