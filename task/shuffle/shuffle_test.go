package shuffle

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/howdah/howdah/internal/codec"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/task/sortio"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type bytesOrder struct{}

func (bytesOrder) Compare(a, b []byte) int { return bytes.Compare(a, b) }
func (bytesOrder) Prefix(k []byte) uint64 {
	var p [8]byte
	copy(p[:], k)
	return binary.BigEndian.Uint64(p[:])
}

type tally struct {
	mu sync.Mutex
	v  [job.NumCounters]int64
}

func (t *tally) Inc(id job.CounterID, n int64) {
	t.mu.Lock()
	t.v[id] += n
	t.mu.Unlock()
}

var (
	testJob   = job.ID{Cluster: "202611210753", Seq: 7}
	testToken = []byte("the job's secret")
)

func attempt(mapIndex, n int32) job.AttemptID {
	return job.AttemptID{TaskID: job.TaskID{Job: testJob, Type: job.Map, Index: mapIndex}, N: n}
}

type rec struct{ key, val string }

// cluster is a set of servers with map outputs.
type cluster struct {
	t       *testing.T
	roots   []string
	addrs   []string
	servers []*Server
	reduces int
	codec   codec.Codec
	outputs *Outputs // receives the outputs of further maps, unless nil
	want    [][]rec  // expected records of each reducer, in order
}

func newCluster(t *testing.T, servers, reduces int, c codec.Codec) *cluster {
	cl := &cluster{t: t, reduces: reduces, codec: c, want: make([][]rec, reduces)}
	for range servers {
		root := t.TempDir()
		s := httptest.NewUnstartedServer(nil)
		addr := s.Listener.Addr().String()
		server := NewServer(ServerConfig{Addr: addr, Root: root, Token: tokenOf})
		s.Config.Handler = server
		s.Start()
		t.Cleanup(s.Close)
		cl.servers = append(cl.servers, server)
		cl.roots = append(cl.roots, root)
		cl.addrs = append(cl.addrs, addr)
	}
	return cl
}

func tokenOf(id job.ID) ([]byte, bool) { return testToken, id == testJob }

// makeMaps writes the outputs of n maps and returns their completions.
func (cl *cluster) makeMaps(n, records, valueSize int) []Completion {
	rnd := rand.New(rand.NewPCG(1, uint64(n*records)))
	var out []Completion
	for m := range int32(n) {
		host := int(m) % len(cl.roots)
		recs := make([][]rec, cl.reduces)
		for i := range records {
			p := rnd.IntN(cl.reduces)
			r := rec{fmt.Sprintf("key%d", rnd.IntN(50)),
				fmt.Sprintf("%d.%d.%s", m, i, strings.Repeat("v", rnd.IntN(valueSize+1)))}
			recs[p] = append(recs[p], r)
		}
		cl.writeMap(host, m, 0, recs)
		for p := range recs {
			cl.want[p] = append(cl.want[p], recs[p]...)
		}
		out = append(out, Completion{Map: m, Addr: cl.addrs[host]})
	}
	for p := range cl.want {
		slices.SortStableFunc(cl.want[p], func(a, b rec) int { return strings.Compare(a.key, b.key) })
	}
	return out
}

func (cl *cluster) writeMap(host int, m, n int32, recs [][]rec) {
	dir := OutputDir(cl.roots[host], attempt(m, n))
	require.NoError(cl.t, os.MkdirAll(dir, 0o755))
	c, err := sortio.NewCollector(sortio.Config{Dir: dir, Partitions: cl.reduces, Cmp: bytesOrder{}, Buffer: 1 << 20,
		Codec: cl.codec, Room: cl.outputs.Room()})
	require.NoError(cl.t, err)
	for p := range recs {
		for _, r := range recs[p] {
			require.NoError(cl.t, c.Collect(p, []byte(r.key), []byte(r.val)))
		}
	}
	out, err := c.Close(context.Background())
	require.NoError(cl.t, err)
	cl.outputs.Add(attempt(m, n), out)
}

func (cl *cluster) config(reduce, maps int) Config {
	return Config{Job: testJob, Reduce: int32(reduce), Maps: int32(maps), Token: testToken, Cmp: bytesOrder{},
		Codec: cl.codec,
		Dir:   cl.t.TempDir(), Memory: 8 << 20, Retain: 1, RetryBase: time.Millisecond, Counters: &tally{}}
}

// feed returns a channel with the given completions.
func feed(list []Completion) <-chan Completion {
	ch := make(chan Completion, len(list))
	for _, c := range list {
		ch <- c
	}
	close(ch)
	return ch
}

func drain(t *testing.T, r *Result) []rec {
	var got []rec
	for r.Next() {
		v, err := r.Value()
		require.NoError(t, err)
		got = append(got, rec{string(r.Key()), string(v)})
	}
	require.NoError(t, r.Err())
	require.NoError(t, r.Close())
	return got
}

