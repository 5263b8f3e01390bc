// Package join reads several sorted inputs at once and joins them by key in the map, without a shuffle, as Hadoop's
// CompositeInputFormat. Each input must be cut into as many files as the others, the nth files of all holding the same keys in
// sorted order: what a sort of all of them with the same partitioner and number of reducers gives.
//
// KeyExpr says what is joined:
//
//	inner(tbl(org.apache.hadoop.mapreduce.lib.input.KeyValueTextInputFormat,"/users"),tbl(KeyValueTextInputFormat,"/orders"))
//
// inner gives a record for each combination of values of keys that all inputs have; outer of keys that any of them has; both as
// a Tuple. override gives the values of the last input that has the key. Expressions can be nested.
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

// Hadoop's keys.
const (
	KeyExpr       = "mapreduce.join.expr"
	KeyComparator = "mapreduce.join.keycomparator" // class of the keys' order; default: that of their type
)

// Compose makes the expression that applies op to inputs of one format.
func Compose(op, formatClass string, paths ...string) string {
	tables := make([]string, len(paths))
	for i, p := range paths {
		tables[i] = "tbl(" + formatClass + "," + `"` + p + `")`
	}
	return op + "(" + strings.Join(tables, ",") + ")"
}

// Input is the input format. Values are of type Tuple, or those of the inputs for override.
type Input struct{}

// Types gives the types of what is joined. A job whose expression is malformed is refused by them.
func (Input) Types(c *conf.Config) (key, value mapreduce.Type) {
	n, err := parse(c)
	if err != nil {
		bad := mapreduce.InvalidType(err)
		return bad, bad
	}
	return n.types(c)
}

// Splits makes a split of the nth files of all inputs. Inputs with different numbers of files are kind Usage.
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

// Open reads the join of a split.
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

// order gives the order of keys.
func order(c *conf.Config, key mapreduce.Type) (mapreduce.Comparator, error) {
	by, err := mapreduce.ComparatorByClass(c, KeyComparator, c.Get(KeyComparator))
	if by == nil && err == nil {
		return key, nil
	}
	return by, err
}

// node is a part of an expression.
type node interface {
	types(c *conf.Config) (key, value mapreduce.Type)
	splits(ctx context.Context, env *mapreduce.Env) ([]mapreduce.Split, error)
	open(c *mapreduce.Context, s *mapreduce.Split) (source, error)
}

// table is an input.
type table struct {
	format mapreduce.InputFormat
	path   string
}

// own gives a table's own settings: files are not cut.
func (t *table) own(c *conf.Config) *conf.Config {
	c = c.Clone()
	c.Set(mapreduce.KeyInputDir, "", "join")
	mapreduce.AddInputPaths(c, t.path)
	c.Set(mapreduce.KeyMinSplit, "9223372036854775807", "join")
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

// joined is an operation on several nodes.
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

// checkKeys refuses inputs with different types of keys, or of values that override each other, as far as they are known before
// the files are opened.
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
			return c.Refuse(KeyExpr, err)
		}
	}
	return nil
}

// alike refuses types of two inputs that cannot be joined; nil is not known.
func (j *joined) alike(key, key2, value, value2 mapreduce.Type) error {
	if key != nil && key2 != nil && key.Class() != key2.Class() {
		return fmt.Errorf("keys are of different types: %s and %s", key.Class(), key2.Class())
	}
	if j.op == override && value != nil && value2 != nil && value.Class() != value2.Class() {
		return fmt.Errorf("values that override each other are of different types: %s and %s", value.Class(), value2.Class())
	}
	return nil
}

func (j *joined) splits(ctx context.Context, env *mapreduce.Env) ([]mapreduce.Split, error) {
	var out []mapreduce.Split
	var parts [][][]byte // for each split those of the kids, encoded
	for i, kid := range j.kids {
		splits, err := kid.splits(ctx, env)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			out, parts = make([]mapreduce.Split, len(splits)), make([][][]byte, len(splits))
		}
		if len(splits) != len(out) {
			return nil, failure.New(failure.Usage, "join", env.Conf.Get(KeyExpr),
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

// fits refuses a source whose records are not like those of the sources before it. One without records fits.
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
		return c.Refuse(KeyExpr, err)
	}
	return nil
}
