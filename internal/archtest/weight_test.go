package archtest

import (
	"strings"
	"testing"
)

// maxOurs is the maximum number of this module's packages in a program that imports the root
// package. maxAll is the maximum number of all packages in such a program. Every package adds to
// the start time of a task's process.
const (
	maxOurs = 67
	maxAll  = 476
)

func TestTheRootPackageStaysLight(t *testing.T) {
	for _, goos := range systems {
		t.Run(goos, func(t *testing.T) { staysLight(t, goos) })
	}
}

func staysLight(t *testing.T, goos string) {
	all, err := listFor(goos, "../..", "-deps", ".")
	if err != nil {
		t.Fatal(err)
	}
	var ours []string
	for _, p := range all {
		if p.ImportPath == module || strings.HasPrefix(p.ImportPath, module+"/") {
			ours = append(ours, strings.TrimPrefix(p.ImportPath, module+"/"))
		}
	}
	if len(ours) > maxOurs || len(all) > maxAll {
		t.Errorf("a program that imports the root package gets %d packages of ours (at most %d) and %d in all (at most %d): "+
			"move what needs daemons into a package of its own, as jobtracker/jobtrackermain is\n%s",
			len(ours), maxOurs, len(all), maxAll, strings.Join(ours, "\n"))
	}
}
