package job

// Range is a range of a task's input records or, for a reducer, of its groups. Numbers start at 0.
type Range struct{ Start, Length int64 }
