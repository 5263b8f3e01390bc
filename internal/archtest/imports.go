package archtest

import (
	"fmt"
	"slices"
	"strings"
)

const module = "github.com/howdah/howdah"

// kind classifies folders that contain packages.
type kind string

// The kinds, from the lowest layer to the highest.
const (
	vocabulary kind = "vocabulary" // shared terms; import the standard library, each other, and extra
	below      kind = "internal"   // helpers for the higher kinds
	contract   kind = "contract"   // interfaces, their plug-ins and conformance suites
	policy     kind = "policy"     // scheduling policies, which are pure plug-ins of a contract
	machine    kind = "machine"    // pure state machines
	engine     kind = "engine"     // code that processes records and files
	driver     kind = "driver"     // code that connects machines and engines to clocks and sockets
	app        kind = "app"        // bundled jobs, which use only the public API
	edge       kind = "edge"       // what users touch
)

// folders maps each folder to its kind. The longest matching prefix counts, and /* matches
// sub-folders without an entry. An entry may name a folder that does not exist yet.
var folders = map[string]kind{
	"job":  vocabulary,
	"conf": vocabulary,

	"internal":          below,
	"internal/archtest": edge,
	"internal/runner":   edge,
	"internal/serve":    edge,

	"mapreduce": contract,
	"dfs":       contract,
	"scheduler": contract,

	"scheduler/*": policy, // also applies to new policies

	"jobtracker":   machine,
	"tasktracker":  machine,
	"orchestrator": machine,
	"mrcluster":    machine,

	"task":               engine,
	"jobtracker/history": engine,

	"jobtracker/archive":         driver,
	"jobtracker/daemon":          driver,
	"jobtracker/historyserver":   driver,
	"jobtracker/inputlog":        driver,
	"jobtracker/policies":        driver,
	"jobtracker/view":            driver,
	"scheduler/catalog":          driver, // the only package that imports all policies
	"scheduler/policytest":       driver, // tests policies in the machine
	"tasktracker/daemon":         driver,
	"mrcluster/client":           driver,
	"mrcluster/daemon":           driver,
	"mrcluster/journal":          driver,
	"mrcluster/master":           driver,
	"mrcluster/provision":        driver,
	"mrcluster/status":           driver, // types of the manager's responses
	"mrcluster/weighttest":       driver, // for tests
	"mapreduce/local":            driver,
	"client":                     driver,
	"internal/api":               driver,
	"internal/diagnosis":         driver,
	"internal/jsonout":           driver,
	"internal/rest":              driver,
	"internal/webui":             driver,
	"internal/transport/manager": driver, // transfers the types of MR-clusters
	"simulator":                  driver,

	"apps":                        app,
	"":                            edge, // the root package howdah
	"howdahmain":                  edge,
	"internal/cli":                edge,
	"jobtracker/jobtrackermain":   edge,
	"mrcluster/managermain":       edge,
	"tasktracker/tasktrackermain": edge,
	"cmd":                         edge,
	"build":                       edge, // the release program, and files for hosts
	"experiments":                 edge,
	"integration":                 edge,
	"docs":                        edge, // example programs
}

// mayImport lists the kinds that each kind may import. advice suggests an alternative to a
// forbidden import.
var mayImport = map[kind]struct {
	kinds  []kind
	advice string
}{
	vocabulary: {[]kind{vocabulary},
		"vocabulary knows only the standard library and itself; move what needs more into the package that needs it"},
	below: {[]kind{vocabulary, contract, below},
		"internal/* lies below the code that uses it; pass what it needs as an argument or an interface of its own"},
	contract: {[]kind{vocabulary, contract, below},
		"a contract knows neither its implementations nor its drivers; put an interface into the contract " +
			"and let a driver implement it"},
	policy: {[]kind{vocabulary, contract, policy, below},
		"a policy sees the machine through scheduler.View only; if the view lacks something, add it to the view"},
	machine: {[]kind{vocabulary, contract, below},
		"machines import neither each other nor engines nor policies; make it an input, or an interface " +
			"in scheduler that a driver implements"},
	engine: {[]kind{vocabulary, contract, engine, below},
		"engines know nothing above them; take a callback or an interface and let the driver supply it"},
	driver: {[]kind{vocabulary, contract, policy, machine, engine, driver, below},
		"a driver does not know the edges; move the shared part into internal/ or take it as a parameter"},
	app: {[]kind{vocabulary, contract, app},
		"apps are written against the public API (mapreduce, conf, job, the root package howdah), like a user's"},
	edge: {[]kind{vocabulary, contract, policy, machine, engine, driver, app, edge, below}, ""},
}

