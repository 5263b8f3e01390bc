package dfs

import "context"

// This file declares optional features of file systems. Callers use a type assertion. Tasks use it
// on the result of Plain.

// Truncater is a FileSystem that can truncate files.
type Truncater interface {
	// Truncate truncates a file to size bytes. It returns an error of kind Usage if the file is
	// shorter.
	Truncate(ctx context.Context, name string, size int64) error
}

// Accesser is a FileSystem that can check the caller's permissions.
type Accesser interface {
	// Access returns an error of kind Permission if the caller may not read or write name.
	Access(ctx context.Context, name string, write bool) error
}

// Spacer is a FileSystem that can report its capacity.
type Spacer interface {
	// Space returns the capacity of the storage that contains name.
	Space(ctx context.Context, name string) (Space, error)
}

// Space is a capacity in bytes. Space reserved for other uses counts as used, or as neither used
// nor free.
type Space struct {
	Total, Used, Free int64
}

// BlockLister is a FileSystem that can return block locations with a listing, in one call instead
// of one per file.
type BlockLister interface {
	// ListBlocks returns the result of List and, for each file, the result of Locations for the
	// whole file.
	ListBlocks(ctx context.Context, name string) ([]Info, [][]Block, error)
}
