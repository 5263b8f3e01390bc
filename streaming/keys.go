package streaming

// Hadoop's keys of Streaming. Those with a side exist for map and reduce.
const (
	keyMapCommand     = "stream.map.streamprocessor" // URL-encoded
	keyCombineCommand = "stream.combine.streamprocessor"
	keyReduceCommand  = "stream.reduce.streamprocessor"

	keyMapInput     = "stream.map.input" // text, rawbytes, typedbytes, keyonlytext
	keyMapOutput    = "stream.map.output"
	keyReduceInput  = "stream.reduce.input"
	keyReduceOutput = "stream.reduce.output"

	keyMapInSeparator        = "stream.map.input.field.separator"
	keyMapOutSeparator       = "stream.map.output.field.separator"
	keyMapKeyFields          = "stream.num.map.output.key.fields"
	keyReduceInSeparator     = "stream.reduce.input.field.separator"
	keyReduceOutSeparator    = "stream.reduce.output.field.separator"
	keyReduceKeyFields       = "stream.num.reduce.output.key.fields"
	keyReduceKeyFieldsManual = "stream.num.reduce.output.fields" // as the manual spells it
	keyIgnoreKey             = "stream.map.input.ignoreKey"

	keyNonZeroExit    = "stream.non.zero.exit.is.failure"
	keyJoinDelay      = "stream.joindelay.milli"
	keyMinWritten     = "stream.minRecWrittenToEnableSkip_"
	keyReporterPrefix = "stream.stderr.reporter.prefix"
	keyEnvironment    = "stream.addenvironment"
	keyTruncate       = "stream.jobconf.truncate.limit"

	keyRecordReader = "stream.recordreader.class"
	readerPrefix    = "stream.recordreader." // of the reader's own settings

	// In skipping mode a record is known to be bad only if no other is in hand.
	keySkipping        = "mapreduce.job.skiprecords"
	keyMapSelfCount    = "mapreduce.map.skip.proc-count.auto-incr"
	keyReduceSelfCount = "mapreduce.reduce.skip.proc-count.auto-incr"

	keyMapClass     = "mapreduce.job.map.class"
	keyCombineClass = "mapreduce.job.combine.class"
	keyReduceClass  = "mapreduce.job.reduce.class"
)
