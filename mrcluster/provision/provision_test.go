package provision

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job/failure"
)

func TestNames(t *testing.T) {
	for _, name := range []string{"a", "node-1", "0", strings.Repeat("x", 40)} {
		require.NoError(t, CheckName(name), name)
	}
	for _, name := range []string{"", "-a", "a-", "A", "a_b", "a/b", "..", "a b", "ä", strings.Repeat("x", 41)} {
		require.True(t, failure.Is(CheckName(name), failure.Usage), name)
	}
}

func TestPlaceholders(t *testing.T) {
	a := Agent{Program: "/{name}", Args: []string{"--name={name}", "{host}:0", "{dir}", "{other}"}}
	require.Equal(t, []string{"/{name}", "--name=n1", "h:0", "/d/{name}", "{other}"},
		a.For(Node{Name: "n1", Host: "h", Dir: "/d/{name}"}))
	require.Equal(t, []string{"/{name}", "--name=", ":0", "", "{other}", "-D", "a=b"}, a.For(Node{}, "a=b"))
}
