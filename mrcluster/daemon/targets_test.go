package daemon

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mrcluster"
)

func request(name string, hdfs bool, load, save string) *mrcluster.Spec {
	list := func(text string) (out []mrcluster.Copy) {
		for _, word := range strings.Fields(text) {
			from, to, _ := strings.Cut(word, "=")
			out = append(out, mrcluster.Copy{From: from, To: to})
		}
		return out
	}
	return &mrcluster.Spec{Name: name, Core: 1, HDFS: hdfs, Load: list(load), Save: list(save)}
}

// TestTargetsThatCannotBe checks that the manager rejects requests whose copies would be lost or
// could never succeed.
func TestTargetsThatCannotBe(t *testing.T) {
	others := []mrcluster.ClusterView{
		{Spec: *request("old", true, "file:/a=/in", "/out=file:/saved/old rel=file:/other")},
		{Spec: *request("broken", false, "", "rel=rel")},
	}
	for _, c := range []struct {
		s    *mrcluster.Spec
		says string
	}{
		{request("a", false, "/x=/in", "/out=/y"), ""},
		{request("a", true, "file:/x=in hdfs://h/*=in", "out=hdfs://h/y"), ""},
		{request("old", false, "", "/out=file:/saved/old"), ""}, // a duplicate name, which Create rejects
		{request("a", false, "", "/out=file:/saved/older"), ""},
		{request("a", false, "", "/out=file://h/saved/old"), ""},
		{request("a", false, "", "/out=hdfs://h/saved/old"), ""},
		{request("a", false, "", "file:/a=rel"), "rel is a relative path"},
		{request("a", false, "", "rel=file:/a"), "rel is a relative path"},
		{request("a", false, "in=/in", ""), "in is a relative path"},
		{request("a", true, "file:/x=/in", "/out=y"), ""}, // targets in the request's own HDFS are not checked
		{request("a", true, "", "/out=file:y"), "a path with a scheme must be absolute"},
		{request("a", false, "", "/out=file:/"), "the root of a file system"},
		{request("a", false, "", "/a=/y /b=/y/"), "copy to the same place"},
		{request("a", false, "", "/a=/y /b=/y/z"), "copy to the same place"},
		{request("a", false, "/in=/y/z", "/b=/y"), "copy to the same place"},
		{request("a", false, "", "/out=file:/saved/old"), "MR-cluster old copies to the same place (--save " +
			"/out=file:/saved/old)"},
		{request("a", true, "file:/a=file:/saved/old/x", ""), "MR-cluster old copies to the same place"},
		{request("a", true, "", "/out=file:/saved"), "MR-cluster old copies to the same place"},
	} {
		err := checkTargets(c.s, others)
		if c.says == "" {
			require.NoError(t, err, c.s)
			continue
		}
		require.ErrorContains(t, err, c.says)
		require.Equal(t, failure.Usage, failure.KindOf(err))
	}
}

// TestTargetsOfOthersAreSecret checks that a user who names a place does not learn what another user
// copies there.
func TestTargetsOfOthersAreSecret(t *testing.T) {
	old, mine := request("old", false, "", "/out=file:/saved/old"), request("a", false, "/x=file:/saved", "")
	old.User, mine.User = "ann", "bob"
	err := checkTargets(mine, []mrcluster.ClusterView{{Spec: *old}})
	require.ErrorContains(t, err, "MR-cluster old copies to the same place")
	require.NotContains(t, err.Error(), "saved/old")
}

// TestTwoRequestsForOneTarget checks that the manager accepts the second request after the first is
// gone.
func TestTwoRequestsForOneTarget(t *testing.T) {
	in(t, 1, func(w *world) {
		create := func(name string) error {
			_, err := insist(w, func(x *service) (none, error) {
				return none{}, x.Create(w.ctx, request(name, false, "", "/out=/y"))
			})
			return err
		}
		require.NoError(t, create("a"))
		require.ErrorContains(t, create("b"), "MR-cluster a copies to the same place")
		require.True(t, failure.Is(create("a"), failure.Exists))
		w.remove("a")
		w.eventually("it to be forgotten", func() bool { return len(w.all().Clusters) == 0 })
		require.NoError(t, create("b"))
	})
}

// TestNodesThatDoNotCome checks that a client receives the reason before its deadline if too few
// nodes start.
func TestNodesThatDoNotCome(t *testing.T) {
	in(t, 1, func(w *world) {
		s, err := w.service()
		require.NoError(t, err)
		s.cfg.Nodes = 5
		ctx, cancel := context.WithTimeout(w.ctx, 20*time.Second)
		defer cancel()
		spec := request("a", false, "", "")
		spec.Core = 4
		err = s.Create(ctx, spec)
		require.ErrorContains(t, err, "needs 4 nodes, but only 1 of the manager's 5 nodes have started")
		require.NoError(t, ctx.Err())
	})
}
