package api

import (
	"encoding/json"
	"net/http"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/internal/golden"
)

type object = map[string]any

// TestDocument holds openapi.json against the routes. With -rewrite, it writes the file.
func TestDocument(t *testing.T) {
	b := &documenter{t: t, schemas: object{}, types: map[string]reflect.Type{}}
	paths := object{}
	history := map[string]bool{}
	for _, r := range (&Server{}).routes() {
		history[r.path] = true
	}
	add := func(routes []route, daemons func(route) []string) {
		for _, r := range routes {
			if paths[base+r.path] == nil {
				paths[base+r.path] = object{}
			}
			paths[base+r.path].(object)[strings.ToLower(r.method)] = b.operation(r, daemons(r))
		}
	}
	add((&Server{Live: &fake{}}).routes(), func(r route) []string {
		if history[r.path] && r.method == http.MethodGet {
			return []string{"JobTracker", "history server"}
		}
		return []string{"JobTracker"}
	})
	add(managerRoutes(nil, nil), func(route) []string { return []string{"manager"} })
	paths[base+"/openapi.json"] = object{"get": object{"summary": "Show this document",
		"tags": []string{"JobTracker", "history server", "manager"}, "responses": object{"200": content("application/json",
			"the document", object{"type": "object"})}}}
	failed := content("application/json", "an error; callers whom the daemon does not know get a text instead",
		b.schema(reflect.TypeFor[problem]()))
	text, err := json.MarshalIndent(object{"openapi": "3.1.0", "info": object{"title": "howdah", "version": "1",
		"description": "Times end in _ms and are in milliseconds since the epoch. Unknown values are absent."},
		"paths": paths, "security": []object{{"token": []string{}}}, "components": object{"schemas": b.schemas,
			"responses":       object{"problem": failed},
			"securitySchemes": object{"token": object{"type": "http", "scheme": "bearer"}}}}, "", " ")
	require.NoError(t, err)
	golden.Compare(t, "openapi.json", append(text, '\n'))
}

type documenter struct {
	t       *testing.T
	schemas object
	types   map[string]reflect.Type
}

func content(kind, text string, schema object) object {
	return object{"description": text, "content": object{kind: object{"schema": schema}}}
}

var inPath = regexp.MustCompile(`\{(\w+)\}`)

func (b *documenter) operation(r route, daemons []string) object {
	params := []object{}
	for _, m := range inPath.FindAllStringSubmatch(r.path, -1) {
		params = append(params, object{"name": m[1], "in": "path", "required": true, "schema": object{"type": "string"}})
	}
	for _, p := range r.params {
		kind := p.kind
		if kind == "" {
			kind = "string"
		}
		params = append(params, object{"name": p.name, "in": "query", "description": p.text, "schema": object{"type": kind}})
	}
	o := object{"summary": r.summary, "tags": daemons, "responses": object{
		"default": object{"$ref": "#/components/responses/problem"}}}
	if len(params) > 0 {
		o["parameters"] = params
	}
	if r.body != nil {
		o["requestBody"] = object{"required": true, "content": object{"application/json": object{"schema": b.schema(r.body)}}}
	}
	switch {
	case r.answer == nil:
		o["responses"].(object)["204"] = object{"description": "done"}
	case r.stream != nil:
		o["responses"].(object)["200"] = content("text/event-stream", "events with the names job, attempt, and gap; "+
			"the schema is that of their data, and a gap has none", b.schema(r.answer))
	default:
		o["responses"].(object)["200"] = content("application/json", "the answer", b.schema(r.answer))
	}
	return o
}

func (b *documenter) schema(t reflect.Type) object {
	switch t.Kind() {
	case reflect.Pointer:
		return b.schema(t.Elem())
	case reflect.Slice:
		return object{"type": "array", "items": b.schema(t.Elem())}
	case reflect.Map:
		return object{"type": "object", "additionalProperties": b.schema(t.Elem())}
	case reflect.String:
		return object{"type": "string"}
	case reflect.Bool:
		return object{"type": "boolean"}
	case reflect.Float32, reflect.Float64:
		return object{"type": "number"}
	case reflect.Struct:
		name := strings.ToUpper(t.Name()[:1]) + t.Name()[1:]
		if b.types[name] == nil {
			b.types[name] = t
			properties, required := object{}, []string{}
			b.fields(t, name, properties, &required)
			b.schemas[name] = object{"type": "object", "properties": properties, "required": required,
				"additionalProperties": false}
		}
		require.Equal(b.t, b.types[name], t, "two types have the same name")
		return object{"$ref": "#/components/schemas/" + name}
	}
	return object{"type": "integer"}
}

