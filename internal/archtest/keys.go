package archtest

import (
	"fmt"
	"go/ast"
	"go/types"
)

// checkKeys lists forbidden reads of configuration keys. These are calls to getters with a constant
// key or with additional arguments such as a default, and calls to GetOr with a constant default.
// conf declares each key once, and the repository's code reads it through that declaration. Only
// users' programs, such as the examples, use the getters for their own keys.
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
			constant := func(i int) bool { return s.info.Types[call.Args[i]].Value != nil }
			if getter.Name() == "GetOr" {
				if constant(1) {
					out = append(out, fmt.Sprintf("%s: GetOr: declare the default in conf/table*.go and use Get",
						s.fset.Position(n.Pos())))
				}
			} else if len(call.Args) > 1 || constant(0) {
				out = append(out, fmt.Sprintf("%s: %s: declare the key in conf/table*.go and read it as conf.KEY.Get",
					s.fset.Position(n.Pos()), getter.Name()))
			}
			return true
		})
	}
	return out
}

// getters are the methods that read a key. A call whose only argument is the key's name is allowed
// if the name is a variable, because conf's table then determines the type and the default. A call
// to GetOr is allowed if its default depends on other settings.
var getters = map[string]bool{
	"(*" + module + "/conf.Config).Int": true, "(*" + module + "/conf.Config).Float": true,
	"(*" + module + "/conf.Config).Bool": true, "(*" + module + "/conf.Config).Size": true,
	"(*" + module + "/conf.Config).Duration": true, "(*" + module + "/conf.Config).Strings": true,
	"(*" + module + "/conf.Config).Get": true, "(*" + module + "/conf.Config).Lookup": true,
	"(*" + module + "/conf.Config).IsDefault": true,
	"(*" + module + "/conf.Int).GetOr":        true, "(*" + module + "/conf.Float).GetOr": true,
	"(*" + module + "/conf.Bool).GetOr": true, "(*" + module + "/conf.Size).GetOr": true,
	"(*" + module + "/conf.Duration).GetOr": true, "(*" + module + "/conf.Choice).GetOr": true,
}
