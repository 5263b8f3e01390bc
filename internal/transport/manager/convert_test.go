package manager

import (
	"context"
	"math/rand/v2"
	"net"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/internal/rpc"
	"github.com/howdah/howdah/internal/transport/transporttest"
	"github.com/howdah/howdah/internal/wire/pool"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mrcluster"
	"github.com/howdah/howdah/mrcluster/status"
)

// filled sets every field of v to a value that the wire format can represent.
func filled[T any](r *rand.Rand, v *T) *T {
	transporttest.Fill(r, reflect.ValueOf(v).Elem(), func(field any) bool {
		switch x := field.(type) {
		case *mrcluster.Kind:
			*x = mrcluster.Core + mrcluster.Kind(r.IntN(3))
		case *mrcluster.ClusterState:
			*x = mrcluster.ClusterState(r.IntN(6))
		case *mrcluster.NodeState:
			*x = mrcluster.NodeState(r.IntN(6))
		case *mrcluster.FactKind:
			*x = mrcluster.ClusterCreated + mrcluster.FactKind(r.IntN(int(mrcluster.ClusterSized)))
		default:
			return false
		}
		return true
	})
	return v
}

// fake returns prepared replies and records its arguments.
type fake struct {
	pool *status.Pool
	told []any
}

func (f *fake) Create(_ context.Context, s *mrcluster.Spec) error {
	f.told = []any{s}
	return nil
}

func (f *fake) Job(_ context.Context, cluster string, deployment int64) (*status.Cluster, error) {
	f.told = []any{cluster, deployment}
	return f.pool.Clusters[0], nil
}

func (f *fake) Remove(_ context.Context, cluster string, discard bool) error {
	f.told = []any{cluster, discard}
	return failure.New(failure.NotFound, "find MR-cluster", cluster, nil)
}

func (f *fake) Grow(_ context.Context, cluster string, nodes int) error {
	f.told = []any{cluster, nodes}
	return nil
}

func (f *fake) Status(_ context.Context, cluster string) (*status.Pool, error) {
	f.told = []any{cluster}
	return f.pool, nil
}

// Every field survives the translation. A field that a translation omits would come back as zero.
func TestNothingIsLostOnTheWire(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	f := &fake{}
	s := rpc.NewServer(rpc.Options{})
	Register(s, f)
	go func() { _ = s.Serve(l) }()
	t.Cleanup(s.Stop)
	conn, err := rpc.Dial(l.Addr().String(), rpc.Options{})
	require.NoError(t, err)
	defer conn.Close()
	m, ctx, r := Client(conn), t.Context(), rand.New(rand.NewPCG(1, 2))
	for range 20 {
		f.pool = filled(r, new(status.Pool))
		p, err := m.Status(ctx, "a")
		require.NoError(t, err)
		require.Equal(t, f.pool, p)
		require.Equal(t, []any{"a"}, f.told)

		c, err := m.Job(ctx, "a", 7)
		require.NoError(t, err)
		require.Equal(t, f.pool.Clusters[0], c)
		require.Equal(t, []any{"a", int64(7)}, f.told)

		spec := filled(r, new(mrcluster.Spec))
		require.NoError(t, m.Create(ctx, spec))
		require.Equal(t, []any{spec}, f.told)

		require.True(t, failure.Is(m.Remove(ctx, "a", true), failure.NotFound))
		require.Equal(t, []any{"a", true}, f.told)
	}
	f.pool = &status.Pool{}
	p, err := m.Status(ctx, "")
	require.NoError(t, err)
	require.Equal(t, f.pool, p)
}

// A client accepts the unknown states of a newer manager. It shows an MR-cluster in an unknown state
// as queued, and a node in an unknown state as being cleared.
func TestUnknownNames(t *testing.T) {
	p := poolFromWire(&pool.PoolStatus{Cluster: []*pool.Cluster{{State: "asleep", Spec: &pool.Spec{Grow: "sideways"}}},
		Node: []*pool.Node{{State: "asleep", Kind: "giant"}}, Event: []*pool.Event{{Fact: "hiccup"}}})
	require.Equal(t, mrcluster.Queued, p.Clusters[0].State)
	require.Zero(t, p.Clusters[0].Spec.Grow)
	require.Equal(t, mrcluster.Clearing, p.Nodes[0].State)
	require.Zero(t, p.Nodes[0].Kind)
	require.Zero(t, p.Events[0].Fact)
	_, err := SpecFromWire(&pool.Spec{Grow: "sideways"})
	require.True(t, failure.Is(err, failure.Usage))
}