// shuffled runs a shuffle. It checks that all records arrive in order and that no files remain.
func (cl *cluster) shuffled(cfg Config, list []Completion) *tally {
	cl.t.Helper()
	cfg.Events = feed(list)
	res, err := Run(context.Background(), cfg)
	require.NoError(cl.t, err)
	require.Equal(cl.t, cl.want[cfg.Reduce], drain(cl.t, res))
	left, _ := os.ReadDir(cfg.Dir)
	require.Empty(cl.t, left)
	return cfg.Counters.(*tally)
}

func TestShuffle(t *testing.T) {
	zstd, err := codec.ByClass("ZStandardCodec")
	require.NoError(t, err)
	for _, c := range []codec.Codec{nil, zstd} {
		cl := newCluster(t, 3, 2, c)
		list := cl.makeMaps(30, 200, 50)
		for reduce := range 2 {
			got := cl.shuffled(cl.config(reduce, 30), list)
			require.EqualValues(t, 30, got.v[job.ShuffledMaps])
			require.EqualValues(t, 30, got.v[job.MergedMapOutputs])
			require.Zero(t, got.v[job.FailedShuffle])
			require.Zero(t, got.v[job.SpilledRecords])
		}
	}
}

// TestLargeSegment checks that a segment larger than a single write of the server arrives complete.
func TestLargeSegment(t *testing.T) {
	cl := newCluster(t, 1, 1, nil)
	list := cl.makeMaps(1, 700, 60_000)
	got := cl.shuffled(cl.config(0, 1), list)
	require.Greater(t, got.v[job.ReduceShuffleBytes], int64(2*writeChunk))
}

func TestShuffleInLittleMemory(t *testing.T) {
	cl := newCluster(t, 2, 1, nil)
	list := cl.makeMaps(60, 100, 3000)
	for _, change := range []func(*Config){
		func(c *Config) {},
		func(c *Config) { c.Retain = 0 },
		func(c *Config) { c.Factor = 2 },
		func(c *Config) { c.SingleLimit = 0.01 }, // all segments go to disk
		func(c *Config) { c.SingleLimit, c.MergePercent = 1, 1 },
		func(c *Config) { c.InMemThreshold = 2 },
		func(c *Config) { c.LocalAddr, c.LocalRoot = cl.addrs[0], cl.roots[0] },
		func(c *Config) { c.Copies = 1 },
	} {
		cfg := cl.config(0, 60)
		cfg.Memory = minMemory
		change(&cfg)
		got := cl.shuffled(cfg, list)
		require.Positive(t, got.v[job.FileBytesWritten])
		require.EqualValues(t, 60, got.v[job.MergedMapOutputs])
	}
}

// TestLocalOutputsStayInPlace checks that outputs of this host are merged where they are, even if there
// are more of them than Factor. If memory does not suffice to read 12 outputs at once, the smallest
// four are merged in advance, so that 9 runs remain.
func TestLocalOutputsStayInPlace(t *testing.T) {
	cl := newCluster(t, 1, 1, nil)
	list := cl.makeMaps(12, 100, 20_000)
	for _, x := range []struct{ memory, merges int64 }{{8 << 20, 0}, {10*sortio.RunMemory - 1, 1}} {
		cfg := cl.config(0, len(list))
		cfg.Memory, cfg.Factor, cfg.Retain = x.memory, 2, 0
		cfg.LocalAddr, cfg.LocalRoot = cl.addrs[0], cl.roots[0]
		got := cl.shuffled(cfg, list)
		require.Equal(t, x.merges, got.v[job.FileWriteOps])
		require.Equal(t, int64(len(list))+x.merges, got.v[job.FileReadOps])
		require.EqualValues(t, len(list), got.v[job.MergedMapOutputs])
	}
	for _, c := range list {
		require.FileExists(t, filepath.Join(OutputDir(cl.roots[0], attempt(c.Map, 0)), sortio.OutputName))
	}
}

func TestNoMaps(t *testing.T) {
	cl := newCluster(t, 1, 1, nil)
	cl.shuffled(cl.config(0, 0), nil)
}

