// Package multioutput writes records to files in addition to the job's own output, like Hadoop's
// MultipleOutputs. A named output writes to NAME-r-00000. A record can instead have its own base
// path, which can contain directories. The output then writes the record to BASE-r-00000. The job
// commit publishes the files of the successful attempts together with the job's output.
//
//	func (r *reducer) Setup(c *mapreduce.Context) (err error) {
//		r.outs = multioutput.New(c)
//		r.errors, err = multioutput.Named[string, int64](r.outs, "errors", mapreduce.TextOutput{})
//		return err
//	}
//	… r.errors.Emit(key, n), r.errors.EmitTo("errors/"+day, key, n)
//	func (r *reducer) Cleanup(…) error { return r.outs.Close() }
//
// If a job writes all records to other files, use mapreduce.LazyOutput or NullOutput for its own
// output.
package multioutput

import (
	"errors"
	"fmt"
	"strings"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
)

// Hadoop's configuration keys and counter group.
const (
	// KeyNames lists the outputs for Configured. The keys KeyNamed+NAME+".format", ".key", and
	// ".value" contain the Java classes of an output's format, keys, and values.
	KeyNames = "mapreduce.multipleoutputs"
	KeyNamed = KeyNames + ".namedOutput."

	CounterGroup = "org.apache.hadoop.mapreduce.lib.output.MultipleOutputs"
)

// MaxFiles is the maximum number of files that an attempt can have open.
const MaxFiles = 10_000

// Outputs manages the additional files of an attempt. It is not safe for concurrent use.
type Outputs struct {
	c     *mapreduce.Context
	count bool
	files map[string]*file
	named map[string]bool
	err   error
}

type file struct {
	of *Output
	w  mapreduce.RecordWriter
	n  *mapreduce.Counter // nil = do not count records
}

// New returns the Outputs of the attempt to which c belongs. Call it in the Setup of a mapper or
// reducer, and call Close in Cleanup.
func New(c *mapreduce.Context) *Outputs {
	count, err := conf.MultipleOutputsCounters.Get(c.Conf)
	return &Outputs{c: c, count: count, err: err, files: map[string]*file{}, named: map[string]bool{}}
}

// Output is a named output with its format and record types.
type Output struct {
	all        *Outputs
	name       string
	format     mapreduce.OutputFormat
	key, value mapreduce.Type
}

// Output declares an output for serialized records of the given types. A nil format means the
// format that conf.JobOutputFormatClass selects, which is text by default. A name consists of
// letters and digits. The name "part" is reserved for the job's own output.
func (o *Outputs) Output(name string, format mapreduce.OutputFormat, key, value mapreduce.Type) (*Output, error) {
	if o.err != nil {
		return nil, o.err
	}
	if err := o.checkName(name); err != nil {
		return nil, failure.New(failure.Config, "create named output", name, err)
	}
	if format == nil {
		var err error
		if format, err = mapreduce.OutputByClass(o.c.Conf, conf.JobOutputFormatClass.Name,
			conf.JobOutputFormatClass.Get(o.c.Conf)); err != nil {
			return nil, err
		}
	}
	o.named[name] = true
	return &Output{all: o, name: name, format: format, key: key, value: value}, nil
}

// Configured declares the output called name, which must be listed in KeyNames.
func (o *Outputs) Configured(name string) (*Output, error) {
	c := o.c.Conf
	for _, n := range strings.Fields(conf.MultipleOutputs.Get(c)) {
		if n != name {
			continue
		}
		key := KeyNamed + name
		format, err := mapreduce.OutputByClass(c, key+".format", c.Get(key+".format"))
		if err != nil {
			return nil, err
		}
		k, v := c.Get(key+".key"), c.Get(key+".value")
		if k == "" || v == "" {
			return nil, c.Refuse(key+".key", errors.New("the key and value classes are not set"))
		}
		return o.Output(name, format, mapreduce.TypeOf(k), mapreduce.TypeOf(v))
	}
	return nil, failure.New(failure.Config, "make named output", name, fmt.Errorf("%s does not list it", KeyNames))
}

// Configure adds a named output to c, like Hadoop's addNamedOutput. Tasks then declare the output
// with Configured.
func Configure(c *conf.Config, name, formatClass, keyClass, valueClass string) {
	set := func(key, value string) { c.Set(key, value, "programmatically") }
	set(KeyNames, strings.TrimSpace(conf.MultipleOutputs.Get(c)+" "+name))
	set(KeyNamed+name+".format", formatClass)
	set(KeyNamed+name+".key", keyClass)
	set(KeyNamed+name+".value", valueClass)
}

func (o *Outputs) checkName(name string) error {
	for _, r := range name {
		if (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') {
			return fmt.Errorf("Name cannot have a %q char", r)
		}
	}
	switch {
	case name == "":
		return errors.New("Name cannot be NULL or empty")
	case o.named[name]:
		return fmt.Errorf("Named output %q already defined", name)
	}
	return checkBase(name)
}

func checkBase(base string) error {
	if base == "part" || base == "" {
		return fmt.Errorf("output name cannot be %q", base)
	}
	return nil
}

// Write writes a record to NAME-r-00000.
func (o *Output) Write(key, value []byte) error { return o.WriteTo(o.name, key, value) }

// WriteTo writes a record to the file whose name is base with a suffix such as -r-00000. base must
// be a clean path inside the output directory. Only the output that used base first may use it
// again.
func (o *Output) WriteTo(base string, key, value []byte) error {
	f := o.all.files[base]
	if f == nil {
		var err error
		if f, err = o.open(base); err != nil {
			return err
		}
	}
	if f.of != o {
		return failure.New(failure.User, "write output", base, fmt.Errorf("the file belongs to output %s, "+
			"not %s",
			f.of.name, o.name))
	}
	f.n.Add(1)
	return f.w.Write(key, value)
}

func (o *Output) open(base string) (*file, error) {
	all := o.all
	switch err := checkBase(base); {
	case all.err != nil:
		return nil, all.err
	case err != nil:
		return nil, failure.New(failure.User, "write output", base, err)
	case len(all.files) >= MaxFiles:
		return nil, failure.New(failure.Limit, "write output", base, fmt.Errorf("the attempt already has %d "+
			"open files",
			MaxFiles)).
			Fix("use more reducers or fewer base paths")
	}
	f := &file{of: o}
	var err error
	if all.count {
		if f.n, err = all.c.Counter(CounterGroup, base); err != nil {
			return nil, err
		}
	}
	if f.w, err = o.format.Open(all.c.WithOutputName(base), o.key, o.value); err != nil {
		return nil, err
	}
	all.files[base] = f
	return f, nil
}

// Close completes all files and returns the first error of Close, Emit, or EmitTo. If the attempt
// does not call Close, the attempt fails and its files are not published. Later calls return the
// same error.
func (o *Outputs) Close() error {
	for _, f := range o.files {
		if err := f.w.Close(); err != nil && o.err == nil {
			o.err = err
		}
	}
	o.files = map[string]*file{}
	return o.err
}
