package shuffle

import (
	"sync"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/task/sortio"
)

// Outputs stores the outputs of maps that ran in this process, for reducers in the same process.
// Outputs stay in memory if they fit. Otherwise, they are in files. It is safe for concurrent use.
// A nil Outputs is empty.
type Outputs struct {
	room     *sortio.Room
	reducers int64

	mu   sync.Mutex
	held map[job.AttemptID]*sortio.Output
	size int64 // size in bytes of the outputs in memory
	// indexes is the total size of file indexes in bytes. If it would exceed maxIndexes, reducers
	// read further indexes from their files.
	indexes int64
}

const maxIndexes = 32 << 20

// NewOutputs returns an Outputs that can keep room bytes in memory. Up to the given number of
// reducers run at the same time.
func NewOutputs(room int64, reducers int) *Outputs {
	return &Outputs{room: sortio.NewRoom(room), reducers: int64(reducers), held: map[job.AttemptID]*sortio.Output{}}
}

// Room returns the memory for outputs. A nil Room means that all outputs are in files.
func (o *Outputs) Room() *sortio.Room {
	if o == nil {
		return nil
	}
	return o.room
}

// Add adds the output of a map attempt.
func (o *Outputs) Add(a job.AttemptID, out *sortio.Output) {
	if o == nil {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if out.Path != "" && o.indexes+out.Memory() > maxIndexes {
		out.Index = nil
	}
	*o.part(out) += out.Memory()
	o.held[a] = out
}

// Remove removes the output of attempt a if a added it before it failed.
func (o *Outputs) Remove(a job.AttemptID) {
	if o == nil {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if out := o.held[a]; out != nil {
		*o.part(out) -= out.Memory()
		delete(o.held, a)
	}
}

// part returns a pointer to the total that includes out's memory, which is either o.size or
// o.indexes.
func (o *Outputs) part(out *sortio.Output) *int64 {
	if out.Path == "" {
		return &o.size
	}
	return &o.indexes
}

// Share returns the number of bytes that the outputs in memory use, divided by the number of
// concurrent reducers. Each reducer must use that much less memory.
func (o *Outputs) Share() int64 {
	if o == nil {
		return 0
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.size / o.reducers
}

// get returns the output of a map attempt. The index of an output in a file can be nil.
func (o *Outputs) get(a job.AttemptID) (*sortio.Output, error) {
	o.mu.Lock()
	out := o.held[a]
	o.mu.Unlock()
	if out == nil {
		return nil, failure.New(failure.NotFound, "find map output", a.String(), nil)
	}
	return out, nil
}
