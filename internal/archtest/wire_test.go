package archtest

import (
	"slices"
	"strings"
	"testing"
)

// The rule also applies to tests, including those with build tags.
func TestWireEndsAtTheDoor(t *testing.T) {
	for _, build := range [][2]string{{"linux", ""}, {"linux", "integration"}, {"darwin", ""}} {
		pkgs, err := listFor(build[0], "../..", "-tags", build[1], "./...")
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range pkgs {
			for _, to := range slices.Concat(p.Imports, p.TestImports, p.XTestImports) {
				if why := checkWire(p.ImportPath, to); why != "" {
					t.Error(why)
				}
			}
		}
	}
}

// The rule reports violations.
func TestWireRuleBites(t *testing.T) {
	m := func(p string) string { return module + "/" + p }
	for _, from := range []string{"client", "internal/runner", "apps/wordcount", "integration", "jobtracker",
		"internal/cli/doctor", "mrcluster/client", "orchestrator"} {
		for _, to := range []string{"internal/wire", "internal/wire/client"} {
			if got := checkWire(m(from), m(to)); !strings.Contains(got, "end at the door") {
				t.Errorf("%s importing %s: got %q", from, to, got)
			}
		}
	}
	for _, from := range []string{"jobtracker/daemon", "internal/transport", "task/child", "internal/wire"} {
		if got := checkWire(m(from), m("internal/wire/tracker")); got != "" {
			t.Errorf("%s importing internal/wire should be allowed: %s", from, got)
		}
	}
	if got := checkWire(m("client"), m("internal/rpc")); got != "" {
		t.Errorf("another package: %s", got)
	}
}
