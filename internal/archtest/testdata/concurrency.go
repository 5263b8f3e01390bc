package example

import (
	"context"
	"sync"
	"sync/atomic"
)

type locked struct {
	mu sync.Mutex    // want "sync.Mutex"
	n  atomic.Int64  // want "sync/atomic.Int64"
	c  chan struct{} // want "channel"
}

func (l *locked) run(ctx context.Context) { // want "context.Context"
	go l.mu.Lock() // want "go statement"
	select {       // want "select statement"
	case <-l.c:
	default:
	}
	l.c <- struct{}{} // want "channel send"
}
