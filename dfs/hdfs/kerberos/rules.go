package kerberos

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// Rules maps a principal to the name of a local user (hadoop.security.auth_to_local). The first
// matching rule applies.
type Rules []rule

// rule is "DEFAULT", or "RULE:[n:format](match)s/from/to/g/L".
type rule struct {
	components int    // required number of the principal's components; 0 means DEFAULT
	format     string // $0 is the realm, $1 the first component
	match      *regexp.Regexp
	from       *regexp.Regexp
	to         string
	all, lower bool
}

// ruleForm is compiled on first use, because most processes do not need it.
var ruleForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^RULE:\[(\d+):([^\]]*)\](?:\(([^)]*)\))?(?:s/((?:[^/\\]|\\.)*)/((?:[^/\\]|\\.)*)/(g?))?` +
		`(/L)?$`)
})

// ParseRules parses a space-separated list of rules. If the list is empty, the result is DEFAULT.
func ParseRules(text string) (Rules, error) {
	var out Rules
	for _, f := range strings.Fields(text) {
		if f == "DEFAULT" {
			out = append(out, rule{})
			continue
		}
		m := ruleForm().FindStringSubmatch(f)
		if m == nil {
			return nil, fmt.Errorf("%q is not a rule", f)
		}
		r := rule{format: m[2], all: m[6] == "g", lower: m[7] != ""}
		var err error
		if r.components, err = strconv.Atoi(m[1]); err != nil || r.components == 0 {
			return nil, fmt.Errorf("%q is for principals without components", f)
		}
		if m[3] != "" {
			if r.match, err = regexp.Compile("^(?:" + m[3] + ")$"); err != nil {
				return nil, fmt.Errorf("%q: %w", f, err)
			}
		}
		if m[4] != "" {
			if r.from, err = regexp.Compile(m[4]); err != nil {
				return nil, fmt.Errorf("%q: %w", f, err)
			}
			r.to = groupNumber().ReplaceAllString(m[5], "$${$1}")
		}
		out = append(out, r)
	}
	if len(out) == 0 {
		out = Rules{{}}
	}
	return out, nil
}

var groupNumber = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\$(\d+)`) })

// Local returns the local user of a principal. DEFAULT applies only to principals in defaultRealm.
func (all Rules) Local(principal, defaultRealm string) (string, error) {
	name, realm, _ := strings.Cut(principal, "@")
	parts := append([]string{realm}, strings.Split(name, "/")...)
	for _, r := range all {
		if user, ok := r.apply(parts, defaultRealm); ok {
			if user == "" || strings.ContainsAny(user, "/@") {
				return "", fmt.Errorf("the rules map %s to %q, which is not a user's name", principal, user)
			}
			return user, nil
		}
	}
	return "", fmt.Errorf("no rule matches %s", principal)
}

func (r *rule) apply(parts []string, defaultRealm string) (string, bool) {
	if r.components == 0 {
		return parts[1], parts[0] == defaultRealm
	}
	if r.components != len(parts)-1 {
		return "", false
	}
	base := groupNumber().ReplaceAllStringFunc(r.format, func(g string) string {
		if n, err := strconv.Atoi(g[1:]); err == nil && n < len(parts) {
			return parts[n]
		}
		return ""
	})
	if r.match != nil && !r.match.MatchString(base) {
		return "", false
	}
	switch {
	case r.from != nil && r.all:
		base = r.from.ReplaceAllString(base, r.to)
	case r.from != nil:
		if at := r.from.FindStringSubmatchIndex(base); at != nil {
			base = base[:at[0]] + string(r.from.ExpandString(nil, r.to, base, at)) + base[at[1]:]
		}
	}
	if r.lower {
		base = strings.ToLower(base)
	}
	return base, true
}
