package conf

import (
	"fmt"
	"strings"
	"testing"

	"github.com/howdah/howdah/internal/golden"
)

const page = "../docs/configuration.md"

const intro = `# Configuration

Keys, files and defaults are Hadoop's. Sources, each stronger than the ones before:

1. the defaults below
2. ` + "`core-site.xml`, `mapred-site.xml`, `hdfs-site.xml`" + ` of the directory that ` + "`--config DIR`, `$HOWDAH_CONF_DIR` or `$HADOOP_CONF_DIR`" + ` names, the first of
   these that is set
3. files given by ` + "`-conf FILE`" + `
4. settings given by ` + "`-D key=value`, `-fs URI`, `-jt local|host:port`" + `
5. what a program sets itself

A property with ` + "`<final>true</final>`" + ` stays as it is; whoever tries to change it is warned. ` + "`${name}`" + ` in a value stands for another key, for
` + "`user.name`, `user.home`, `user.dir`, `java.io.tmpdir`, or for `env.NAME`, `env.NAME:-default`" + `. Files may include others by ` + "`<xi:include href=\"...\"/>`" + `.
Old spellings of keys mean the new ones, wherever they stand. A key that is not listed here is unknown: it is carried along for the
programs that read it. A JobTracker warns of unknown keys on its command line and behind ` + "`howdah admin -setScheduler`" + `, and of unknown
keys that begin with ` + "`howdah.`" + ` wherever they stand.

An error about a value names the key, the value and what set it: FILE:LINE, ` + "`-D`" + `. A JobTracker does not start with a number out of
its range in a key of any scheduler, also of one that is not in place.

Numbers of bytes may have a suffix k, m, g, t or p where the column of values says "or k m g"; times without a unit are in the unit given.
`

// The page is generated: go test ./conf -run TestConfigurationPage -rewrite
func TestConfigurationPage(t *testing.T) {
	want := intro
	want += fmt.Sprintf("\n## Keys that do something\n\n| key | default | values | meaning | old spellings |\n|---|---|---|---|---|\n%s", rows(Implemented))
	want += "\n## Keys that Hadoop has and that mean nothing here\n\nSetting one of these is no error; the command line tells of it once.\n\n" +
		"| key | what it is in Hadoop | old spellings |\n|---|---|---|\n" + rows(NoMeaning)
	golden.Compare(t, page, []byte(want))
}

func rows(s State) string {
	var b strings.Builder
	for k := range table() {
		if k.State != s {
			continue
		}
		old := make([]string, len(k.Old))
		for i, o := range k.Old {
			old[i] = code(o)
		}
		cells := []string{code(k.Name), code(k.Default), k.Range, k.Meaning, strings.Join(old, ", ")}
		if s == NoMeaning {
			cells = []string{cells[0], k.Meaning, cells[4]}
		}
		for _, c := range cells {
			b.WriteString("| " + strings.ReplaceAll(c, "|", `\|`) + " ")
		}
		b.WriteString("|\n")
	}
	return b.String()
}

func code(s string) string {
	switch s {
	case "":
		return ""
	case "\t":
		return "tab"
	}
	return "`" + s + "`"
}
