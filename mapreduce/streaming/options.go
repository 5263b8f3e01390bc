package streaming

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/howdah/howdah/job/failure"
)

// Options contains Streaming's arguments, without generic options. Lists are in the order of the
// command line. As in Hadoop, if a single-valued option is repeated, its first value counts.
type Options struct {
	Input                       []string
	Output                      string
	Mapper, Combiner, Reducer   string
	File                        []string // deprecated: -files
	InputFormat, OutputFormat   string
	Partitioner, NumReduceTasks string
	InputReader                 string
	CmdEnv                      []string // NAME=value
	MapDebug, ReduceDebug       string   // commands that inspect a failed task
	IO                          string   // one of text, rawbytes, typedbytes, keyonlytext
	JobConf                     []string // deprecated: -D
	DFS                         string   // deprecated: -fs
	AdditionalConfSpec          string   // deprecated: -conf
	CacheFile, CacheArchive     []string // deprecated: -files, -archives

	LazyOutput, Background, Verbose, Debug bool
	Info, Help                             bool
}

// option is one of Hadoop's options. It takes no value, one value, or all values up to the next
// option.
type option struct {
	name    string
	flag    *bool
	one     *string
	many    *[]string
	oneEach bool // repeatable, with a single value each time
}

func (o *Options) table() []option {
	return []option{
		{name: "input", many: &o.Input}, {name: "output", one: &o.Output},
		{name: "mapper", one: &o.Mapper}, {name: "combiner", one: &o.Combiner}, {name: "reducer", one: &o.Reducer},
		{name: "file", many: &o.File}, {name: "dfs", one: &o.DFS}, {name: "additionalconfspec", one: &o.AdditionalConfSpec},
		{name: "inputformat", one: &o.InputFormat}, {name: "outputformat", one: &o.OutputFormat},
		{name: "partitioner", one: &o.Partitioner}, {name: "numReduceTasks", one: &o.NumReduceTasks},
		{name: "inputreader", one: &o.InputReader}, {name: "mapdebug", one: &o.MapDebug},
		{name: "reducedebug", one: &o.ReduceDebug},
		{name: "jobconf", many: &o.JobConf, oneEach: true}, {name: "cmdenv", many: &o.CmdEnv, oneEach: true},
		{name: "cacheFile", many: &o.CacheFile}, {name: "cacheArchive", many: &o.CacheArchive}, {name: "io", one: &o.IO},
		{name: "background", flag: &o.Background}, {name: "verbose", flag: &o.Verbose}, {name: "info", flag: &o.Info},
		{name: "debug", flag: &o.Debug}, {name: "help", flag: &o.Help}, {name: "lazyOutput", flag: &o.LazyOutput},
	}
}

// Parse parses Hadoop's options, which start with one or two dashes. It returns an error of kind
// Usage for invalid options.
func Parse(args []string) (*Options, error) {
	o := &Options{}
	table := o.table()
	find := func(arg string) *option {
		name := strings.TrimPrefix(strings.TrimPrefix(arg, "-"), "-")
		if i := slices.IndexFunc(table, func(x option) bool { return x.name == name }); i >= 0 && name != arg {
			return &table[i]
		}
		return nil
	}
	for len(args) > 0 {
		x := find(args[0])
		if x == nil {
			return nil, unexpected(args[0])
		}
		if x.flag != nil {
			*x.flag, args = true, args[1:]
			continue
		}
		n := 1
		for n < len(args) && find(args[n]) == nil && (n == 1 || x.many != nil && !x.oneEach) {
			n++
		}
		if n == 1 {
			return nil, usage("Missing argument for option: " + x.name)
		}
		x.take(args[1:n])
		args = args[n:]
	}
	if o.Info || o.Help {
		return o, nil
	}
	return o, o.check()
}

func (x *option) take(values []string) {
	switch {
	case x.many != nil:
		*x.many = append(*x.many, values...)
	case *x.one == "":
		*x.one = values[0]
	}
}

func (o *Options) check() error {
	switch {
	case len(o.Input) == 0:
		return usage("Required argument: -input <name>")
	case o.Output == "":
		return usage("Required argument: -output ")
	}
	for _, s := range o.JobConf {
		if !strings.Contains(s, "=") {
			return usage("-jobconf " + s + ": want name=value")
		}
	}
	for _, s := range append(slices.Clone(o.CacheFile), o.CacheArchive...) {
		if !strings.Contains(s, "#") {
			return usage("You need to specify the uris as scheme://path#linkname,Please specify a different link name for all " +
				"of your caching URIs")
		}
	}
	return nil
}

// usage returns an error of kind Usage with Hadoop's message.
func usage(why string) error {
	return failure.New(failure.Usage, "", "", errors.New(why)).Fix("Try -help for more information")
}

func unexpected(arg string) error {
	if strings.HasPrefix(arg, "-") {
		return usage("Unrecognized option: " + arg)
	}
	return usage(fmt.Sprintf("Found 1 unexpected arguments on the command line [%s]", arg))
}
