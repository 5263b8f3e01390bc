package archtest

import (
	"fmt"
	"slices"
	"strings"
)

const module = "github.com/howdah/howdah"

// kind says what sort of folder a package is.
type kind string

// The kinds, from the bottom up.
const (
	vocabulary kind = "vocabulary" // words that everybody speaks; standard library only
	below      kind = "internal"   // helpers of what lies above
	contract   kind = "contract"   // interfaces, their plug-ins and conformance suites
	policy     kind = "policy"     // scheduling policies: plug-ins of a contract, and pure
	machine    kind = "machine"    // pure state machines
	engine     kind = "engine"     // do the work on records and files
	driver     kind = "driver"     // give machines and engines a clock and sockets
	app        kind = "app"        // bundled jobs, written against the public API as a user would
	edge       kind = "edge"       // what people touch
)

// folders gives the kind of each folder; the longest prefix counts, and /* stands for folders that are not named. A folder that
// does not exist yet may stand here.
var folders = map[string]kind{
	"job":  vocabulary,
	"conf": vocabulary,

	"internal":          below,
	"internal/archtest": edge,
	"internal/runner":   edge,
	"internal/serve":    edge,

	"mapreduce": contract,
	"streaming": contract,
	"dfs":       contract,
	"scheduler": contract,

	"scheduler/*": policy, // a new one needs no line here

	"jobtracker":   machine,
	"tasktracker":  machine,
	"orchestrator": machine,
	"mrcluster":    machine,

	"sortio":  engine,
	"shuffle": engine,
	"task":    engine,
	"history": engine,

	"jobtracker/daemon":    driver,
	"jobtracker/inputlog":  driver,
	"scheduler/catalog":    driver, // composes: it alone knows all policies
	"scheduler/policytest": driver, // drives the machine to test policies in it
	"tasktracker/daemon":   driver,
	"orchestrator/daemon":  driver,
	"mrcluster/client":     driver,
	"mrcluster/daemon":     driver,
	"mrcluster/journal":    driver,
	"mrcluster/master":     driver,
	"mrcluster/provision":  driver,
	"mrcluster/weighttest": driver, // tests use it
	"mapreduce/local":      driver,
	"client":               driver,
	"webui":                driver,
	"simulator":            driver,

	"apps":        app,
	"":            edge, // the root package howdah
	"cli":         edge,
	"cmd":         edge,
	"bench":       edge,
	"experiments": edge,
	"integration": edge,
	"examples":    edge,
}

// mayImport lists, for each kind, the kinds that it may import; advice is what to do instead.
var mayImport = map[kind]struct {
	kinds  []kind
	advice string
}{
	vocabulary: {[]kind{vocabulary}, "vocabulary knows the standard library and itself only; move what needs more into the package that needs it"},
	below:      {[]kind{vocabulary, contract, below}, "internal/* lies below what uses it; pass what it needs as an argument or an interface of its own"},
	contract:   {[]kind{vocabulary, contract, below}, "a contract knows nobody who implements or drives it; put an interface into the contract and let a driver fill it"},
	policy:     {[]kind{vocabulary, contract, policy, below}, "a policy sees the machine through scheduler.View only; if the view lacks something, add it to the view"},
	machine:    {[]kind{vocabulary, contract, below}, "machines import neither each other nor engines nor policies; make it an input, or an interface in scheduler that a driver composes"},
	engine:     {[]kind{vocabulary, contract, engine, below}, "engines know nobody above; take a callback or an interface and let the driver supply it"},
	driver:     {[]kind{vocabulary, contract, policy, machine, engine, driver, below}, "a driver does not know the edges; move the shared part into internal/ or take it as a parameter"},
	app:        {[]kind{vocabulary, contract, app}, "apps are written against the public API (mapreduce, conf, job, the root package howdah) as a user's would be"},
	edge:       {[]kind{vocabulary, contract, policy, machine, engine, driver, app, edge, below}, ""},
}

// extra lists single packages that one package may import against the table, with the reason.
var extra = map[[2]string]string{
	{module + "/conf", module + "/internal/passwd"}:  "the user's name without os/user; standard library only",
	{module + "/conf", module + "/internal/suggest"}: "the key that was meant; standard library only",
}

// forbidden narrows the table further: no package below the first folder imports one below the second.
var forbidden = []struct{ from, to, advice string }{
	{"sortio", "shuffle", "sortio lies below shuffle: take a reader or a callback instead"},
	{"sortio", "task", "sortio lies below task: take what you need as an argument"},
	{"sortio", "history", "sorting has nothing to do with history"},
	{"shuffle", "task", "shuffle lies below task: take what you need as an argument"},
	{"shuffle", "history", "the shuffle has nothing to do with history"},
	{"task", "history", "a task reports to its tracker; the JobTracker writes history"},
	{"history", "task", "history holds codecs only"},
	{"history", "sortio", "history holds codecs only"},
	{"history", "shuffle", "history holds codecs only"},
	{"simulator", "jobtracker/daemon", "the simulator drives the machine itself, without its daemon"},
	{"simulator", "tasktracker/daemon", "the simulator drives the machine itself, without its daemon"},
	{"jobtracker/daemon", "tasktracker", "the two daemons meet on the wire only: use internal/wire"},
	{"tasktracker/daemon", "jobtracker", "the two daemons meet on the wire only: use internal/wire"},
	{"webui", "jobtracker/daemon", "webui defines what it wants to see as an interface; the daemon implements it"},
	{"webui", "tasktracker/daemon", "webui defines what it wants to see as an interface; the daemon implements it"},
	{"mapreduce", "mapreduce/local", "the contract does not know its in-process runner; the root package composes them"},
	{"scheduler", "dfs", "a policy sees hosts of splits, not files"},
}

// kindOf finds a package's kind by the longest folder that contains it.
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

// checkImport gives the reason why from must not import to, or "".
func checkImport(from, to string) string {
	fk, ok := kindOf(from)
	if !ok {
		return fmt.Sprintf("%s has no kind: add its folder to the table in internal/archtest/imports.go and in ARCHITECTURE.md", from)
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
		return "" // reported where that package itself is checked
	}
	for _, f := range forbidden {
		// A contract's own sub-folders are part of it unless the rule names them.
		if within(from, f.from) && within(to, f.to) && !within(from, f.to) {
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

// sameTop reports whether two packages lie in one top folder.
func sameTop(a, b string) bool {
	top := func(p string) string {
		return strings.SplitN(strings.TrimPrefix(p, module+"/"), "/", 2)[0]
	}
	return top(a) == top(b)
}
