package daemon

import (
	"context"
	"sync"
)

// queue runs functions in a fixed number of goroutines. push never blocks, because the owner must
// not block.
type queue struct {
	tasks chan func(context.Context)
	more  chan struct{}

	mu   sync.Mutex
	list []func(context.Context)
}

func newQueue() *queue {
	return &queue{tasks: make(chan func(context.Context)), more: make(chan struct{}, 1)}
}

// run runs the functions in n goroutines until ctx ends. It then drops the functions that are still
// waiting.
func (q *queue) run(ctx context.Context, n int) {
	var group sync.WaitGroup
	for range n {
		group.Go(func() {
			for task := range q.tasks {
				task(ctx)
			}
		})
	}
	defer group.Wait()
	defer close(q.tasks)
	for {
		task := q.pop()
		if task == nil {
			select {
			case <-q.more:
				continue
			case <-ctx.Done():
				return
			}
		}
		select {
		case q.tasks <- task:
		case <-ctx.Done():
			return
		}
	}
}

func (q *queue) push(task func(context.Context)) {
	q.mu.Lock()
	q.list = append(q.list, task)
	q.mu.Unlock()
	select {
	case q.more <- struct{}{}:
	default:
	}
}

func (q *queue) pop() func(context.Context) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.list) == 0 {
		return nil
	}
	task := q.list[0]
	q.list = q.list[1:]
	return task
}
