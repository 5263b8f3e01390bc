package job

// Range is a range of a task's records, or of a reducer's groups. Numbers start at 0.
type Range struct{ Start, Length int64 }
