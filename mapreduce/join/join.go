// Package join joins several sorted inputs by key in the map phase, without a shuffle, like
// Hadoop's CompositeInputFormat. All inputs must have the same number of files. The nth files of
// all inputs must contain the same partition of the keys, in sorted order. To create such inputs,
// sort each of them with the same partitioner and number of reducers.
//
// The mapreduce.join.expr key defines the join:
//
//	inner(tbl(KeyValueTextInputFormat,"/users"),tbl(KeyValueTextInputFormat,"/orders"))
//
// For each key that all inputs have, inner delivers a Tuple for each combination of the inputs'
// values. outer does the same for keys that at least one input has. override delivers the values of
// the last input that has the key. Expressions can be nested.
package join

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
)

// Compose returns an expression that applies op to the inputs at the given paths. formatClass is
// the class of the inputs' format.
func Compose(op, formatClass string, paths ...string) string {
	tables := make([]string, len(paths))
	for i, p := range paths {
		tables[i] = "tbl(" + formatClass + "," + `"` + p + `")`
	}
	return op + "(" + strings.Join(tables, ",") + ")"
}

// Input is the input format of a join. Its values are of type Tuple or, for override and for a
// single tbl, of the inputs' value type.
type Input struct{}

// Types returns the types of the join. If the expression is malformed, it returns types that make
// the job invalid.
func (Input) Types(c *conf.Config) (key, value mapreduce.Type) {
	n, err := parse(c)
	if err != nil {
		bad := mapreduce.InvalidType(err)
		return bad, bad
	}
	return n.types(c)
}

// Splits returns the splits of the join. The nth split combines the nth files of all inputs. If the
// inputs have different numbers of files, Splits returns an error of kind Usage.
func (Input) Splits(ctx context.Context, env *mapreduce.Env) ([]mapreduce.Split, error) {
	n, err := parse(env.Conf)
	if err != nil {
		return nil, err
	}
	if err := checkKeys(n, env.Conf); err != nil {
		return nil, err
	}
	if _, err := order(env.Conf, nil); err != nil {
		return nil, err
	}
	return n.splits(ctx, env)
}

// Open returns a reader that joins the records in s.
func (Input) Open(c *mapreduce.Context, s *mapreduce.Split) (mapreduce.RecordReader, error) {
	n, err := parse(c.Conf)
	if err != nil {
		return nil, err
	}
	in, err := n.open(c, s)
	if err != nil {
		return nil, err
	}
	return &reader{in: in}, nil
}

// order returns the sort order of keys of the given type.
func order(c *conf.Config, key mapreduce.Type) (mapreduce.Comparator, error) {
	by, err := mapreduce.ComparatorByClass(c, conf.JoinKeyComparator.Name, conf.JoinKeyComparator.Get(c))
	if by == nil && err == nil {
		return key, nil
	}
	return by, err
}

// node is a node of an expression's syntax tree.
type node interface {
	types(c *conf.Config) (key, value mapreduce.Type)
	splits(ctx context.Context, env *mapreduce.Env) ([]mapreduce.Split, error)
	open(c *mapreduce.Context, s *mapreduce.Split) (source, error)
}

// table is a node that reads an input.
type table struct {
	format mapreduce.InputFormat
	path   string
}

// own returns a copy of c with the table's input path and a minimum split size that prevents the
// table's files from being split.
func (t *table) own(c *conf.Config) *conf.Config {
	c = c.Clone()
	c.Set(conf.InputFileInputFormatInputDir.Name, "", "join")
	mapreduce.AddInputPaths(c, t.path)
	c.Set(conf.InputFileInputFormatSplitMinSize.Name, "9223372036854775807", "join")
	return c
}

func (t *table) types(c *conf.Config) (key, value mapreduce.Type) { return t.format.Types(t.own(c)) }

func (t *table) splits(ctx context.Context, env *mapreduce.Env) ([]mapreduce.Split, error) {
	own := *env
	own.Conf = t.own(env.Conf)
	return t.format.Splits(ctx, &own)
}

func (t *table) open(c *mapreduce.Context, s *mapreduce.Split) (source, error) {
	own := t.own(c.Conf)
	r, err := t.format.Open(c.WithConf(own).WithSplit(s), s)
	if err != nil {
		return nil, err
	}
	key, value := t.format.Types(own)
	if typed, ok := r.(mapreduce.TypedReader); ok {
		key, value = typed.RecordTypes()
	}
	if key == nil || value == nil {
		key, value = mapreduce.NullWritable, mapreduce.NullWritable // an empty file
	}
	by, err := order(c.Conf, key)
	if err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return newRows(r, key, value, by, s.String())
}

