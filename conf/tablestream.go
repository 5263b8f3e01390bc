package conf

// Keys for Hadoop Streaming and a few others.
var (
	NumKeyFieldsForPartition = Int{"num.key.fields.for.partition", "", "0 to 2147483647", "",
		"Number of leading key fields by which KeyFieldBasedPartitioner chooses the reducer. This key replaces " +
			"mapreduce.partition.keypartitioner.options."}
	StreamAddEnvironment = Text{"stream.addenvironment", "", "NAME=value pairs, separated by spaces", "",
		"Streaming: environment variables for the commands (-cmdenv)."}
	StreamCombineStreamProcessor = Text{"stream.combine.streamprocessor", "", "command, URL-encoded", "",
		"Streaming: combiner command (-combiner)."}
	StreamJobConfTruncateLimit = Int{"stream.jobconf.truncate.limit", "-1", "bytes, -1 to 2^30; -1 = no limit", "",
		"Streaming: length to which howdah truncates settings in the commands' environment."}
	StreamJoinDelayMilli = Duration{"stream.joindelay.milli", "0", "ms, 0 to 1d; 0 = until the output ends", "",
		"Streaming: how long a task waits for output from a command's descendants after the command has ended."}
	StreamMapInput = Text{"stream.map.input", "text", "text, rawbytes, typedbytes, keyonlytext", "",
		"Streaming: encoding of the records that the mapper reads (-io)."}
	StreamMapInputFieldSeparator = Text{"stream.map.input.field.separator", "\t", "text", "",
		"Streaming: separator between key and value in the mapper's input."}
	StreamMapInputIgnoreKey = Bool{"stream.map.input.ignoreKey", "",
		"true, false; default true for TextInputFormat, else false",
		"",
		"Streaming: whether a mapper whose input is `text` reads only values."}
	StreamMapOutput = Text{"stream.map.output", "text", "text, rawbytes, typedbytes, keyonlytext", "",
		"Streaming: encoding of the records that the mapper writes (-io)."}
	StreamMapOutputFieldSeparator = Text{"stream.map.output.field.separator", "\t", "text", "",
		"Streaming: separator between the key fields and the value in the mapper's output."}
	StreamMapStreamProcessor = Text{"stream.map.streamprocessor", "", "command, URL-encoded", "",
		"Streaming: mapper command (-mapper)."}
	StreamMinRecWrittenToEnableSkip = Int{"stream.minRecWrittenToEnableSkip_", "9223372036854775807",
		"records, 0 to 2^63-1", "",
		"Streaming: minimum number of records that a command must have written to be allowed to exit successfully " +
			"without reading all of its input. If it has written fewer, the task fails. Input in the last buffer that " +
			"howdah writes to the command may remain unread."}
	StreamNonZeroExitIsFailure = Bool{"stream.non.zero.exit.is.failure", "true", "true, false", "",
		"Streaming: whether a nonzero exit code fails the task."}
	StreamNumMapOutputKeyFields = Int{"stream.num.map.output.key.fields", "1", "0 to 2^31-1", "",
		"Streaming: number of key fields in the mapper's output."}
	StreamNumReduceOutputFields = Int{"stream.num.reduce.output.fields", "1", "0 to 2^31-1", "",
		"Streaming: name that Hadoop's manual uses for stream.num.reduce.output.key.fields, which takes precedence."}
	StreamNumReduceOutputKeyFields = Int{"stream.num.reduce.output.key.fields", "", "0 to 2^31-1; default 1", "",
		"Streaming: number of key fields in the reducer's output."}
	StreamRecordReaderBegin = Text{"stream.recordreader.begin", "", "text", "",
		"Streaming: mark that begins a StreamXmlRecordReader record."}
	StreamRecordReaderClass = Text{"stream.recordreader.class", "", "StreamXmlRecordReader, LineRecordReader", "",
		"Streaming: record reader of the input (-inputreader)."}
	StreamRecordReaderEnd = Text{"stream.recordreader.end", "", "text", "",
		"Streaming: mark that ends a StreamXmlRecordReader record."}
	StreamRecordReaderLookAhead = Int{"stream.recordreader.lookahead", "",
		"bytes, 1 to 1073741823; default twice stream.recordreader.maxrec", "",
		"Streaming: number of bytes in which StreamXmlRecordReader searches for a mark if " +
			"stream.recordreader.slowmatch is true."}
	StreamRecordReaderMaxRec = Int{"stream.recordreader.maxrec", "50000", "bytes, 1 to 536870911", "",
		"Streaming: minimum value of stream.recordreader.lookahead. howdah raises a smaller value to this number."}
	StreamRecordReaderSlowMatch = Bool{"stream.recordreader.slowmatch", "false", "true, false", "",
		"Streaming: whether the marks are regular expressions, which do not match inside CDATA."}
	StreamReduceInput = Text{"stream.reduce.input", "text", "text, rawbytes, typedbytes, keyonlytext", "",
		"Streaming: encoding of the records that the reducer and the combiner read (-io)."}
	StreamReduceInputFieldSeparator = Text{"stream.reduce.input.field.separator", "\t", "text", "",
		"Streaming: separator between key and value in the reducer's input."}
	StreamReduceOutput = Text{"stream.reduce.output", "text", "text, rawbytes, typedbytes, keyonlytext", "",
		"Streaming: encoding of the records that the reducer and the combiner write (-io)."}
	StreamReduceOutputFieldSeparator = Text{"stream.reduce.output.field.separator", "\t", "text", "",
		"Streaming: separator between the key fields and the value in the reducer's output."}
	StreamReduceStreamProcessor = Text{"stream.reduce.streamprocessor", "", "command, URL-encoded", "",
		"Streaming: reducer command (-reducer)."}
	StreamStderrReporterPrefix = Text{"stream.stderr.reporter.prefix", "reporter:", "text", "",
		"Streaming: prefix of standard-error lines that update counters or the status."}
	YARNAppMapreduceAMStagingDir = Text{"yarn.app.mapreduce.am.staging-dir", "/tmp/hadoop-yarn/staging", "directory", "",
		"Directory for the files of jobs on YARN, with a subdirectory per user."}
)

var streamKeys = []declared{
	&NumKeyFieldsForPartition, &StreamAddEnvironment, &StreamCombineStreamProcessor, &StreamJobConfTruncateLimit,
	&StreamJoinDelayMilli, &StreamMapInput, &StreamMapInputFieldSeparator, &StreamMapInputIgnoreKey, &StreamMapOutput,
	&StreamMapOutputFieldSeparator, &StreamMapStreamProcessor, &StreamMinRecWrittenToEnableSkip,
	&StreamNonZeroExitIsFailure, &StreamNumMapOutputKeyFields, &StreamNumReduceOutputFields,
	&StreamNumReduceOutputKeyFields, &StreamRecordReaderBegin, &StreamRecordReaderClass,
	&StreamRecordReaderEnd, &StreamRecordReaderLookAhead, &StreamRecordReaderMaxRec, &StreamRecordReaderSlowMatch,
	&StreamReduceInput, &StreamReduceInputFieldSeparator,
	&StreamReduceOutput, &StreamReduceOutputFieldSeparator, &StreamReduceStreamProcessor, &StreamStderrReporterPrefix,
	&YARNAppMapreduceAMStagingDir,
}