func TestServerRefusals(t *testing.T) {
	cl := newCluster(t, 1, 2, nil)
	cl.makeMaps(1, 10, 10)
	good := fmt.Sprintf("/mapOutput?job=%s&reduce=0&map=%s", testJob, attempt(0, 0))
	signedFor := cl.addrs[0]
	var text []byte
	ask := func(method, uri string, token []byte) int {
		req, err := http.NewRequest(method, "http://"+cl.addrs[0]+uri, nil)
		require.NoError(t, err)
		req.Header.Set(urlHash, sign(token, request(signedFor, uri)))
		resp, err := http.DefaultClient.Do(req)
		require.NoError(t, err)
		defer resp.Body.Close()
		text, err = io.ReadAll(resp.Body)
		require.NoError(t, err)
		return resp.StatusCode
	}
	defer http.DefaultClient.CloseIdleConnections()
	require.Equal(t, 200, ask("GET", good, testToken))
	require.Equal(t, 200, ask("GET", good+strings.Repeat(","+attempt(0, 0).String(), maxMaps-1), testToken))
	require.Equal(t, 401, ask("GET", good, []byte("another")))
	here := string(text)
	require.Equal(t, 405, ask("POST", good, testToken))
	other := job.ID{Cluster: testJob.Cluster, Seq: 8}
	elsewhere := strings.ReplaceAll(good, testJob.String()[4:], other.String()[4:])
	for _, token := range [][]byte{testToken, []byte("another"), nil} {
		require.Equal(t, 401, ask("GET", elsewhere, token))
		require.Equal(t, here, strings.ReplaceAll(string(text), other.String(), testJob.String()), "as if the job were here")
	}
	for _, bad := range []string{
		"/mapOutput",
		strings.Replace(good, "reduce=0", "reduce=-1", 1),
		strings.Replace(good, "reduce=0", "reduce=x", 1),
		strings.Replace(good, "_m_", "_r_", 1),
		good + ",..%2f..%2fetc",
		strings.Replace(good, "map=attempt_202611210753_0007", "map=attempt_202611210753_0008", 1),
		"/mapOutput?job=job_..%2f..%2fx_0001&reduce=0&map=attempt_..%2f..%2fx_0001_m_000000_0",
		good + strings.Repeat(","+attempt(0, 0).String(), maxMaps),
	} {
		require.Equal(t, 400, ask("GET", bad, testToken), bad)
	}
	signedFor = "127.0.0.1:1" // somebody else passes the request on
	require.Equal(t, 401, ask("GET", good, testToken))
}

// TestConfigLimits checks the values that a shuffle refuses, and the values at the limits.
func TestConfigLimits(t *testing.T) {
	base := Config{Cmp: bytesOrder{}, Memory: minMemory}
	for i, change := range []func(*Config){
		func(c *Config) { c.Cmp = nil },
		func(c *Config) { c.Memory-- },
		func(c *Config) { c.InputBuffer = -0.1 },
		func(c *Config) { c.InputBuffer = 1.1 },
		func(c *Config) { c.SingleLimit = -0.1 },
		func(c *Config) { c.SingleLimit = 1.1 },
		func(c *Config) { c.MergePercent = -0.1 },
		func(c *Config) { c.MergePercent = 1.1 },
		func(c *Config) { c.Retain = -0.1 },
		func(c *Config) { c.Retain = 1.1 },
		func(c *Config) { c.Factor = 1 },
		func(c *Config) { c.Copies = -1 },
		func(c *Config) { c.MaxFetchFailures = -1 },
		func(c *Config) { c.RetryBase = -1 },
		func(c *Config) { c.RetryMax = -1 },
		func(c *Config) { c.Maps = -1 },
	} {
		c := base
		change(&c)
		require.ErrorIs(t, c.validate(), failure.Config.Target(), "change %d", i)
	}
	ends := Config{Cmp: bytesOrder{}, Memory: minMemory, InputBuffer: 1, SingleLimit: 1, MergePercent: 1, Retain: 1,
		Factor: 2, Copies: 1, MaxFetchFailures: 1, RetryBase: 1, RetryMax: 1}
	require.NoError(t, ends.validate())
}

// TestServerDefaults checks that a server uses its defaults only for what is not set.
func TestServerDefaults(t *testing.T) {
	set := ServerConfig{IndexCache: 1, Requests: 2, WriteTimeout: 3}
	for _, x := range []struct{ given, want ServerConfig }{
		{ServerConfig{}, ServerConfig{IndexCache: 10 << 20, Requests: 40, WriteTimeout: 3 * time.Minute}}, {set, set},
	} {
		s := NewServer(x.given)
		require.Equal(t, x.want, s.cfg)
		require.Equal(t, x.want.IndexCache, s.cache.indexes.limit)
		require.Equal(t, x.want.Requests, cap(s.slots))
	}
}

// TestLookup checks the status of a map's output for each kind of damage.
func TestLookup(t *testing.T) {
	s := NewServer(ServerConfig{})
	status := func(dir string, reduce int32) Status {
		_, x := s.lookup(dir, reduce)
		return x
	}
	dir := mapOutput(t, 2)
	require.Equal(t, OK, status(dir, 0))
	require.Equal(t, OK, status(dir, 1))
	require.Equal(t, NoSuch, status(dir, 2))
	require.Equal(t, Missing, status(t.TempDir(), 0))

	path := filepath.Join(dir, sortio.OutputName)
	st, err := os.Stat(path)
	require.NoError(t, err)
	require.NoError(t, os.Truncate(path, st.Size()-1))
	require.Equal(t, Broken, status(dir, 1))
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	require.Equal(t, Broken, status(dir, 1))
	require.NoError(t, os.Remove(path))
	require.Equal(t, Missing, status(dir, 1))
}
