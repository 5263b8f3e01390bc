package streaming

const (
	readerPrefix = "stream.recordreader." // prefix of the record reader's own settings

)
