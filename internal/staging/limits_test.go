package staging

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/dfs/mem"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
)

func TestMetaLimits(t *testing.T) {
	hosts := func(n int) (list []string) {
		for i := range n {
			list = append(list, fmt.Sprint("h", i))
		}
		return list
	}
	for _, m := range []job.SplitMeta{{Hosts: []string{strings.Repeat("h", 256)}}, {Hosts: hosts(513)}} {
		_, _, err := parseMeta(appendMeta(nil, []job.SplitMeta{{Hosts: []string{"h"}}, m}), 10, 0)
		require.True(t, failure.Is(err, failure.Limit), "%v", err)
		require.ErrorContains(t, err, "split 1")
	}
	want := []job.SplitMeta{{Hosts: []string{strings.Repeat("h", 255)}, Offset: 1}, {Hosts: hosts(512)}}
	got, _, err := parseMeta(appendMeta(nil, want), 10, 0)
	require.NoError(t, err)
	require.Equal(t, want, got)

	_, metas := encodeSplits([]mapreduce.Split{{Hosts: hosts(2000)}})
	require.Equal(t, hosts(512), metas[0].Hosts, "a writer keeps the best hosts")
}

// A reader stops when the splits exceed the memory, before it has allocated them.
func TestMetaMemory(t *testing.T) {
	b := appendMeta(nil, []job.SplitMeta{{Hosts: []string{"aa", "b"}}, {Hosts: []string{"b"}}, {}})
	body := len(b) - len(metaMagic) - recordHead - 1 // without the number of splits
	want := int64(body) + 3*SplitMemory + 3*replicaMemory + 2*nameMemory + 3
	_, memory, err := parseMeta(b, 10, want)
	require.NoError(t, err)
	require.EqualValues(t, want, memory)
	for limit := range want {
		_, _, err := parseMeta(b, 10, limit)
		require.Equal(t, limit > 0, errors.Is(err, ErrMemory), "limit %d: %v", limit, err)
		require.Equal(t, limit > 0, failure.Is(err, failure.Limit))
	}

	many := appendMeta(nil, make([]job.SplitMeta, 200_000))
	wide := appendMeta(nil, slices.Repeat([]job.SplitMeta{{Hosts: slices.Repeat([]string{"h"}, maxHosts)}}, 1000))
	for _, b := range [][]byte{many, wide} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, _, err = parseMeta(b, 1_000_000, 1<<20)
		runtime.ReadMemStats(&after)
		require.ErrorIs(t, err, ErrMemory)
		require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(1<<20))
	}
}

func TestManyNames(t *testing.T) {
	metas := make([]job.SplitMeta, maxNames)
	for i := range metas {
		metas[i].Hosts = []string{fmt.Sprint("h", i), "h0"}
	}
	_, _, err := parseMeta(appendMeta(nil, metas), maxNames+1, 0)
	require.NoError(t, err)
	_, _, err = parseMeta(appendMeta(nil, append(metas, job.SplitMeta{Hosts: []string{"more"}})), maxNames+1, 0)
	require.True(t, failure.Is(err, failure.Limit), "%v", err)
	require.ErrorContains(t, err, "more than 100000 different host names")
}

// TestHugeMetaIsNotRead checks that a reader rejects the file by its size.
func TestHugeMetaIsNotRead(t *testing.T) {
	fs := mem.New()
	w, err := fs.Create(t.Context(), "/"+MetaFile, dfs.CreateOptions{Overwrite: true})
	require.NoError(t, err)
	_, err = w.Write(appendMeta(nil, []job.SplitMeta{{Hosts: []string{strings.Repeat("h", 17<<20)}}}))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	_, _, err = ReadMeta(t.Context(), fs, "/", MetaLimit{Splits: 10})
	require.True(t, failure.Is(err, failure.Limit), "%v", err)
	require.ErrorContains(t, err, fmt.Sprint(conf.JobSplitMetaInfoMaxSize.BuiltIn()))
	require.ErrorContains(t, err, conf.JobSplitMetaInfoMaxSize.Name)
	_, _, err = ReadMeta(t.Context(), fs, "/", MetaLimit{Splits: 10, Bytes: 32 << 20})
	require.ErrorContains(t, err, "name of a host")
}