// never lists the fields that only the output of commands has.
var never = []string{"Job.attempts", "Job.counters", "Queue.jobs"}

func (b *documenter) fields(t reflect.Type, heading string, properties object, required *[]string) {
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Anonymous {
			b.fields(f.Type, heading, properties, required)
			continue
		}
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "-" || slices.Contains(never, heading+"."+name) {
			continue
		}
		s, text := b.schema(f.Type), f.Tag.Get("doc")
		if text == "" && f.Type.Kind() != reflect.Struct {
			text = described(b.t, heading, name)
		}
		if text != "" {
			s["description"] = text
		}
		properties[name] = s
		if options == "" {
			*required = append(*required, name)
		}
	}
}

// described returns the meaning of a field in docs/reference/json.md.
func described(t *testing.T, heading, field string) string {
	page, err := os.ReadFile("../../docs/reference/json.md")
	require.NoError(t, err)
	if other := map[string]string{"Tracker": "TaskTracker", "MRCluster": "MR-cluster"}[heading]; other != "" {
		heading = other
	}
	_, section, ok := strings.Cut(string(page), "\n### "+heading+"\n")
	require.True(t, ok, "%s.%s has no description", heading, field)
	section, _, _ = strings.Cut(section, "\n#")
	m := regexp.MustCompile("(?m)^\\| `" + field + "` \\| \\S+ \\| (.*) \\|$").FindStringSubmatch(section)
	require.NotNil(t, m, "%s.%s", heading, field)
	return regexp.MustCompile(`\[(.*?)\]\(.*?\)`).ReplaceAllString(strings.ReplaceAll(m[1], "`", ""), "$1")
}

// checker holds answers against the schemas of openapi.json.
type checker struct {
	t       *testing.T
	paths   map[string]map[string]object
	schemas object
	seen    map[string]bool // "Schema.field" of the fields that an answer had
}

func newChecker(t *testing.T) *checker {
	var d struct {
		Paths      map[string]map[string]object
		Components struct{ Schemas object }
	}
	require.NoError(t, json.Unmarshal(document, &d))
	return &checker{t, d.Paths, d.Components.Schemas, map[string]bool{}}
}

// value checks that v has the schema, which it must not exceed.
func (c *checker) value(schema object, v any, at string) {
	c.t.Helper()
	name := ""
	if ref, ok := schema["$ref"].(string); ok {
		name = strings.TrimPrefix(ref, "#/components/schemas/")
		schema, _ = c.schemas[name].(object)
	}
	switch schema["type"] {
	case "array":
		require.IsType(c.t, []any{}, v, at)
		for _, x := range v.([]any) {
			c.value(schema["items"].(object), x, at+"[]")
		}
	case "object":
		require.IsType(c.t, object{}, v, at)
		properties, _ := schema["properties"].(object)
		for key, x := range v.(object) {
			inner, known := properties[key].(object)
			if other, open := schema["additionalProperties"].(object); !known && open {
				inner, known = other, true
			}
			require.True(c.t, known, "%s has the field %s, which the document lacks", at, key)
			c.seen[name+"."+key] = true
			c.value(inner, x, at+"."+key)
		}
		required, _ := schema["required"].([]any)
		for _, key := range required {
			require.Contains(c.t, v, key, at)
		}
	case "string":
		require.IsType(c.t, "", v, at)
	case "boolean":
		require.IsType(c.t, true, v, at)
	default:
		require.IsType(c.t, 0.0, v, at)
	}
}

// complete checks that an answer had each field of each schema.
func (c *checker) complete(except ...string) {
	for name, s := range c.schemas {
		for key := range s.(object)["properties"].(object) {
			field := name + "." + key
			require.Contains(c.t, append(except, keys(c.seen)...), field)
		}
	}
}

func keys(m map[string]bool) (out []string) {
	for k := range m {
		out = append(out, k)
	}
	return out
}
