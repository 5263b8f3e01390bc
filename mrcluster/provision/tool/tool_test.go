package tool

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job/failure"
)

func TestErrors(t *testing.T) {
	run := func(timeout time.Duration, words ...string) error {
		_, err := Tool{Timeout: timeout, Missing: "install it", Slow: "be patient"}.Run(t.Context(), "start node",
			"n1", words, nil)
		return err
	}
	err := run(time.Minute, "sh", "-c", "echo no such machine >&2; exit 3")
	require.True(t, failure.Is(err, failure.Failed))
	require.ErrorContains(t, err, "no such machine")
	require.ErrorContains(t, err, "n1")
	for _, program := range []string{"/nowhere/kubectl", "no-such-kubectl"} {
		err = run(time.Minute, program)
		require.True(t, failure.Is(err, failure.NotFound))
		require.ErrorContains(t, err, "install it")
	}
	began := time.Now()
	err = run(50*time.Millisecond, "sh", "-c", "sleep 1000; true")
	require.True(t, failure.Is(err, failure.Timeout))
	require.ErrorContains(t, err, "be patient")
	require.Less(t, time.Since(began), 30*time.Second)
	require.NoError(t, run(time.Minute, "sh", "-c", "sleep 3 &"), "what it leaves running is not waited for")
	require.True(t, failure.Is(run(time.Minute, "head", "-c", "5000000", "/dev/zero"), failure.Limit))
}
