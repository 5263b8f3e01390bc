package archtest

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"
)

// pure reports whether the purity rules apply to a package. They apply to all machines, and to
// scheduler and the packages below it that are not drivers.
func pure(path string) bool {
	k, _ := kindOf(path)
	return k == machine || k != driver && within(path, "scheduler")
}

// impure maps import paths to advice about alternatives. Pure code must not use these packages or
// packages below them, except for the names in allowed.
var impure = map[string]string{
	"os":           "do I/O in the daemon and feed the result in as an input",
	"net":          "do I/O in the daemon and feed the result in as an input",
	"io/fs":        "do I/O in the daemon and feed the result in as an input",
	"io/ioutil":    "do I/O in the daemon and feed the result in as an input",
	"syscall":      "do I/O in the daemon and feed the result in as an input",
	"log":          "return facts and replies; the daemon logs them",
	"sync":         "a machine has one owner goroutine: no locks, the daemon serializes inputs",
	"context":      "nothing here waits, so nothing can be canceled; deadlines are data (NextDeadline)",
	"crypto/rand":  "random streams are named, seeded and passed in",
	"math/rand":    "random streams are named, seeded and passed in (math/rand/v2 with its own source)",
	"runtime":      "the daemon measures; pass the figure in",
	"unsafe":       "use plain values only",
	"maps":         "the order of maps is random: use internal/ordered or a sorted slice",
	"testing":      "test code belongs into _test.go files",
	"time":         "time is an argument in milliseconds; deadlines are data (NextDeadline)",
	"math/rand/v2": "random streams are named, seeded and passed in",
}

// allowed lists the names ("path.Name") that pure code may use from packages in impure. They are
// for durations and for random sources with a seed.
var allowed = map[string]bool{
	"math/rand/v2.New": true, "math/rand/v2.NewPCG": true, "math/rand/v2.NewChaCha8": true,
	"math/rand/v2.Rand": true, "math/rand/v2.PCG": true, "math/rand/v2.Source": true, "math/rand/v2.ChaCha8": true,
	"time.Duration": true, "time.Millisecond": true, "time.Second": true, "time.Minute": true, "time.Hour": true,
}

// checkPurity lists the impure uses in a package, as "file:line: use: advice".
func checkPurity(s *source) []string {
	var out []string
	report := func(n ast.Node, what, advice string) {
		out = append(out, fmt.Sprintf("%s: %s: %s", s.fset.Position(n.Pos()), what, advice))
	}
	for _, f := range s.files {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GoStmt:
				report(n, "go statement", "a machine has one owner goroutine; return an output and let the daemon run it")
			case *ast.SelectStmt:
				report(n, "select statement", "nothing waits here; what happens is an input")
			case *ast.SendStmt:
				report(n, "channel send", "append to the outputs instead")
			case *ast.ChanType:
				report(n, "channel", "inputs and outputs are slices of values")
			case *ast.RangeStmt:
				if t := s.info.TypeOf(n.X); t != nil {
					if _, ok := t.Underlying().(*types.Map); ok {
						report(n, "range over a map", "its order is random: use internal/ordered, a sorted slice or dense handles")
					}
				}
			case *ast.SelectorExpr:
				if what, advice := impureUse(s.info.Uses[n.Sel]); what != "" {
					report(n, what, advice)
				}
			case *ast.CallExpr:
				if id, ok := n.Fun.(*ast.Ident); ok && (id.Name == "print" || id.Name == "println") {
					if _, builtin := s.info.Uses[id].(*types.Builtin); builtin {
						report(n, id.Name, impure["log"])
					}
				}
				if what := printing(s.info, n); what != "" {
					report(n, what, impure["log"])
				}
			}
			return true
		})
	}
	return out
}

// impureUse returns the full name of o and advice about an alternative if pure code must not use o.
// Otherwise, it returns "" for both. It ignores methods, because the rules already apply to the use
// that created the value.
func impureUse(o types.Object) (what, advice string) {
	if o == nil || o.Pkg() == nil || o.Parent() != o.Pkg().Scope() {
		return "", ""
	}
	path := o.Pkg().Path()
	name := path + "." + o.Name()
	if allowed[name] {
		return "", ""
	}
	for p := path; p != ""; {
		if advice, ok := impure[p]; ok {
			return name, advice
		}
		i := strings.LastIndexByte(p, '/')
		if i < 0 {
			break
		}
		p = p[:i]
	}
	return "", ""
}

// printing returns the name of the called function if it is a function of fmt that uses standard
// output or input. Otherwise, it returns "".
func printing(info *types.Info, c *ast.CallExpr) string {
	sel, ok := c.Fun.(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	o := info.Uses[sel.Sel]
	if o == nil || o.Pkg() == nil || o.Pkg().Path() != "fmt" {
		return ""
	}
	switch o.Name() {
	case "Print", "Println", "Printf", "Scan", "Scanln", "Scanf":
		return "fmt." + o.Name()
	}
	return ""
}
