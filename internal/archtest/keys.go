package archtest

import (
	"fmt"
	"go/ast"
	"go/types"
)

// checkKeys lists the calls of getters whose key is a constant or that have more arguments than
// the key, such as a default. conf declares each key once, and the repository's code reads it
// through that declaration. Only users' programs, such as the examples, use the getters for keys
// of their own.
func checkKeys(s *source) (out []string) {
	for _, f := range s.files {
		ast.Inspect(f, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) == 0 {
				return true
			}
			sel, ok := call.Fun.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			getter, ok := s.info.Uses[sel.Sel].(*types.Func)
			if !ok || !getters[getter.FullName()] {
				return true
			}
			constant := s.info.Types[call.Args[0]].Value != nil
			if len(call.Args) > 1 || constant {
				out = append(out, fmt.Sprintf("%s: %s: declare the key in conf/table*.go and read it as conf.KEY.Get",
					s.fset.Position(n.Pos()), getter.Name()))
			}
			return true
		})
	}
	return out
}

// getters are the methods that read a key by its name. A call with no argument but the key takes
// type and default from conf's table, so it is allowed if the key is a variable.
var getters = map[string]bool{
	"(*" + module + "/conf.Config).Int": true, "(*" + module + "/conf.Config).Float": true,
	"(*" + module + "/conf.Config).Bool": true, "(*" + module + "/conf.Config).Size": true,
	"(*" + module + "/conf.Config).Duration": true, "(*" + module + "/conf.Config).Strings": true,
	"(*" + module + "/conf.Config).Get": true,
}
