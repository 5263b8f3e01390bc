package process

import (
	"slices"

	"github.com/howdah/howdah/internal/proctree"
)

// belongs reports whether a process runs and carries a mark: a process id may have been given to another one meanwhile.
func belongs(pid int, mark string) bool { return slices.Contains(proctree.Marked(mark), pid) }
