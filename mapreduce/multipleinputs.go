package mapreduce

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
)

// Source is one of the inputs of a MultipleInputs, with its format and mapper.
type Source struct {
	Name   string      // name for Add, without commas or semicolons
	Format InputFormat // nil = the format that conf.JobInputFormatClass selects, by default text lines
	Mapper MapperClass // the zero value is the identity
}

// MultipleInputs is the input of a job that reads each path with its own format and mapper, like
// Hadoop's MultipleInputs:
//
//	in := mapreduce.MultipleInputs{{Name: "users", …}, {Name: "orders", …}}
//	job := &mapreduce.Job{Input: in, Mapper: in.Mapper(), …}
//	in.Add(conf, "users", "/data/users")
//
// Without sources, it is Hadoop's DelegatingInputFormat: conf.InputMultipleInputsDirFormats
// contains the format class of each path, and the job's mapper processes all records.
type MultipleInputs []Source

// Add adds paths, a comma-separated list, to the input of the given source. See AddInputPaths.
func (m MultipleInputs) Add(c *conf.Config, source, paths string) {
	for _, key := range []string{conf.InputMultipleInputsDirFormats.Name, conf.InputMultipleInputsDirMappers.Name} {
		all := splitList(c.Get(key), false)
		for _, p := range splitList(paths, true) {
			all = append(all, escapePath(p)+";"+source)
		}
		c.Set(key, strings.Join(all, ","), "programmatically")
	}
}

// Types returns the key type and the value type of the configured formats. If the formats disagree
// on one of these types, Types returns nil for it, and each mapper defines its own.
func (m MultipleInputs) Types(c *conf.Config) (key, value Type) {
	inputs, err := m.inputs(c)
	if err != nil || len(inputs) == 0 {
		return nil, nil
	}
	for i, in := range inputs {
		k, v := in.format.Types(c)
		if i == 0 {
			key, value = k, v
		}
		if k == nil || key == nil || k.Class() != key.Class() {
			key = nil
		}
		if v == nil || value == nil || v.Class() != value.Class() {
			value = nil
		}
	}
	return key, value
}

// input is a set of paths with the same format and mapper.
type input struct {
	formatName, mapperName string
	format                 InputFormat
	paths                  []string // escaped, as in a configuration
}

// inputs returns the inputs that the configuration defines.
func (m MultipleInputs) inputs(c *conf.Config) ([]input, error) {
	mappers := map[string]string{}
	for _, e := range splitList(conf.InputMultipleInputsDirMappers.Get(c), false) {
		path, name, err := cutEntry(c, conf.InputMultipleInputsDirMappers.Name, e)
		if err != nil {
			return nil, err
		}
		if m.source(name) == nil {
			return nil, c.Refuse(conf.InputMultipleInputsDirMappers.Name, fmt.Errorf("the job has no mapper %q",
				name)).Fix("use one of " + m.names())
		}
		mappers[path] = name
	}
	var out []input
	for _, e := range splitList(conf.InputMultipleInputsDirFormats.Get(c), false) {
		path, name, err := cutEntry(c, conf.InputMultipleInputsDirFormats.Name, e)
		if err != nil {
			return nil, err
		}
		in := input{formatName: name, mapperName: mappers[path]}
		if in.format, err = m.formatOf(c, name); err != nil {
			return nil, err
		}
		same := func(o input) bool { return o.formatName == in.formatName && o.mapperName == in.mapperName }
		i := slices.IndexFunc(out, same)
		if i < 0 {
			i, out = len(out), append(out, in)
		}
		out[i].paths = append(out[i].paths, path)
	}
	return out, nil
}

// cutEntry splits an entry of the form PATH;NAME.
func cutEntry(c *conf.Config, key, entry string) (path, name string, err error) {
	i := strings.LastIndexByte(entry, ';')
	if i <= 0 || i == len(entry)-1 {
		return "", "", c.Refuse(key, fmt.Errorf("want PATH;NAME, got %q", entry))
	}
	return entry[:i], entry[i+1:], nil
}

func (m MultipleInputs) source(name string) *Source {
	for i := range m {
		if m[i].Name == name {
			return &m[i]
		}
	}
	return nil
}

func (m MultipleInputs) names() string {
	var all []string
	for _, s := range m {
		all = append(all, s.Name)
	}
	return strings.Join(all, ", ")
}

// formatOf returns the format of the source called name. Without sources, name is a class name.
func (m MultipleInputs) formatOf(c *conf.Config, name string) (InputFormat, error) {
	s := m.source(name)
	switch {
	case s != nil && s.Format != nil:
		return s.Format, nil
	case s != nil:
		return inputByClass(c)
	case simpleName(name) == delegatingInput:
		return nil, c.Refuse(conf.InputMultipleInputsDirFormats.Name, errors.New(delegatingInput+" cannot wrap itself"))
	}
	return InputByClass(c, conf.InputMultipleInputsDirFormats.Name, name)
}

// delegatingInput is the Java class that corresponds to MultipleInputs without sources.
const delegatingInput = "DelegatingInputFormat"

