package streaming

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
)

// Configure sets Hadoop's keys in c according to the options. It writes a warning to warnings for
// each deprecated option. For invalid option values, it returns an error of kind Usage.
func (o *Options) Configure(c *conf.Config, warnings io.Writer) error {
	set := func(key, value string) { c.Set(key, value, "streaming") }
	o.warn(warnings)
	if o.AdditionalConfSpec != "" {
		if err := c.LoadFile(o.AdditionalConfSpec); err != nil {
			return err
		}
	}
	for _, s := range o.JobConf {
		name, value, _ := strings.Cut(s, "=")
		set(name, value)
	}
	if o.DFS != "" {
		set(conf.FSDefaultFS.Name, o.DFS)
	}
	for _, in := range o.Input {
		mapreduce.AddInputPaths(c, in)
	}
	mapreduce.SetOutputPath(c, o.Output)
	// Output files of the old API have names like part-00000.
	set(conf.MapperNewAPI.Name, "false")
	set(conf.ReducerNewAPI.Name, "false")
	// Only the command can report which input records it has processed.
	set(conf.MapSkipProcCountAutoIncr.Name, "false")
	set(conf.ReduceSkipProcCountAutoIncr.Name, "false")
	set(conf.StreamAddEnvironment.Name, strings.Join(append([]string{"HADOOP_ROOT_LOGGER="}, o.CmdEnv...), " "))
	if o.IO != "" {
		for _, key := range []string{conf.StreamMapInput.Name, conf.StreamMapOutput.Name, conf.StreamReduceInput.Name,
			conf.StreamReduceOutput.Name} {
			set(key, o.IO)
		}
	}
	if err := o.ship(c); err != nil {
		return err
	}
	if err := o.configureReducers(c); err != nil {
		return err
	}
	if err := o.configureCommands(c); err != nil {
		return err
	}
	return o.configureClasses(c)
}

func (o *Options) warn(w io.Writer) {
	for _, d := range []struct {
		name, instead string
		used          bool
	}{
		{"file", "generic option -files", len(o.File) > 0}, {"dfs", "-fs", o.DFS != ""},
		{"additionalconfspec", "-conf", o.AdditionalConfSpec != ""},
		{"cacheArchive", "-archives", len(o.CacheArchive) > 0}, {"cacheFile", "-files", len(o.CacheFile) > 0},
		{"jobconf", "-D", len(o.JobConf) > 0},
	} {
		if d.used {
			fmt.Fprintf(w, "warning: -%s option is deprecated, please use %s instead.\n", d.name, d.instead)
		}
	}
}

// ship adds files to the distributed cache. Files given with -file must exist and be readable.
func (o *Options) ship(c *conf.Config) error {
	add := func(key string, values []string) {
		if len(values) > 0 {
			if old := c.Get(key); old != "" {
				values = append([]string{old}, values...)
			}
			c.Set(key, strings.Join(values, ","), "streaming")
		}
	}
	var files []string
	for _, name := range o.File {
		path, err := filepath.Abs(name)
		if err != nil {
			return failure.New(failure.IO, "find", name, err)
		}
		f, err := os.Open(path)
		if err != nil {
			return failure.New(failure.Usage, "", "", fmt.Errorf("File: %s does not exist, or is not readable.",
				path)).Fix("Try -help for more information")
		}
		f.Close()
		files = append(files, "file://"+path)
	}
	add("tmpfiles", files)
	add(conf.JobCacheFiles.Name, o.CacheFile)
	add(conf.JobCacheArchives.Name, o.CacheArchive)
	return nil
}

// none is the value of -reducer that makes a job map-only.
const none = "NONE"

func (o *Options) configureReducers(c *conf.Config) error {
	switch {
	case o.Reducer == none:
		c.Set(conf.JobReduces.Name, "0", "streaming")
	case o.NumReduceTasks != "":
		n, err := strconv.Atoi(o.NumReduceTasks)
		if err != nil || n < 0 {
			return usage(fmt.Sprintf("-numReduceTasks %s: want 0 or more reducers", o.NumReduceTasks))
		}
		c.Set(conf.JobReduces.Name, o.NumReduceTasks, "streaming")
	}
	return nil
}

// configureCommands sets the commands or classes of the mapper, combiner, and reducer. For a
// map-only job, it sets only the mapper.
func (o *Options) configureCommands(c *conf.Config) error {
	n, err := mapreduce.Reduces(c)
	if err != nil {
		return err
	}
	name := func(word, command, class string, classes []string) {
		switch {
		case word == "":
		case isClass(word, classes):
			c.Set(class, word, "streaming")
		default:
			c.Set(command, url.QueryEscape(o.unshipped(word)), "streaming")
		}
	}
	name(o.Mapper, conf.StreamMapStreamProcessor.Name, conf.JobMapClass.Name, mapperNames)
	if n == 0 {
		return nil
	}
	if strings.EqualFold(o.Reducer, "aggregate") { // aggregate has its own combiner, which overrides -combiner
		c.Set(conf.JobReduceClass.Name, aggregateReducer, "streaming")
		c.Set(conf.JobCombineClass.Name, aggregateCombiner, "streaming")
		return nil
	}
	name(o.Combiner, conf.StreamCombineStreamProcessor.Name, conf.JobCombineClass.Name, reducerNames)
	name(o.Reducer, conf.StreamReduceStreamProcessor.Name, conf.JobReduceClass.Name, reducerNames)
	return nil
}