// joined is a node that applies an operation to other nodes.
type joined struct {
	op   op
	kids []node
}

type op int

const (
	inner op = iota
	outer
	override
)

func (j *joined) types(c *conf.Config) (key, value mapreduce.Type) {
	key, value = j.kids[0].types(c)
	if j.op != override {
		value = Tuple
	}
	return key, value
}

// checkKeys returns an error if inputs have different key types, or if inputs of override have
// different value types. It ignores types that are unknown until the files are open.
func checkKeys(n node, c *conf.Config) error {
	j, ok := n.(*joined)
	if !ok {
		return nil
	}
	key, value := j.kids[0].types(c)
	for _, kid := range j.kids {
		if err := checkKeys(kid, c); err != nil {
			return err
		}
		k, v := kid.types(c)
		if err := j.alike(key, k, value, v); err != nil {
			return c.Refuse(conf.JoinExpr.Name, err)
		}
	}
	return nil
}

// alike returns an error if inputs with these key and value types cannot be joined. A nil type is
// unknown.
func (j *joined) alike(key, key2, value, value2 mapreduce.Type) error {
	if key != nil && key2 != nil && key.Class() != key2.Class() {
		return fmt.Errorf("keys have different types: %s and %s", key.Class(), key2.Class())
	}
	if j.op == override && value != nil && value2 != nil && value.Class() != value2.Class() {
		return fmt.Errorf("values that override each other have different types: %s and %s", value.Class(), value2.Class())
	}
	return nil
}

func (j *joined) splits(ctx context.Context, env *mapreduce.Env) ([]mapreduce.Split, error) {
	var out []mapreduce.Split
	var parts [][][]byte // indexed by split: the encoded splits of the operands
	for i, kid := range j.kids {
		splits, err := kid.splits(ctx, env)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			out, parts = make([]mapreduce.Split, len(splits)), make([][][]byte, len(splits))
		}
		if len(splits) != len(out) {
			return nil, failure.New(failure.Usage, "join", conf.JoinExpr.Get(env.Conf),
				fmt.Errorf("Inconsistent split cardinality from child %d (%d/%d)", i, len(out), len(splits))).
				Fix("sort all inputs with the same partitioner and number of reducers")
		}
		for n := range splits {
			s := &splits[n]
			parts[n] = append(parts[n], mapreduce.EncodeSplit(nil, s))
			out[n].Length += s.Length
			out[n].Chunks = append(out[n].Chunks, s.Chunks...)
			if i == 0 {
				out[n].Hosts = s.Hosts
			}
		}
	}
	for n := range out {
		out[n].Extra = pack(parts[n])
	}
	return out, nil
}

func (j *joined) open(c *mapreduce.Context, s *mapreduce.Split) (source, error) {
	parts, err := unpack(s.Extra, len(j.kids))
	if err != nil {
		return nil, err
	}
	m := &merge{op: j.op, k: []byte{}}
	for i, kid := range j.kids {
		own, err := mapreduce.DecodeSplit(parts[i])
		if err == nil {
			var in source
			if in, err = kid.open(c, own); err == nil {
				m.add(in)
				err = j.fits(c.Conf, m)
			}
		}
		if err != nil {
			return nil, errors.Join(err, m.close())
		}
	}
	m.keyType, m.value = m.findTypes()
	if m.by, err = order(c.Conf, m.keyType); err == nil {
		err = m.advance()
	}
	if err != nil {
		return nil, errors.Join(err, m.close())
	}
	return m, nil
}

// fits returns an error if the types of m's last source cannot be joined with those of the previous
// sources (see alike). A source without records always fits.
func (j *joined) fits(c *conf.Config, m *merge) error {
	last := m.kids[len(m.kids)-1]
	key, value := m.findTypes()
	k, v := last.types()
	if last.key() == nil || key == mapreduce.NullWritable {
		return nil
	}
	if j.op != override {
		value = nil
	}
	if err := j.alike(key, k, value, v); err != nil {
		return c.Refuse(conf.JoinExpr.Name, err)
	}
	return nil
}
