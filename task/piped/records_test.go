package piped

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMain(m *testing.M) {
	if Wanted() {
		fmt.Println("printed")
		fmt.Fprintln(records, "a record")
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func TestWhatAProgramPrintsIsNoRecord(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), os.Args[0], Arg, "map")
	var log strings.Builder
	cmd.Stderr = &log
	out, err := cmd.Output()
	require.NoError(t, err)
	require.Equal(t, "a record\n", string(out))
	require.Equal(t, "printed\n", log.String())
}
