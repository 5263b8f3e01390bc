package streaming

// Hadoop's configuration keys for Streaming. Most keys exist separately for map and reduce.
const (
	readerPrefix = "stream.recordreader." // prefix of the record reader's own settings

)
