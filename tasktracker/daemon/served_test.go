package daemon

import (
	"bytes"
	"context"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
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
// every local directory until the job is gone. The TaskTracker then keeps none of their files open.
func TestMapOutputsOfAllDirectoriesAreServed(t *testing.T) {
	d := &Daemon{cfg: Config{LogDir: t.TempDir()}, served: servedIn(filepath.Join(t.TempDir(), "root"))}
	s := &d.served
	id := job.ID{Cluster: "202611210000", Seq: 1}
	j := ownJob(id.Seq)
	j.info = &wire.JobInfo{Token: []byte("secret")}
	_, ok := s.token(id)
	require.False(t, ok)
	require.NoError(t, s.add(j))
	const maps = 3
	disks := t.TempDir()
	for m := range int32(maps) {
		dir := filepath.Join(disks, strconv.Itoa(int(m)), outputDir)
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
	d.outputs = shuffle.NewServer(shuffle.ServerConfig{Addr: addr, Root: s.root, Token: s.token})
	server.Config.Handler = d.outputs
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
	server.Close()
	requireOpen(t, maps, disks)
	d.discard(j)
	_, ok = s.token(id)
	require.False(t, ok)
	require.NoDirExists(t, filepath.Join(s.root, id.String()))
	requireOpen(t, 0, disks)
}

// requireOpen checks how many files below dir this process has open. Only Linux can tell.
func requireOpen(t *testing.T, want int, dir string) {
	const descriptors = "/proc/self/fd"
	all, err := os.ReadDir(descriptors)
	if runtime.GOOS != "linux" {
		return
	}
	require.NoError(t, err)
	var open []string
	for _, e := range all {
		if name, err := os.Readlink(filepath.Join(descriptors, e.Name())); err == nil && strings.HasPrefix(name, dir) {
			open = append(open, name)
		}
	}
	require.Len(t, open, want)
}

type uncounted struct{}

func (uncounted) Inc(job.CounterID, int64) {}
