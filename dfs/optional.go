package dfs

import "context"

// What only some storage can do. Callers ask with a type assertion, tasks on what Plain gives.

// Truncater is a FileSystem that can cut files.
type Truncater interface {
	// Truncate cuts a file to size bytes, no more than it has (kind Usage).
	Truncate(ctx context.Context, name string, size int64) error
}

// Accesser is a FileSystem that knows what the caller may do.
type Accesser interface {
	// Access asks whether the caller may read or write name; kind Permission if not.
	Access(ctx context.Context, name string, write bool) error
}

// Spacer is a FileSystem that knows its capacity.
type Spacer interface {
	// Space measures the storage that holds name.
	Space(ctx context.Context, name string) (Space, error)
}

// Space is a capacity in bytes. What is reserved for others is neither used nor free.
type Space struct {
	Total, Used, Free int64
}

// BlockLister is a FileSystem that tells with a listing where the files lie: one call instead of one for each file.
type BlockLister interface {
	// ListBlocks gives what List gives and, for each file, what Locations gives of all of it.
	ListBlocks(ctx context.Context, name string) ([]Info, [][]Block, error)
}
