package streaming

import "io"

// WriteUsage writes a description of the options. If detailed is set, it adds tips.
func WriteUsage(w io.Writer, detailed bool) error {
	text := usageText
	if detailed {
		text += hints
	} else {
		text += "\nFor more details about these options:\nUse howdah streaming -info\n"
	}
	_, err := io.WriteString(w, text)
	return err
}

const usageText = `Usage: howdah streaming [generic options] [options]
Options:
  -input          <path> Input file(s) for the map step; may be repeated, globs are expanded.
  -output         <path> Output directory of the reduce step.
  -mapper         <cmd|class> Optional. Command to be run as mapper.
  -combiner       <cmd|class> Optional. Command to be run as combiner.
  -reducer        <cmd|class|NONE|aggregate> Optional. Command to be run as reducer.
  -file           <file> Optional. File to be shipped to the tasks.
                  Deprecated. Use generic option "-files" instead.
  -inputformat    <TextInputFormat(default)|SequenceFileAsTextInputFormat|class>
                  Optional. The input format.
  -outputformat   <TextOutputFormat(default)|class>
                  Optional. The output format.
  -partitioner    <class> Optional. The partitioner.
  -numReduceTasks <num> Optional. Number of reduce tasks.
  -inputreader    <spec> Optional. StreamXmlRecordReader,begin=MARK,end=MARK
  -cmdenv         <n>=<v> Optional. Pass a variable to the commands; may be repeated.
  -mapdebug       <cmd> Optional. Run this command when a map task fails.
  -reducedebug    <cmd> Optional. Run this command when a reduce task fails.
  -io             <text|rawbytes|typedbytes|keyonlytext> Optional. Format of records to and
                  from the commands.
  -lazyOutput     Optional. Create an output file only when its first record is written.
  -background     Optional. Submit the job and don't wait till it completes.
  -verbose        Optional. Print the job's configuration.
  -debug          Optional. Keep the files of failed tasks.
  -info           Optional. Print detailed usage.
  -help           Optional. Print help message.
  deprecated:     -jobconf <n>=<v> (-D), -dfs (-fs), -additionalconfspec (-conf), -cacheFile
                  (-files), -cacheArchive (-archives)

Generic options go before these options:
  -conf <file>           additional configuration file
  -D <key>=<value>       value of a configuration key
  -fs <URI|host:port|local>   default file system
  -jt <local|host:port>  JobTracker; local runs the job in this process
  -files <file,...>      files that tasks find in their working directory
  -archives <file,...>   archives that are unpacked in the working directory

howdah streaming loadtb <path>          write the typed bytes on standard input to a SequenceFile
howdah streaming dumptb <glob-pattern>  write the records of files as typed bytes to standard output
`

const hints = `
Usage tips:
In -input: globbing on <path> is supported and can have multiple -input

A mapper reads lines. Each output line is split at the first TAB into key and value.
  -D stream.map.output.field.separator=. -D stream.num.map.output.key.fields=4
splits it at the fourth dot instead.
A reducer reads KEY TAB VALUE lines, sorted by key, and must find the groups itself.

Commands are split at spaces. Single or double quotes preserve spaces. No shell runs the commands.
A program is searched for in the working directory, which contains the -files, and then on PATH.
The environment contains the configuration, with _ for special characters: mapreduce_map_input_file,
map_input_file, mapreduce_task_id, mapred_tip_id...
Lines on standard error keep the task alive. These lines change a counter or the status:
  reporter:counter:GROUP,COUNTER,AMOUNT
  reporter:status:MESSAGE

To set the number of reduce tasks:        -numReduceTasks 10
To skip sort, shuffle and reduce:         -numReduceTasks 0, or -reducer NONE
To name the job:                          -D mapreduce.job.name='My Job'
To accept any exit code:                  -D stream.non.zero.exit.is.failure=false
To truncate long settings in the environment:  -D stream.jobconf.truncate.limit=1000
To set a variable:                        -cmdenv EXAMPLE_DIR=/home/example/dictionaries/

Example: howdah streaming -files filter.pl -input "/logs/0604*/*" -output out \
           -mapper "/usr/bin/perl filter.pl"
`
