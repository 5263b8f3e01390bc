package hdfs

import (
	"context"
	"sync"
	"time"

	"github.com/howdah/howdah/internal/lifecycle"
)

// leaseInterval is the time between renewals of leases. It is half the time after which the
// NameNode lets other clients take over the files.
const leaseInterval = 30 * time.Second

// leases renews the leases of files that are open for writing. Its goroutine runs while there are
// such files.
type leases struct {
	renew func(ctx context.Context) error

	mu    sync.Mutex
	files int
	stop  context.CancelFunc
	done  chan struct{}
}

func (l *leases) add() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.files++
	if l.stop != nil {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	l.stop, l.done = cancel, make(chan struct{})
	go l.run(ctx, l.done)
}

func (l *leases) remove() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.files--
	if l.files == 0 {
		l.end()
	}
}

// end stops the goroutine. The caller must hold the lock.
func (l *leases) end() {
	if l.stop != nil {
		l.stop()
		<-l.done
		l.stop = nil
	}
}

func (l *leases) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.end()
}

func (l *leases) run(ctx context.Context, done chan struct{}) {
	defer close(done)
	for lifecycle.Sleep(ctx, leaseInterval) == nil {
		_ = l.renew(ctx) // the next call for the file reports a lost lease
	}
}
