package archtest

import (
	"go/parser"
	"go/token"
	"strings"
	"testing"
)

func TestText(t *testing.T) {
	found, err := checkTexts("../..")
	if err != nil {
		t.Fatal(err)
	}
	for rule, broken := range map[string][]string{
		"lines of Go": found.goLines, "lines of scripts": found.scriptLines,
		"lines of documents": found.docLines, "doc comments": found.idiom,
	} {
		if len(broken) > 0 {
			t.Errorf("%s: %d break a rule; some of them:\n%s",
				rule, len(broken), strings.Join(broken[:min(len(broken), 20)], "\n"))
		}
	}
}

// Every text rule reports violations.
func TestTextRulesBite(t *testing.T) {
	long := strings.Repeat("ä", 100)
	for what, c := range map[string]struct {
		check     func(name, src string) []string
		src, want string
	}{
		"Go line":           {longGoLines, "package p\n\n\t\t// " + long + strings.Repeat("x", 16) + "\n", "f:3: 121 "},
		"longest Go line":   {longGoLines, "package p\n\n\t\t// " + long + strings.Repeat("x", 15) + "\r\n", ""},
		"directive":         {longGoLines, "//go:generate " + long + long, ""},
		"script":            {longScriptLines, "#!/bin/sh\n# " + long + strings.Repeat("x", 19) + "\n", "f:2: 121 "},
		"help of make":      {longScriptLines, "all: a b ## " + long + long + "\n\t@echo " + long + long, "f:2: "},
		"prose":             {longDocLines, "# Title\n\n" + long + "x\n", "f:3: 101 "},
		"longest prose":     {longDocLines, long, ""},
		"table":             {longDocLines, "| " + long + " |", ""},
		"link":              {longDocLines, "See [a page](" + long + ") and https://example.com/" + long, ""},
		"prose with a link": {longDocLines, "See [a page](x) " + long, "f:1: "},
		"fence":             {longDocLines, "```\n" + long + "x\n```\n" + long + "y\n", "f:4: "},
		"code":              {longDocLines, "text\n\n    " + long + "\n    " + long + "\n", ""},
		"list":              {longDocLines, "- item\n    " + long + "\n", "f:2: "},
		"gives": {docs, "package p\n\n// F gives one.\nfunc F() int { return 1 }\n",
			`f:3:1: F gives: say "returns"`},
		"wrapped": {docs, "package p\n\n// f tells\n// whether so.\nfunc (t) f() bool { return true }\n",
			`say "reports whether"`},
		"tells if": {docs, "package p\n\n// f tells if so.\nfunc f() bool { return true }\n", `say "reports whether"`},
		"field":    {docs, "package p\n\ntype t struct {\n\t// F gives one.\n\tF func() int\n}\n", "f:4:2: F gives"},
		"method": {docs, "package p\n\n// f tells whether so.\nfunc (t) f() bool { return true }\n",
			`say "reports whether"`},
		"interface": {docs, "package p\n\ntype i interface {\n\t// F gives one.\n\tF() int\n}\n", "f:4:2: F gives"},
		"type":      {docs, "package p\n\n// T gives one.\ntype T int\n", "f:3:1: T gives"},
		"variable":  {docs, "package p\n\nvar (\n\t// v gives one.\n\tv = 1\n)\n", "f:4:2: v gives"},
		"constant":  {docs, "package p\n\n// c gives one.\nconst c = 1\n", "f:3:1: c gives"},
		"returns":   {docs, "package p\n\n// F returns what G gives.\nfunc F() int { return 1 }\n", ""},
		"no doc":    {docs, "package p\n\nfunc F() int { return 1 }\n", ""},
	} {
		got := strings.Join(c.check("f", c.src), "\n")
		if (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: got %q, want %q", what, got, c.want)
		}
	}
}

func docs(name, src string) []string {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, name, src, parser.ParseComments)
	if err != nil {
		return []string{err.Error()}
	}
	return foreignDocs(fset, f)
}
