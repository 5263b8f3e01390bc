package avro

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// kind is the name of an Avro type.
type kind string

const (
	kNull, kBoolean, kInt, kLong, kFloat, kDouble, kBytes, kString kind = "null", "boolean", "int", "long", "float",
		"double", "bytes", "string"
	kRecord, kEnum, kArray, kMap, kUnion, kFixed kind = "record", "enum", "array", "map",
		"union", "fixed"
)

// schema is a parsed schema. A record can contain itself.
type schema struct {
	kind     kind
	name     string // full name of a record, enum, or fixed type
	fields   []field
	symbols  []string
	size     int       // of a fixed type
	items    *schema   // schema of the items of an array or of the values of a map
	branches []*schema // of a union
	utf16    bool      // Java uses String for the map's keys, not Utf8
}

type field struct {
	name string
	of   *schema
}

// label returns the name that identifies s among the branches of a union.
func (s *schema) label() string {
	if s.name != "" {
		return s.name
	}
	return string(s.kind)
}

func parseSchema(text []byte) (*schema, error) {
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		return nil, fmt.Errorf("the schema is not JSON: %w", err)
	}
	p := schemaParser{named: map[string]*schema{}}
	return p.parse(v, "")
}

type schemaParser struct {
	named map[string]*schema
	depth int
}

func (p *schemaParser) parse(v any, space string) (*schema, error) {
	if p.depth++; p.depth > 1000 {
		return nil, errors.New("the schema is nested too deeply")
	}
	defer func() { p.depth-- }()
	switch v := v.(type) {
	case string:
		return p.byName(v, space)
	case []any:
		u := &schema{kind: kUnion}
		for _, b := range v {
			s, err := p.parse(b, space)
			if err != nil {
				return nil, err
			}
			u.branches = append(u.branches, s)
		}
		return u, nil
	case map[string]any:
		return p.object(v, space)
	}
	return nil, fmt.Errorf("the schema has %v instead of a type", v)
}

func (p *schemaParser) byName(name, space string) (*schema, error) {
	switch k := kind(name); k {
	case kNull, kBoolean, kInt, kLong, kFloat, kDouble, kBytes, kString:
		return &schema{kind: k}, nil
	}
	if s := p.named[fullName(name, space)]; s != nil {
		return s, nil
	}
	if s := p.named[name]; s != nil {
		return s, nil
	}
	return nil, fmt.Errorf("the schema uses the undefined type %q", name)
}

func fullName(name, space string) string {
	if space == "" || strings.Contains(name, ".") {
		return name
	}
	return space + "." + name
}

func (p *schemaParser) object(o map[string]any, space string) (*schema, error) {
	t, ok := o["type"].(string)
	if !ok {
		return p.parse(o["type"], space) // {"type": {...}}
	}
	switch k := kind(t); k {
	case kArray, kMap:
		items, err := p.parse(o[map[kind]string{kArray: "items", kMap: "values"}[k]], space)
		return &schema{kind: k, items: items, utf16: o["avro.java.string"] == "String"}, err
	case kRecord, kEnum, kFixed, "error":
		return p.define(o, k, space)
	default:
		return p.byName(t, space)
	}
}

// define parses the definition of a named type.
func (p *schemaParser) define(o map[string]any, k kind, space string) (*schema, error) {
	name, _ := o["name"].(string)
	if name == "" {
		return nil, fmt.Errorf("the schema has a %s without a name", k)
	}
	if ns, ok := o["namespace"].(string); ok {
		space = ns
	}
	s := &schema{kind: k, name: fullName(name, space)}
	if i := strings.LastIndexByte(s.name, '.'); i >= 0 {
		space = s.name[:i]
	}
	p.named[s.name] = s
	switch k {
	case kEnum:
		all, _ := o["symbols"].([]any)
		for _, x := range all {
			s.symbols = append(s.symbols, fmt.Sprint(x))
		}
		return s, nil
	case kFixed:
		n, _ := o["size"].(float64)
		if n < 0 || n > maxBytes {
			return nil, fmt.Errorf("the schema has a value of %v bytes", n)
		}
		s.size = int(n)
		return s, nil
	}
	s.kind = kRecord
	all, _ := o["fields"].([]any)
	for _, x := range all {
		f, _ := x.(map[string]any)
		name, _ := f["name"].(string)
		of, err := p.parse(f["type"], space)
		if err != nil {
			return nil, err
		}
		s.fields = append(s.fields, field{name, of})
	}
	return s, nil
}
