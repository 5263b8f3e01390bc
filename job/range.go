package job

// Range is a stretch of a task's records, or of a reducer's groups, by their number from 0.
type Range struct{ Start, Length int64 }
