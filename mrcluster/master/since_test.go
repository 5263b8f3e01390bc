package master

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestSince(t *testing.T) {
	at := func(s int64) time.Time { return time.Unix(s, 0) }
	s := since{}
	s.mark([]string{"a", "b"}, at(1))
	s.mark([]string{"b", "c"}, at(2))
	require.Equal(t, since{"b": at(1), "c": at(2)}, s)
	s.mark([]string{"a"}, at(3))
	require.Equal(t, since{"a": at(3)}, s, "a name that returns starts again")
}