// Splits splits the paths of each format. It returns an error of kind Usage if no paths are
// configured.
func (m MultipleInputs) Splits(ctx context.Context, env *Env) ([]Split, error) {
	inputs, err := m.inputs(env.Conf)
	if err != nil {
		return nil, err
	}
	if len(inputs) == 0 {
		return nil, failure.New(failure.Usage, "find the input", "",
			errors.New("No input paths specified in job")).Fix("set " + conf.InputMultipleInputsDirFormats.Name)
	}
	var all []Split
	for _, in := range inputs {
		own := *env
		own.Conf = env.Conf.Clone()
		own.Conf.Set(conf.InputFileInputFormatInputDir.Name, strings.Join(in.paths, ","), "multiple inputs")
		splits, err := in.format.Splits(ctx, &own)
		if err != nil {
			return nil, err
		}
		for _, s := range splits {
			s.Extra = appendCounted(appendCounted(appendCounted(nil, in.formatName), in.mapperName), s.Extra)
			all = append(all, s)
		}
	}
	return all, nil
}

// untag returns the original split inside s and the names of the split's format and mapper.
func untag(s *Split) (inner *Split, format, mapper string, err error) {
	if s == nil {
		return nil, "", "", corrupt("split", errors.New("the split is missing"))
	}
	d := splitDecoder{b: s.Extra}
	format, mapper = string(d.bytes()), string(d.bytes())
	own := *s
	own.Extra = d.bytes()
	if d.bad || len(d.b) > 0 {
		return nil, "", "", corrupt("split", errors.New("not a split of multiple inputs"))
	}
	return &own, format, mapper, nil
}

// Open returns a reader for s, created by the split's own format.
func (m MultipleInputs) Open(c *Context, s *Split) (RecordReader, error) {
	inner, name, _, err := untag(s)
	if err != nil {
		return nil, err
	}
	format, err := m.formatOf(c.Conf, name)
	if err != nil {
		return nil, err
	}
	r, err := format.Open(c.WithSplit(inner), inner)
	if err != nil {
		return nil, err
	}
	key, value := format.Types(c.Conf)
	return sourceReader{r, key, value}, nil
}

// sourceReader is a reader with the record types of its source's format.
type sourceReader struct {
	RecordReader
	key, value Type
}

// RecordTypes implements TypedReader.
func (r sourceReader) RecordTypes() (key, value Type) {
	if t, ok := r.RecordReader.(TypedReader); ok {
		key, value = t.RecordTypes()
	}
	return orElse(key, r.key), orElse(value, r.value)
}

// Mapper returns a mapper class that passes each record to the mapper of the record's source. All
// these mappers must emit the same types.
func (m MultipleInputs) Mapper() MapperClass {
	class := MapperClass{New: func() Mapper { return &delegatingMapper{sources: m} }}
	for _, s := range m {
		var in MapperClass
		if s.Format != nil {
			in.InKey, in.InVal = s.Format.Types(conf.New())
		}
		key := orElse(s.Mapper.Key, orElse(s.Mapper.InKey, in.InKey))
		val := orElse(s.Mapper.Val, orElse(s.Mapper.InVal, in.InVal))
		class.Key, class.Val = agreed(class.Key, key, s.Name), agreed(class.Val, val, s.Name)
	}
	return class
}

// agreed returns the output type common to the previous sources (all) and the next source (own);
// nil = unknown. If the types differ, it returns a type that Job.Validate rejects.
func agreed(all, own Type, source string) Type {
	if _, bad := all.(badType); bad || all == nil || own == nil {
		return orElse(all, own)
	}
	if all.Class() != own.Class() {
		return InvalidType(fmt.Errorf("mapper of source %s that emits %s, while other mappers emit %s", source, own.Class(),
			all.Class()))
	}
	return all
}

// delegatingMapper runs the mapper of the split's source.
type delegatingMapper struct {
	sources MultipleInputs
	own     Mapper
	c       *Context // context with the original split of the source's format
}

// Setup implements Setupper.
func (d *delegatingMapper) Setup(c *Context) error {
	inner, _, name, err := untag(c.Task().Split)
	if err != nil {
		return err
	}
	s := d.sources.source(name)
	if s == nil {
		return failure.New(failure.Config, "find the mapper of", c.Task().Split.String(),
			fmt.Errorf("unknown source %q", name)).
			Fix("specify a mapper for each path in " + conf.InputMultipleInputsDirMappers.Name)
	}
	d.c, d.own = c.WithSplit(inner), identityMapper{}
	if s.Mapper.New != nil {
		d.own = s.Mapper.New()
	}
	return setup(d.c, d.own)
}

// Map implements Mapper.
func (d *delegatingMapper) Map(_ *Context, key, value []byte, out Emitter) error {
	return d.own.Map(d.c, key, value, out)
}

// Cleanup implements Cleanuper.
func (d *delegatingMapper) Cleanup(_ *Context, out Emitter) error {
	if x, ok := d.own.(Cleanuper); ok {
		return x.Cleanup(d.c, out)
	}
	return nil
}

// Close implements Closer.
func (d *delegatingMapper) Close() { closeUser(d.own) }
