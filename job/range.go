package job

// Range is a range of a map's input records or of a reduce's groups. Start counts from 0.
type Range struct{ Start, Length int64 }
