package daemon

import (
	"context"
	"sync"
)

// keyLocks locks names, so that calls for the same name run one after another. The zero value is
// ready to use.
type keyLocks struct {
	mu   sync.Mutex
	held map[string]chan struct{} // closed when the name is released
}

// lock waits until the name is free and locks it until unlock is called. "" is never locked.
func (k *keyLocks) lock(ctx context.Context, name string) (unlock func(), err error) {
	if name == "" {
		return func() {}, nil
	}
	for {
		k.mu.Lock()
		held, taken := k.held[name]
		if !taken {
			free := make(chan struct{})
			if k.held == nil {
				k.held = map[string]chan struct{}{}
			}
			k.held[name] = free
			k.mu.Unlock()
			return func() { k.unlock(name, free) }, nil
		}
		k.mu.Unlock()
		select {
		case <-held:
		case <-ctx.Done():
			return nil, busy(ctx)
		}
	}
}

func (k *keyLocks) unlock(name string, free chan struct{}) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.held, name)
	close(free)
}