// unshipped returns command unchanged unless -file ships its program. In that case, it reduces the
// program's path to the simple name, by which tasks find the program.
func (o *Options) unshipped(command string) string {
	prog, args, more := strings.Cut(command, " ")
	path, err := filepath.Abs(prog)
	if err != nil || !slices.ContainsFunc(o.File, func(f string) bool {
		a, err := filepath.Abs(f)
		return err == nil &&
			a == path
	}) {
		return command
	}
	if more {
		return filepath.Base(prog) + " " + args
	}
	return filepath.Base(prog)
}

func (o *Options) configureClasses(c *conf.Config) error {
	switch {
	// For StreamInputFormat, -inputreader selects the format. The default is key/value lines of
	// text.
	case simpleName(o.InputFormat) == "StreamInputFormat":
		c.Set(conf.JobInputFormatClass.Name, "org.apache.hadoop.mapred.KeyValueTextInputFormat", "streaming")
	case o.InputFormat != "":
		c.Set(conf.JobInputFormatClass.Name, o.InputFormat, "streaming")
	}
	if o.InputReader != "" && !pinsReader(o.InputFormat) {
		if err := o.configureReader(c); err != nil {
			return err
		}
	}
	if o.OutputFormat != "" {
		c.Set(conf.JobOutputFormatClass.Name, o.OutputFormat, "streaming")
	}
	if o.LazyOutput {
		c.Set(conf.OutputLazyOutputFormatOutputFormat.Name,
			cmp.Or(conf.JobOutputFormatClass.Get(c), "org.apache.hadoop.mapred.TextOutputFormat"), "streaming")
		c.Set(conf.JobOutputFormatClass.Name, "org.apache.hadoop.mapred.lib.LazyOutputFormat", "streaming")
	}
	if o.Debug {
		c.Set(conf.TaskFilesPreserveFailedTasks.Name, "true", "streaming")
	}
	for key, class := range map[string]string{
		conf.JobPartitionerClass.Name: o.Partitioner, conf.MapDebugScript.Name: o.MapDebug,
		conf.ReduceDebugScript.Name: o.ReduceDebug,
	} {
		if class != "" {
			c.Set(key, class, "streaming")
		}
	}
	return o.checkClasses(c)
}

// checkClasses returns an error with Hadoop's message if a class is unknown.
func (o *Options) checkClasses(c *conf.Config) error {
	for _, x := range []struct {
		option, class string
		find          func() error
	}{
		{"-inputformat ", o.InputFormat, func() error {
			_, err := mapreduce.InputByClass(c, conf.JobInputFormatClass.Name, conf.JobInputFormatClass.Get(c))
			return err
		}},
		{"-outputformat ", o.OutputFormat, func() error {
			_, err := mapreduce.OutputByClass(c, conf.JobOutputFormatClass.Name, o.OutputFormat)
			return err
		}},
		{"-partitioner ", o.Partitioner, func() error {
			_, err := mapreduce.PartitionerByClass(c, conf.JobPartitionerClass.Name, o.Partitioner)
			return err
		}},
	} {
		if x.class == "" {
			continue
		}
		if err := x.find(); err != nil {
			return failure.New(failure.Usage, "", "", fmt.Errorf("%s: class not found : %s", x.option, x.class)).Fix(remedy(err))
		}
	}
	return nil
}

func remedy(err error) string {
	var e *failure.Error
	if errors.As(err, &e) && e.Remedy != "" {
		return e.Remedy
	}
	return "Try -help for more information"
}

// pinsReader reports whether an input format always uses its own reader and therefore ignores
// -inputreader.
func pinsReader(format string) bool {
	switch simpleName(format) {
	case "TextInputFormat", "SequenceFileAsTextInputFormat":
		return true
	}
	return false
}

// configureReader parses the value of -inputreader, CLASS,name=value,name=value, and stores it in
// c.
func (o *Options) configureReader(c *conf.Config) error {
	words := strings.Split(o.InputReader, ",")
	c.Set(conf.StreamRecordReaderClass.Name, words[0], "streaming")
	for _, w := range words[1:] {
		name, value, _ := strings.Cut(w, "=")
		if name == "" {
			return failure.New(failure.Usage, "read option", "-inputreader "+o.InputReader,
				errors.New("write CLASS,name=value,name=value"))
		}
		c.Set("stream.recordreader."+name, value, "streaming")
	}
	return nil
}
