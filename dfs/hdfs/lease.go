package hdfs

import (
	"context"
	"sync"
	"time"

	"github.com/howdah/howdah/internal/lifecycle"
)

// leaseInterval is how often leases are renewed: half of what the NameNode waits before it lets others take them.
const leaseInterval = 30 * time.Second

// leases keeps the files that are being written ours, with a goroutine that runs while there are any.
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

// end stops the goroutine; the lock is held.
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
		_ = l.renew(ctx) // a lost lease shows at the next call for the file
	}
}
