package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDigestOfNothing(t *testing.T) {
	dir := t.TempDir()
	_, err := digest(dir)
	require.EqualError(t, err, "no part files in "+dir)
}
