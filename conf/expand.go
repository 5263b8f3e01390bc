package conf

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/howdah/howdah/internal/passwd"
	"github.com/howdah/howdah/job/failure"
)

// maxSubstitutions is the maximum number of substitutions in one value, as in Hadoop.
const maxSubstitutions = 20

var errCycle = errors.New("its ${} refer to each other in a circle")

// expand replaces each ${name} in s with its value. It looks up the name in the environment
// (${env.NAME}, ${env.NAME:-default}, ${env.NAME-default}), the system properties, and the
// configuration. Like Hadoop, it keeps ${name} as written if the name is unknown.
func (c *Config) expand(s string) (string, error) {
	if !strings.Contains(s, "${") {
		return s, nil
	}
	e := expander{c: c, left: maxSubstitutions}
	return e.expand(s)
}

type expander struct {
	c    *Config
	left int      // number of substitutions left
	open []string // names whose values are being expanded
	keep bool     // keep variables that name set keys
}

func (e *expander) expand(s string) (string, error) {
	var out strings.Builder
	for {
		start, end := variableIn(s)
		if start < 0 {
			out.WriteString(s)
			return out.String(), nil
		}
		name, err := e.expand(s[start+2 : end]) // a name can contain variables, as in ${a.${b}}
		if err != nil {
			return "", err
		}
		value, err := e.variable(name)
		if err != nil {
			return "", err
		}
		out.WriteString(s[:start])
		out.WriteString(value)
		s = s[end+1:]
	}
}

// variableIn returns the positions of the first ${ in s and of its closing brace, or -1 if there
// are none.
func variableIn(s string) (start, end int) {
	start = strings.Index(s, "${")
	if start < 0 {
		return -1, -1
	}
	depth := 0
	for i := start; i < len(s); i++ {
		switch {
		case strings.HasPrefix(s[i:], "${"):
			depth++
			i++
		case s[i] == '}':
			if depth--; depth == 0 {
				return start, i
			}
		}
	}
	return -1, -1
}

func (e *expander) variable(name string) (string, error) {
	for _, o := range e.open {
		if o == name {
			return "", fmt.Errorf("%w: ${%s}", errCycle, strings.Join(append(e.open, name), "} -> ${"))
		}
	}
	if e.left--; e.left < 0 {
		return "", fmt.Errorf("more than %d substitutions of ${}", maxSubstitutions)
	}
	raw, ok := "", false
	if !e.c.foreign {
		raw, ok = environment(name)
	}
	if !ok {
		raw, ok = system(name)
	}
	if _, set := e.c.m[Canonical(name)]; !ok && set && e.keep {
		return "${" + name + "}", nil
	}
	if !ok {
		raw, _, ok = e.c.raw(name)
	}
	if !ok {
		return "${" + name + "}", nil
	}
	e.open = append(e.open, name)
	defer func() { e.open = e.open[:len(e.open)-1] }()
	return e.expand(raw)
}

// environment returns the value of name, which has the form env.NAME and can end with one of
// Hadoop's two kinds of default. The default after ":-" applies if the variable is unset or empty,
// and the default after "-" applies only if it is unset.
func environment(name string) (string, bool) {
	name, ok := strings.CutPrefix(name, "env.")
	if !ok {
		return "", false
	}
	i := strings.IndexByte(name, '-')
	if i < 0 {
		return os.LookupEnv(name)
	}
	def := name[i+1:]
	name, orEmpty := strings.CutSuffix(name[:i], ":")
	v, set := os.LookupEnv(name)
	if !set || orEmpty && v == "" {
		return def, true
	}
	return v, true
}

// system returns the value of name if it is a Java system property that configuration files use.
func system(name string) (string, bool) {
	switch name {
	case "user.name":
		return passwd.Me(), true
	case "user.home":
		home, err := os.UserHomeDir()
		return home, err == nil
	case "user.dir":
		wd, err := os.Getwd()
		return wd, err == nil
	case "java.io.tmpdir":
		return os.TempDir(), true
	}
	return "", false
}

// Check returns an error if a setting contains a ${} that cannot be expanded.
func (c *Config) Check() error {
	for name, e := range c.m {
		if _, err := c.expand(e.value); err != nil {
			return failure.New(failure.Config, "expand "+name+"="+e.value, "("+e.source+")", err).
				Fix("correct the value; names in ${} are other keys, user.name, user.home, java.io.tmpdir or env.NAME")
		}
	}
	return nil
}
