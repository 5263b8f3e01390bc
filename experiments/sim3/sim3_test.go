package sim3

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/experiments/lab"
)

func TestRelationsHold(t *testing.T) {
	rep, err := lab.Execute(t.Context(), Experiment, lab.Options{Quick: true, Workers: 2})
	require.NoError(t, err)
	var text bytes.Buffer
	rep.Print(&text)
	require.True(t, rep.Holds(), "%s", &text)
}
