// Package version determines the howdah version of a program.
package version

import "runtime/debug"

const module = "github.com/howdah/howdah"

// linked is the version that the Makefile passes to the linker (-ldflags -X), or "".
var linked = ""

// Howdah returns the version of howdah in this program. It returns the first of these that exists:
// the version that the linker has set, the module's version, the revision, or "devel".
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

// of returns howdah's version from a program's build information. In programs other than howdah's
// own, howdah is a dependency.
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

// released returns a module's version, or devel if the build information does not contain one.
func released(m *debug.Module) string {
	if m.Replace != nil {
		m = m.Replace
	}
	if m.Version == "" || m.Version == "(devel)" {
		return devel
	}
	return m.Version
}
