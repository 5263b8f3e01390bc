// Package multioutput writes records into files beside the job's own output, as Hadoop's MultipleOutputs: by name, which makes
// NAME-r-00000, or by a base path chosen for each record, which makes BASE-r-00000 and may have directories in front. The files
// are published with the job's output, exactly once, whatever attempts there were.
//
//	func (r *reducer) Setup(c *mapreduce.Context) (err error) {
//		r.outs = multioutput.New(c)
//		r.errors, err = multioutput.Named[string, int64](r.outs, "errors", mapreduce.TextOutput{})
//		return err
//	}
//	… r.errors.Emit(key, n), r.errors.EmitTo("errors/"+day, key, n)
//	func (r *reducer) Cleanup(…) error { return r.outs.Close() }
//
// A job all of whose records go elsewhere uses mapreduce.LazyOutput or NullOutput for its own.
package multioutput

import (
	"errors"
	"fmt"
	"strings"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
)

// Hadoop's keys and the group of its counters.
const (
	// KeyNames lists outputs that Configured finds; KeyNamed+NAME+".format", ".key" and ".value" are their Java classes.
	KeyNames    = "mapreduce.multipleoutputs"
	KeyNamed    = KeyNames + ".namedOutput."
	KeyCounters = "mapreduce.multipleoutputs.counters" // false: whether records are counted by base path

	CounterGroup = "org.apache.hadoop.mapreduce.lib.output.MultipleOutputs"
)

// MaxFiles bounds the files that one attempt may have open.
const MaxFiles = 10_000

// Outputs are all extra files of an attempt. One goroutine uses it.
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
	n  *mapreduce.Counter // nil: records are not counted
}

// New makes the outputs of an attempt, in the mapper's or reducer's Setup. Close them in its Cleanup.
func New(c *mapreduce.Context) *Outputs {
	count, err := c.Conf.Bool(KeyCounters, false)
	return &Outputs{c: c, count: count, err: err, files: map[string]*file{}, named: map[string]bool{}}
}

// Output is one named output: a format and the types of its records.
type Output struct {
	all        *Outputs
	name       string
	format     mapreduce.OutputFormat
	key, value mapreduce.Type
}

// Output declares an output for serialised records of the given types. A nil format is what KeyOutputClass names, text by
// default. Names are letters and digits; "part" is the job's own.
func (o *Outputs) Output(name string, format mapreduce.OutputFormat, key, value mapreduce.Type) (*Output, error) {
	if o.err != nil {
		return nil, o.err
	}
	if err := o.checkName(name); err != nil {
		return nil, failure.New(failure.Config, "make named output", name, err)
	}
	if format == nil {
		var err error
		if format, err = mapreduce.OutputByClass(o.c.Conf, mapreduce.KeyOutputClass, o.c.Conf.Get(mapreduce.KeyOutputClass)); err != nil {
			return nil, err
		}
	}
	o.named[name] = true
	return &Output{all: o, name: name, format: format, key: key, value: value}, nil
}

// Configured declares an output that KeyNames lists.
func (o *Outputs) Configured(name string) (*Output, error) {
	c := o.c.Conf
	for _, n := range strings.Fields(c.Get(KeyNames)) {
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
			return nil, c.Refuse(key+".key", errors.New("the classes of keys and values are not set"))
		}
		return o.Output(name, format, mapreduce.TypeOf(k), mapreduce.TypeOf(v))
	}
	return nil, failure.New(failure.Config, "make named output", name, fmt.Errorf("%s does not list it", KeyNames))
}

// Configure lists a named output for Configured, as Hadoop's addNamedOutput does when a job is submitted.
func Configure(c *conf.Config, name, formatClass, keyClass, valueClass string) {
	set := func(key, value string) { c.Set(key, value, "programmatically") }
	set(KeyNames, strings.TrimSpace(c.Get(KeyNames)+" "+name))
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

// Write writes one record to NAME-r-00000.
func (o *Output) Write(key, value []byte) error { return o.WriteTo(o.name, key, value) }

// WriteTo writes one record to BASE-r-00000. base must be a clean path inside the output directory. A base belongs to the
// output that used it first.
func (o *Output) WriteTo(base string, key, value []byte) error {
	f := o.all.files[base]
	if f == nil {
		var err error
		if f, err = o.open(base); err != nil {
			return err
		}
	}
	if f.of != o {
		return failure.New(failure.User, "write output", base, fmt.Errorf("it is a file of output %s, not of %s", f.of.name, o.name))
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
		return nil, failure.New(failure.Limit, "write output", base, fmt.Errorf("the attempt has %d files open already", MaxFiles)).
			Fix("use more reducers, or base paths of which there are fewer")
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

// Close completes all files and gives the first error of any of them; without it nothing is published, and the attempt fails. A
// second call does nothing.
func (o *Outputs) Close() error {
	for _, f := range o.files {
		if err := f.w.Close(); err != nil && o.err == nil {
			o.err = err
		}
	}
	o.files = map[string]*file{}
	return o.err
}
