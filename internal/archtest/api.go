package archtest

import (
	"fmt"
	"go/types"
	"strings"
)

// checkAPI lists the internal types that a package's exported API mentions. Programs outside the
// module cannot name these types.
func checkAPI(p *types.Package) (out []string) {
	for _, name := range p.Scope().Names() {
		if o := p.Scope().Lookup(name); o.Exported() {
			w := apiWalk{pkg: p, seen: map[types.Type]bool{}}
			w.walk(o.Type())
			for _, hidden := range w.hidden {
				out = append(out, fmt.Sprintf("%s.%s mentions %s: no program outside the module can name it",
					p.Path(), name, hidden))
			}
		}
	}
	return out
}

// apiWalk visits types in pkg's exported API, and collects the types from internal packages that
// they expose to users of pkg.
type apiWalk struct {
	pkg    *types.Package
	seen   map[types.Type]bool
	hidden []string
}

func (w *apiWalk) walk(t types.Type) {
	if w.seen[t] {
		return
	}
	w.seen[t] = true
	switch t := t.(type) {
	case *types.Alias:
		w.walk(types.Unalias(t))
	case *types.Named:
		w.named(t)
	case *types.Signature:
		w.tuple(t.Params())
		w.tuple(t.Results())
	case *types.Struct:
		for i := range t.NumFields() {
			if f := t.Field(i); f.Exported() {
				w.walk(f.Type())
			}
		}
	case *types.Interface:
		for i := range t.NumMethods() {
			if m := t.Method(i); m.Exported() {
				w.walk(m.Type())
			}
		}
	case *types.Map:
		w.walk(t.Key())
		w.walk(t.Elem())
	case interface{ Elem() types.Type }: // pointer, slice, array, or channel
		w.walk(t.Elem())
	}
}

// named walks t's type arguments. If pkg declares t, named also walks t's definition and exported
// methods. Otherwise, it adds t to w.hidden if t's package is internal.
func (w *apiWalk) named(t *types.Named) {
	for i := range t.TypeArgs().Len() {
		w.walk(t.TypeArgs().At(i))
	}
	switch p := t.Obj().Pkg(); {
	case p == nil: // error
	case p != w.pkg:
		if strings.HasPrefix(p.Path(), module+"/") && strings.Contains(p.Path(), "/internal/") {
			w.hidden = append(w.hidden, p.Path()+"."+t.Obj().Name())
		}
	default:
		w.walk(t.Underlying())
		for i := range t.NumMethods() {
			if m := t.Method(i); m.Exported() {
				w.walk(m.Type())
			}
		}
	}
}

func (w *apiWalk) tuple(t *types.Tuple) {
	for i := range t.Len() {
		w.walk(t.At(i).Type())
	}
}
