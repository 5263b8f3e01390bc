// Package version tells which howdah a program is or is built with.
package version

import "runtime/debug"

const module = "github.com/howdah/howdah"

// linked is set by the Makefile (-ldflags -X).
var linked = ""

// Howdah gives the version of howdah in this program: the one that the linker was told, else that of the module, else the
// revision; "devel" if nothing is known.
func Howdah() string {
	if linked != "" {
		return linked
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		return of(info)
	}
	return devel
}

const devel = "devel"

// of takes the version from what the compiler noted. In another's program howdah is one of the modules that it depends on.
func of(info *debug.BuildInfo) string {
	if info.Main.Path != module {
		for _, m := range info.Deps {
			if m.Path == module {
				return released(m)
			}
		}
		return devel
	}
	if v := released(&info.Main); v != devel {
		return v
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			return devel + "-" + s.Value[:min(12, len(s.Value))]
		}
	}
	return devel
}

// released gives the version of a module, or devel if it is in the making.
func released(m *debug.Module) string {
	if m.Replace != nil {
		m = m.Replace
	}
	if m.Version == "" || m.Version == "(devel)" {
		return devel
	}
	return m.Version
}
