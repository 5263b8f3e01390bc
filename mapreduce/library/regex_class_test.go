package library

import (
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestClassOperators(t *testing.T) {
	for re, want := range map[string]string{
		"[a-z&&[^b]]": "&&", "[a-c[x-z]]": "[", "x[^[a]": "[", "[]&&a]": "&&", `\[[a&&b]`: "&&",
		"a&&b": "", "[a&b]": "", `[a\[b]`: "", `[a&\&b]`: "", "[[:alpha:]_]": "", "[^]a]b": "", `\Q[a[b\E[c]`: "",
		`\Q[a[b`: "", "": "", "[^": "", "[": "",
	} {
		require.Equal(t, want, classOperator(re), re)
	}
}

func FuzzClassOperator(f *testing.F) {
	f.Add("[a&&[b]]")
	f.Fuzz(func(t *testing.T, re string) {
		classOperator(re)
		classOperator("[" + regexp.QuoteMeta(re) + "]")
	})
}
