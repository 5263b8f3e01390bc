package tracker

import (
	"slices"

	"github.com/howdah/howdah/job"
)

// Grow reserves space for n more attempts.
func (a *Attempts) Grow(n int) {
	a.Job, a.Type = slices.Grow(a.Job, n), slices.Grow(a.Type, n)
	a.Index, a.N = slices.Grow(a.Index, n), slices.Grow(a.N, n)
}

// Append adds an attempt.
func (a *Attempts) Append(x job.Attempt) {
	a.Job, a.Type = append(a.Job, x.Job), append(a.Type, uint32(x.Type))
	a.Index, a.N = append(a.Index, x.Index), append(a.N, x.N)
}

// Len returns the number of rows.
func (a *Attempts) Len() int { return len(a.GetJob()) }

// At returns the attempt in row i, which must be less than Len. It also reports whether the row
// contains a valid attempt.
func (a *Attempts) At(i int) (job.Attempt, bool) {
	typ, index, n := At(a.Type, i), At(a.Index, i), At(a.N, i)
	ok := a.Job[i] > 0 && typ <= uint32(job.Cleanup) && index >= 0 && n >= 0
	return job.Attempt{Task: job.Task{Job: a.Job[i], Index: index, Type: job.TaskType(typ)}, N: n}, ok
}

// At returns the value in row i of a column. Missing rows are zero.
func At[T any](column []T, i int) (zero T) {
	if i < len(column) {
		return column[i]
	}
	return zero
}
