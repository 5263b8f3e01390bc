package task

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/mapreduce"
)

// holder records calls to its methods, and fails on request.
type holder struct {
	fail string
	did  *[]string
}

func (h *holder) step(name string) error {
	*h.did = append(*h.did, name)
	if h.fail == name {
		return errors.New("no luck")
	}
	return nil
}

func (h *holder) Setup(*mapreduce.Context) error { return h.step("setup") }
func (h *holder) Map(*mapreduce.Context, int64, text, *mapreduce.Out[text, int32]) error {
	return h.step("map")
}
func (h *holder) Cleanup(*mapreduce.Context, *mapreduce.Out[text, int32]) error {
	return h.step("cleanup")
}
func (h *holder) Close() {
	_ = h.step("close")
	panic("even this is fine")
}

func TestCloseComesLastWhateverHappened(t *testing.T) {
	for fail, want := range map[string][]string{
		"":        {"setup", "map", "cleanup", "close"},
		"setup":   {"setup", "close"},
		"map":     {"setup", "map", "close"},
		"cleanup": {"setup", "map", "cleanup", "close"},
	} {
		var did []string
		b := newBench(t, &mapreduce.Job{Name: "j", Mapper: mapreduce.MapOf(func() *holder { return &holder{fail, &did} })},
			"x\n")
		_, err := b.runMap(context.Background(), 0)
		require.Equal(t, fail != "", err != nil, "%s: %v", fail, err)
		require.Equal(t, want, did)
	}
}
