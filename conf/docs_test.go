package conf

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/howdah/howdah/internal/golden"
)

const page = "../docs/reference/configuration.md"

// intro is the beginning of the page, with ~ for `.
var intro = strings.ReplaceAll(`# Configuration

howdah uses Hadoop's keys, files, and defaults. Settings come from the following sources, each of
which overrides the ones before it:

1. the defaults in the tables on this page
2. ~core-site.xml~, ~mapred-site.xml~, and ~hdfs-site.xml~ in the configuration directory, which is
   the first of ~--config DIR~, ~$HOWDAH_CONF_DIR~, and ~$HADOOP_CONF_DIR~ that is set
3. files named with ~-conf FILE~
4. ~-D key=value~, ~-fs URI~, and ~-jt local|host:port~ on the command line
5. the program itself

A property with ~<final>true</final>~ keeps its value, and howdah warns about attempts to change it.
In a value, ~${name}~ stands for the value of another key or of ~user.name~, ~user.home~,
~user.dir~, or ~java.io.tmpdir~. ~${env.NAME}~ and ~${env.NAME:-default}~ stand for an environment
variable. A file can include other files with ~<xi:include href="..."/>~. Old spellings of keys
work everywhere.

Keys that this page does not list may belong to programs. howdah passes these keys on to the
programs. Commands warn about an unlisted key that is one edit away from a listed key. A JobTracker
warns about all unlisted keys on its command line and in ~howdah admin -setScheduler~. It also warns
about unlisted keys that begin with ~howdah.~, regardless of their source.

An error about a value names the key, the value, and the value's source, such as FILE:LINE or ~-D~.
A JobTracker does not start if a key of its scheduler is out of range. It also checks most numeric
keys of other schedulers.

If the "values" column contains "or k m g", a size in bytes may have the suffix k, m, g, t, or p. A
time is a whole number in the unit that the "values" column names, or in milliseconds if the key
ends in ~ms~. Some keys also accept one of the suffixes ns, us, ms, s, m, h, and d.

If a meaning begins with the name of a scheduler, such as "capacity:", the key applies only to that
scheduler. If it begins with the name of a rule for slow tasks, such as "late:", the key applies
only to that rule (~howdah.speculation~). If it begins with "Set for", howdah itself sets the key.
`, "~", "`")

// TestConfigurationPage compares the page with the table. To generate the page, run:
//
//	go test ./conf -run TestConfigurationPage -rewrite
func TestConfigurationPage(t *testing.T) {
	want := intro
	want += fmt.Sprintf("\n## Keys with an effect\n\n| key | default | values | meaning | old spellings "+
		"|\n|---|---|---|---|---|\n%s", rows(Implemented))
	want += "\n## Hadoop keys without effect\n\nhowdah accepts these keys but ignores them. Most commands list " +
		"the ones that are set, unless\njobs run on YARN.\n\n" +
		"| key | meaning in Hadoop | old spellings |\n|---|---|---|\n" + rows(NoMeaning)
	golden.Compare(t, page, []byte(want))
}

// named matches the keys in a key's meaning.
var named = regexp.MustCompile(`[a-z]+(?:\.+[A-Za-z0-9_-]+)+`)

func rows(s State) string {
	var b strings.Builder
	byName := func(a, b *Key) int { return strings.Compare(a.Name, b.Name) }
	for _, k := range slices.SortedFunc(table(), byName) {
		if k.State() != s {
			continue
		}
		old := strings.Fields(k.Old)
		for i, o := range old {
			old[i] = code(o)
		}
		meaning := named.ReplaceAllStringFunc(k.Meaning, func(s string) string {
			if Find(s) == nil {
				return s
			}
			return code(s)
		})
		cells := []string{code(k.Name), code(k.Default), k.Range, meaning, strings.Join(old, ", ")}
		if s == NoMeaning {
			cells = []string{cells[0], meaning, cells[4]}
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
