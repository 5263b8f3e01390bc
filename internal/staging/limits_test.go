package staging

import (
	"fmt"
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
		_, err := parseMeta(appendMeta(nil, []job.SplitMeta{{Hosts: []string{"h"}}, m}), 10)
		require.True(t, failure.Is(err, failure.Limit), "%v", err)
		require.ErrorContains(t, err, "split 1")
	}
	want := []job.SplitMeta{{Hosts: []string{strings.Repeat("h", 255)}, Offset: 1}, {Hosts: hosts(512)}}
	got, err := parseMeta(appendMeta(nil, want), 10)
	require.NoError(t, err)
	require.Equal(t, want, got)

	_, metas := encodeSplits([]mapreduce.Split{{Hosts: hosts(2000)}})
	require.Equal(t, hosts(512), metas[0].Hosts, "a writer keeps the best hosts")
}

// TestHugeMetaIsNotRead checks that a reader rejects the file by its size.
func TestHugeMetaIsNotRead(t *testing.T) {
	fs := mem.New()
	w, err := fs.Create(t.Context(), "/"+MetaFile, dfs.CreateOptions{Overwrite: true})
	require.NoError(t, err)
	_, err = w.Write(appendMeta(nil, []job.SplitMeta{{Hosts: []string{strings.Repeat("h", 17<<20)}}}))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	_, err = ReadMeta(t.Context(), fs, "/", MetaLimit{Splits: 10})
	require.True(t, failure.Is(err, failure.Limit), "%v", err)
	require.ErrorContains(t, err, fmt.Sprint(conf.JobSplitMetaInfoMaxSize.BuiltIn()))
	require.ErrorContains(t, err, conf.JobSplitMetaInfoMaxSize.Name)
	_, err = ReadMeta(t.Context(), fs, "/", MetaLimit{Splits: 10, Bytes: 32 << 20})
	require.ErrorContains(t, err, "name of a host")
}
