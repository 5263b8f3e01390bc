package runner

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDisplayTravelsInTheEnvironment(t *testing.T) {
	for _, d := range []Display{{}, {Quiet: true}, {JSON: true, KillOnInterrupt: true},
		{Quiet: true, JSON: true, KillOnInterrupt: true}, {AllCounters: true}} {
		env := d.Environ()
		name, value, _ := strings.Cut(env[len(env)-1], "=")
		require.Equal(t, envDisplay, name)
		t.Setenv(name, value)
		require.Equal(t, d, DisplayOfEnvironment())
	}
}
