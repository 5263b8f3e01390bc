package archtest

import (
	"strings"
	"testing"
)

func TestImportDirection(t *testing.T) {
	var pkgs []*pkg
	for _, goos := range systems {
		found, err := listFor(goos, "../..", "./...")
		if err != nil {
			t.Fatal(err)
		}
		if len(found) < 5 {
			t.Fatalf("go list found %d packages only", len(found))
		}
		pkgs = append(pkgs, found...)
	}
	for _, p := range pkgs {
		if _, ok := kindOf(p.ImportPath); !ok {
			t.Error(checkImport(p.ImportPath, "fmt"))
		}
		for _, to := range p.Imports {
			if why := checkImport(p.ImportPath, to); why != "" {
				t.Error(why)
			}
		}
	}
}

// The import rules report violations.
func TestImportRulesBite(t *testing.T) {
	m := func(p string) string { return module + "/" + p }
	for _, c := range []struct{ from, to, want string }{
		{m("job"), m("mapreduce"), "only the standard library and itself"},
		{m("job"), "google.golang.org/protobuf/proto", "only the standard library and itself"},
		{m("conf"), m("internal/ordered"), "only the standard library and itself"},
		{m("internal/wire"), m("jobtracker"), "lies below the code that uses it"},
		{m("mapreduce"), m("task"), "knows neither its implementations"},
		{m("mapreduce"), m("mapreduce/local"), "does not know its in-process runner"},
		{m("dfs/local"), m("client"), "knows neither its implementations"},
		{m("scheduler/fifo"), m("jobtracker"), "through scheduler.View only"},
		{m("scheduler/fifo"), m("dfs"), "not files"},
		{m("jobtracker"), m("tasktracker"), "machines import neither each other"},
		{m("jobtracker"), m("jobtracker/daemon"), "machines import neither each other"},
		{m("jobtracker"), m("scheduler/fifo"), "machines import neither each other"},
		{m("task/sortio"), m("task/shuffle"), "sorting lies below the shuffle"},
		{m("task/shuffle"), m("task"), "the shuffle lies below task"},
		{m("task"), m("client"), "engines know nothing above"},
		{m("jobtracker/history"), m("task"), "codecs only"},
		{m("jobtracker/daemon"), m("internal/cli"), "does not know the edges"},
		{m("jobtracker/daemon"), m("tasktracker"), "meet on the wire only"},
		{m("internal/webui"), m("jobtracker/daemon"), "webui declares"},
		{m("simulator"), m("jobtracker/daemon"), "without its daemon"},
		{m("apps/wordcount"), m("task/sortio"), "against the public API"},
		{m("apps/wordcount"), m("internal/ordered"), "against the public API"},
		{m("newfolder"), "fmt", "has no kind"},
	} {
		if got := checkImport(c.from, c.to); !strings.Contains(got, c.want) {
			t.Errorf("%s importing %s: got %q, want a rejection with %q", c.from, c.to, got, c.want)
		}
	}
	for _, c := range [][2]string{
		{m("job/event"), m("job")},
		{m("mapreduce/local"), m("task")},
		{m("scheduler/policytest"), m("scheduler")},
		{m("jobtracker"), m("internal/ordered")},
		{m("task"), m("task/shuffle")},
		{m("task/shuffle"), m("task/sortio")},
		{m("jobtracker/daemon"), m("jobtracker")},
		{m("apps/wordcount"), module},
		{m("internal/cli"), m("jobtracker/daemon")},
		{m("cmd/howdah"), m("apps")},
		{m("internal/rpc"), "google.golang.org/grpc"},
	} {
		if got := checkImport(c[0], c[1]); got != "" {
			t.Errorf("%s importing %s should be allowed: %s", c[0], c[1], got)
		}
	}
}