// extra lists the exceptions to mayImport. A key is {importing package, imported package}, and its
// value is the reason why the import is allowed.
var extra = map[[2]string]string{
	{module + "/conf", module + "/internal/passwd"}:  "the user's name without os/user; standard library only",
	{module + "/conf", module + "/internal/suggest"}: "the key that the user probably meant; standard library only",

	{module + "/apps/sleep", module + "/internal/waits"}: "how long its tasks wait, or a TaskTracker for them",
}

// forbidden lists imports that are forbidden even if mayImport allows them. No package in or below
// the folder from may import a package in or below the folder to. checkImport relaxes this if one
// folder contains the other.
var forbidden = []struct{ from, to, advice string }{
	{"task/sortio", "task/shuffle", "sorting lies below the shuffle: take a reader or a callback instead"},
	{"task/sortio", "task", "sorting lies below task: take what you need as an argument"},
	{"task/shuffle", "task", "the shuffle lies below task: take what you need as an argument"},
	{"task", "jobtracker/history", "a task reports to its tracker; the JobTracker writes history"},
	{"jobtracker/history", "task", "history holds codecs only"},
	{"simulator", "jobtracker/daemon", "the simulator drives the machine itself, without its daemon"},
	{"simulator", "tasktracker/daemon", "the simulator drives the machine itself, without its daemon"},
	{"jobtracker/daemon", "tasktracker", "the two daemons meet on the wire only: use internal/wire"},
	{"tasktracker/daemon", "jobtracker", "the two daemons meet on the wire only: use internal/wire"},
	{"internal/api", "jobtracker/daemon", "api declares what it shows as an interface; the daemon implements it"},
	{"internal/rest", "jobtracker/daemon", "rest declares what it shows as an interface; the daemon implements it"},
	{"internal/webui", "jobtracker/daemon",
		"webui declares what it shows as an interface; the daemon implements it"},
	{"internal/webui", "tasktracker/daemon",
		"webui declares what it shows as an interface; the daemon implements it"},
	{"mapreduce", "mapreduce/local", "the contract does not know its in-process runner; the root package composes them"},
	{"scheduler", "dfs", "a policy sees hosts of splits, not files"},
}

// kindOf returns the kind of a package's innermost folder in folders. It returns false if folders
// does not contain such a folder.
func kindOf(path string) (kind, bool) {
	rel := strings.TrimPrefix(strings.TrimPrefix(path, module), "/")
	for {
		if k, ok := folders[rel]; ok {
			return k, true
		}
		i := strings.LastIndexByte(rel, '/')
		if i < 0 {
			return "", false
		}
		rel = rel[:i]
		if k, ok := folders[rel+"/*"]; ok {
			return k, true
		}
	}
}

func within(path, folder string) bool {
	return path == module+"/"+folder || strings.HasPrefix(path, module+"/"+folder+"/")
}

// checkImport returns the reason why package from must not import package to, or "" if the import
// is allowed.
func checkImport(from, to string) string {
	fk, ok := kindOf(from)
	if !ok {
		return fmt.Sprintf("%s has no kind: add its folder to the table in internal/archtest/imports.go and in "+
			"ARCHITECTURE.md", from)
	}
	if extra[[2]string{from, to}] != "" {
		return ""
	}
	if to != module && !strings.HasPrefix(to, module+"/") {
		if fk == vocabulary && strings.Contains(strings.SplitN(to, "/", 2)[0], ".") {
			return fmt.Sprintf("%s (%s) imports %s: %s", from, fk, to, mayImport[vocabulary].advice)
		}
		return ""
	}
	tk, ok := kindOf(to)
	if !ok {
		return "" // reported when that package is checked
	}
	for _, f := range forbidden {
		// If f.to is below f.from, packages in f.to are exempt. If f.from is below f.to, only the
		// package f.to itself is forbidden, not those below it.
		if within(from, f.from) && (within(to, f.to) && !within(from, f.to) ||
			to == module+"/"+f.to && from != to && f.from != f.to && within(module+"/"+f.from, f.to)) {
			return fmt.Sprintf("%s imports %s: %s", from, to, f.advice)
		}
	}
	if fk == app && to == module {
		return ""
	}
	if fk == machine && tk == machine && sameTop(from, to) {
		return ""
	}
	if !slices.Contains(mayImport[fk].kinds, tk) {
		return fmt.Sprintf("%s (%s) imports %s (%s): %s", from, fk, to, tk, mayImport[fk].advice)
	}
	return ""
}

// sameTop reports whether two packages are in the same top-level folder.
func sameTop(a, b string) bool {
	top := func(p string) string {
		return strings.SplitN(strings.TrimPrefix(p, module+"/"), "/", 2)[0]
	}
	return top(a) == top(b)
}
