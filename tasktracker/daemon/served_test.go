package daemon

import (
	"bytes"
	"context"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	wire "github.com/howdah/howdah/internal/wire/tracker"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/task/shuffle"
	"github.com/howdah/howdah/task/sortio"
)

type bytesOrder struct{}

func (bytesOrder) Compare(a, b []byte) int { return bytes.Compare(a, b) }
func (bytesOrder) Prefix([]byte) uint64    { return 0 }

// TestMapOutputsOfAllDirectoriesAreServed checks that reducers on any node find map outputs in
// every local directory until the job is gone.
func TestMapOutputsOfAllDirectoriesAreServed(t *testing.T) {
	s := served{root: filepath.Join(t.TempDir(), "root"), tokens: map[job.ID][]byte{}}
	id := job.ID{Cluster: "202611210000", Seq: 1}
	j := &localJob{id: id.String(), info: &wire.JobInfo{Token: []byte("secret")}}
	_, ok := s.token(id)
	require.False(t, ok)
	require.NoError(t, s.add(j))
	const maps = 3
	for m := range int32(maps) {
		dir := filepath.Join(t.TempDir(), outputDir) // each on its own disk
		require.NoError(t, os.MkdirAll(dir, 0o755))
		a := job.AttemptID{TaskID: job.TaskID{Job: id, Index: m}}
		require.NoError(t, s.publish(a, dir))
		require.NoError(t, s.publish(a, dir), "once more does no harm")
		c, err := sortio.NewCollector(sortio.Config{Dir: dir, Partitions: 1, Cmp: bytesOrder{}, Buffer: 1 << 20})
		require.NoError(t, err)
		require.NoError(t, c.Collect(0, []byte("key"), []byte{'0' + byte(m)}))
		_, err = c.Close(context.Background())
		require.NoError(t, err)
	}
	server := httptest.NewUnstartedServer(nil)
	addr := server.Listener.Addr().String()
	server.Config.Handler = shuffle.NewServer(shuffle.ServerConfig{Addr: addr, Root: s.root, Token: s.token})
	server.Start()
	defer server.Close()

	for name, local := range map[string]string{"from afar": "", "on this node": addr} {
		t.Run(name, func(t *testing.T) {
			events := make(chan shuffle.Completion, maps)
			for m := range int32(maps) {
				events <- shuffle.Completion{Map: m, Addr: addr}
			}
			r, err := shuffle.Run(context.Background(), shuffle.Config{Job: id, Maps: maps, Token: []byte("secret"),
				Events: events, Cmp: bytesOrder{},
				Dir: t.TempDir(), Memory: 4 << 20, LocalAddr: local, LocalRoot: s.root, Counters: uncounted{}})
			require.NoError(t, err)
			var got []string
			for r.Next() {
				v, err := r.Value()
				require.NoError(t, err)
				got = append(got, string(r.Key())+string(v))
			}
			require.NoError(t, r.Err())
			require.NoError(t, r.Close())
			require.Equal(t, []string{"key0", "key1", "key2"}, got)
		})
	}
	s.drop(j)
	_, ok = s.token(id)
	require.False(t, ok)
	require.NoDirExists(t, filepath.Join(s.root, id.String()))
}

type uncounted struct{}

func (uncounted) Inc(job.CounterID, int64) {}
