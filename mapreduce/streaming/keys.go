package streaming

// Hadoop's configuration keys for Streaming. Most keys exist separately for map and reduce.
const (
	keyMapCommand     = "stream.map.streamprocessor" // URL-encoded
	keyCombineCommand = "stream.combine.streamprocessor"
	keyReduceCommand  = "stream.reduce.streamprocessor"

	keyMapInput     = "stream.map.input" // one of text, rawbytes, typedbytes, keyonlytext
	keyMapOutput    = "stream.map.output"
	keyReduceInput  = "stream.reduce.input"
	keyReduceOutput = "stream.reduce.output"

	keyMapInSeparator     = "stream.map.input.field.separator"
	keyMapOutSeparator    = "stream.map.output.field.separator"
	keyReduceInSeparator  = "stream.reduce.input.field.separator"
	keyReduceOutSeparator = "stream.reduce.output.field.separator"

	keyNonZeroExit    = "stream.non.zero.exit.is.failure"
	keyMinWritten     = "stream.minRecWrittenToEnableSkip_"
	keyReporterPrefix = "stream.stderr.reporter.prefix"
	keyEnvironment    = "stream.addenvironment"
	keyTruncate       = "stream.jobconf.truncate.limit"

	keyRecordReader = "stream.recordreader.class"
	readerPrefix    = "stream.recordreader." // prefix of the record reader's own settings

	// Whether, in skipping mode, the engine itself counts the records that the command has
	// processed.
	keyMapSelfCount    = "mapreduce.map.skip.proc-count.auto-incr"
	keyReduceSelfCount = "mapreduce.reduce.skip.proc-count.auto-incr"

	keyMapClass     = "mapreduce.job.map.class"
	keyCombineClass = "mapreduce.job.combine.class"
	keyReduceClass  = "mapreduce.job.reduce.class"
)
