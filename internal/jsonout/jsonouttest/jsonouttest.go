// Package jsonouttest holds the output of --json against its documentation.
package jsonouttest

import (
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	urfave "github.com/urfave/cli/v2"
)

// A Page is docs/reference/json.md.
type Page struct{ text string }

// Open reads the page from its file.
func Open(t *testing.T, file string) Page {
	t.Helper()
	b, err := os.ReadFile(file)
	require.NoError(t, err)
	return Page{string(b)}
}

var field = regexp.MustCompile("(?m)^\\| (`[a-z_0-9]+` \\| [a-z]+\\??) \\| \\S.*\\|$")

// Fields checks that the table in the section with the given heading lists the fields of v, a
// struct, with their types and in their order. A question mark follows the type of a field that may
// be absent.
func (p Page) Fields(t *testing.T, heading string, v any) {
	t.Helper()
	_, section, ok := strings.Cut(p.text, "\n### "+heading+"\n")
	require.True(t, ok, "the page has no section %q", heading)
	section, _, _ = strings.Cut(section, "\n#")
	var got, want []string
	for _, m := range field.FindAllStringSubmatch(section, -1) {
		got = append(got, m[1])
	}
	for f := range fieldsOf(reflect.TypeOf(v)) {
		want = append(want, f)
	}
	require.Equal(t, want, got, heading)
}

func fieldsOf(t reflect.Type) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for i := range t.NumField() {
			name, options, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
			if name == "-" {
				continue
			}
			kind := kindOf(t.Field(i).Type)
			if strings.HasPrefix(options, "omit") {
				kind += "?"
			}
			if !yield("`" + name + "` | " + kind) {
				return
			}
		}
	}
}

// kindOf returns the kind of the JSON value for a Go type.
func kindOf(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Pointer:
		return kindOf(t.Elem())
	case reflect.String:
		return "string"
	case reflect.Bool:
		return "boolean"
	case reflect.Slice, reflect.Array:
		return "list"
	case reflect.Struct, reflect.Map:
		return "object"
	}
	if t.Implements(reflect.TypeFor[interface{ MarshalText() ([]byte, error) }]()) {
		return "string"
	}
	return "number"
}

// Commands checks that the page's table of commands names each command that has the option --json,
// and no command that lacks it.
func (p Page) Commands(t *testing.T, cmds []*urfave.Command) {
	t.Helper()
	var walk func(cmds []*urfave.Command, parents string)
	walk = func(cmds []*urfave.Command, parents string) {
		for _, c := range cmds {
			name := parents + " " + c.Name
			if len(c.Subcommands) > 0 {
				walk(c.Subcommands, name)
				continue
			}
			has := false
			for _, f := range c.Flags {
				has = has || f.Names()[0] == "json"
			}
			row := regexp.MustCompile("(?m)^\\| `" + strings.ReplaceAll(name, " ", " -?") + "[ `]").MatchString(p.text)
			require.Equal(t, has, row, "%s: has --json, and has a row on the page", name)
		}
	}
	walk(cmds, "howdah")
}
