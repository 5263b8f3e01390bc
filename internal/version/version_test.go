package version

import (
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestVersionOfAProgram(t *testing.T) {
	revision := []debug.BuildSetting{{Key: "vcs.revision", Value: "0123456789abcdef"}}
	howdah := func(version string, replace *debug.Module) *debug.Module {
		return &debug.Module{Path: module, Version: version, Replace: replace}
	}
	other := debug.Module{Path: "example.org/sjf", Version: "v0.1.0"}
	for _, x := range []struct {
		want string
		info debug.BuildInfo
	}{
		{"v1.2.3", debug.BuildInfo{Main: *howdah("v1.2.3", nil), Settings: revision}},
		{"devel-0123456789ab", debug.BuildInfo{Main: *howdah("(devel)", nil), Settings: revision}},
		{"devel", debug.BuildInfo{Main: *howdah("", nil)}},
		{"v1.2.3", debug.BuildInfo{Main: other, Settings: revision, Deps: []*debug.Module{{Path: "x", Version: "v9"},
			howdah("v1.2.3", nil)}}},
		{"v1.2.4", debug.BuildInfo{Main: other,
			Deps: []*debug.Module{howdah("v1.2.3", &debug.Module{Path: "example.org/fork", Version: "v1.2.4"})}}},
		{"devel", debug.BuildInfo{Main: other, Settings: revision,
			Deps: []*debug.Module{howdah("v1.2.3", &debug.Module{Path: "../howdah"})}}},
		{"devel", debug.BuildInfo{Main: other, Settings: revision}},
	} {
		require.Equal(t, x.want, of(&x.info))
	}
	require.NotEmpty(t, Howdah())
}
