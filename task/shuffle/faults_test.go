package shuffle

import (
	"bytes"
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/task/sortio"
	"github.com/stretchr/testify/require"
)

// badServer corrupts the first responses of a server.
type badServer struct {
	good  http.Handler
	left  atomic.Int32 // number of replies to corrupt
	spoil func(w http.ResponseWriter, status int, header http.Header, body []byte)
}

func (b *badServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if b.left.Add(-1) < 0 {
		b.good.ServeHTTP(w, r)
		return
	}
	rec := httptest.NewRecorder()
	b.good.ServeHTTP(rec, r)
	b.spoil(w, rec.Code, rec.Header(), rec.Body.Bytes())
}

func send(w http.ResponseWriter, status int, h http.Header, body []byte) {
	for k, v := range h {
		if k != "Content-Length" {
			w.Header()[k] = v
		}
	}
	w.WriteHeader(status)
	_, _ = w.Write(body)
}

// behind puts a badServer in front of the cluster's first server.
func (cl *cluster) behind(times int32, spoil func(w http.ResponseWriter, status int, h http.Header,
	body []byte)) *badServer {
	s := httptest.NewUnstartedServer(nil)
	cl.addrs[0] = s.Listener.Addr().String()
	b := &badServer{good: NewServer(ServerConfig{Addr: cl.addrs[0], Root: cl.roots[0], Token: tokenOf}), spoil: spoil}
	b.left.Store(times)
	s.Config.Handler = b
	s.Start()
	cl.t.Cleanup(s.Close)
	return b
}

func TestFaultyPeers(t *testing.T) {
	for name, c := range map[string]struct {
		spoil   func(w http.ResponseWriter, status int, h http.Header, body []byte)
		counter job.CounterID
		silent  bool // the first failure is not reported
	}{
		"a bit of a segment flipped": {func(w http.ResponseWriter, s int, h http.Header, b []byte) {
			b[len(b)-3] ^= 4
			send(w, s, h, b)
		}, job.ShuffleIOError, false},
		"a bit of a header flipped": {func(w http.ResponseWriter, s int, h http.Header, b []byte) {
			b[20] ^= 4
			send(w, s, h, b)
		}, job.ShuffleIOError, false},
		"cut off": {func(w http.ResponseWriter, s int, h http.Header, b []byte) { send(w, s, h, b[:len(b)/2]) },
			job.ShuffleIOError, false},
		"broken off": {func(w http.ResponseWriter, s int, h http.Header, b []byte) {
			w.Header().Set("Content-Length", "100000")
			send(w, s, h, b[:len(b)/2])
		}, job.ShuffleIOError, false},
		"another map": {func(w http.ResponseWriter, s int, h http.Header, b []byte) {
			send(w, s, h, (&Header{Attempt: attempt(99, 0)}).append(nil))
		}, job.ShuffleWrongMap, false},
		"another reducer": {func(w http.ResponseWriter, s int, h http.Header, b []byte) {
			var got Header
			_ = got.read(bytes.NewReader(b))
			got.Reduce++
			send(w, s, h, got.append(nil))
		}, job.ShuffleWrongReduce, false},
		"reply of someone without the token": {func(w http.ResponseWriter, s int, h http.Header, b []byte) {
			h.Set(replyHash, sign([]byte("guess"), "x"))
			send(w, s, h, b)
		}, job.ShuffleConnection, true},
		"error of the server": {func(w http.ResponseWriter, s int, h http.Header, b []byte) { send(w, 500, h, nil) },
			job.ShuffleConnection, true},
		"too busy": {func(w http.ResponseWriter, s int, h http.Header, b []byte) { send(w, 503, h, nil) },
			job.ShuffleConnection, true},
	} {
		t.Run(name, func(t *testing.T) {
			cl := newCluster(t, 2, 1, nil)
			peer := cl.behind(0, c.spoil)
			list := cl.makeMaps(6, 20, 50)
			for _, single := range []float64{0, 1e-4} { // once into memory, once to disk
				peer.left.Store(3)
				cfg := cl.config(0, 6)
				cfg.SingleLimit = single
				reported := 0
				cfg.FetchFailed = func(m, a int32) {
					require.Zero(t, m%2, "only maps of the faulty host")
					reported++
				}
				got := cl.shuffled(cfg, list)
				require.Positive(t, got.v[job.FailedShuffle])
				require.Equal(t, got.v[job.FailedShuffle], got.v[c.counter])
				require.Equal(t, c.silent, reported == 0)
				require.EqualValues(t, 6, got.v[job.ShuffledMaps])
			}
		})
	}
}

// damage flips a bit in a map's output on its server's disk, in the byte with the given number from
// the end. The first bytes from the end are those of the index.
func (cl *cluster) damage(host int, m int32, number int) {
	path := filepath.Join(OutputDir(cl.roots[host], attempt(m, 0)), sortio.OutputName)
	b, err := os.ReadFile(path)
	require.NoError(cl.t, err)
	b[len(b)-number] ^= 1
	require.NoError(cl.t, os.WriteFile(path, b, 0o600))
}

// TestLostOutputsAreReplaced checks that a damaged or missing map output is reported until another
// attempt of the map has run. Meanwhile, fetches of other outputs must continue.
func TestLostOutputsAreReplaced(t *testing.T) {
	for name, lose := range map[string]func(cl *cluster){
		"segment": func(cl *cluster) { cl.damage(0, 0, 100) },
		"index":   func(cl *cluster) { cl.damage(0, 0, 20) },
		"gone":    func(cl *cluster) { os.RemoveAll(OutputDir(cl.roots[0], attempt(0, 0))) },
		"cut": func(cl *cluster) {
			os.Truncate(filepath.Join(OutputDir(cl.roots[0], attempt(0, 0)), sortio.OutputName), 10)
		},
		"link": func(cl *cluster) {
			path := filepath.Join(OutputDir(cl.roots[0], attempt(0, 0)), sortio.OutputName)
			elsewhere := filepath.Join(cl.t.TempDir(), "x")
			require.NoError(cl.t, os.Rename(path, elsewhere))
			require.NoError(cl.t, os.Symlink(elsewhere, path))
		},
		"pipe": func(cl *cluster) { // opening it could wait forever
			path := filepath.Join(OutputDir(cl.roots[0], attempt(0, 0)), sortio.OutputName)
			require.NoError(cl.t, os.Remove(path))
			require.NoError(cl.t, syscall.Mkfifo(path, 0o600))
		},
	} {
		for _, local := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				cl := newCluster(t, 2, 1, nil)
				list := cl.makeMaps(8, 20, 50)
				again := make([][]rec, 1)
				for _, r := range cl.want[0] {
					if strings.HasPrefix(r.val, "0.") {
						again[0] = append(again[0], r)
					}
				}
				cl.writeMap(1, 0, 1, again)
				lose(cl)
				cfg := cl.config(0, 8)
				if local {
					cfg.LocalAddr, cfg.LocalRoot = cl.addrs[0], cl.roots[0]
				}
				events := make(chan Completion, 20)
				for _, c := range list {
					events <- c
				}
				cfg.Events = events
				reports := 0
				cfg.FetchFailed = func(m, a int32) {
					require.Equal(t, target{0, 0}, target{m, a})
					if reports++; reports == 3 {
						events <- Completion{Map: 0, Attempt: 0, Addr: cl.addrs[0], Obsolete: true}
						events <- Completion{Map: 0, Attempt: 1, Addr: cl.addrs[1]}
					}
				}
				res, err := Run(context.Background(), cfg)
				require.NoError(t, err)
				require.Equal(t, cl.want[0], drain(t, res))
				require.GreaterOrEqual(t, reports, 3)
			})
		}
	}
}

// TestTwoAttemptsCountOnce checks that only one of two attempts of a map counts if both are fetched
// at the same time.
func TestTwoAttemptsCountOnce(t *testing.T) {
	cl := newCluster(t, 2, 1, nil)
	block := make(chan struct{})
	events := make(chan Completion, 10)
	var once sync.Once
	cl.behind(1, func(w http.ResponseWriter, s int, h http.Header, b []byte) {
		<-block
		send(w, s, h, b)
		events <- Completion{Map: 1, Addr: cl.addrs[1]}
	})
	list := cl.makeMaps(1, 50, 50)
	cl.writeMap(1, 0, 1, [][]rec{cl.want[0]})
	cfg := cl.config(0, 2)
	cl.writeMap(1, 1, 0, [][]rec{{{"zz", "last"}}})
	cl.want[0] = append(cl.want[0], rec{"zz", "last"})
	events <- list[0]
	events <- Completion{Map: 0, Attempt: 0, Addr: cl.addrs[0], Obsolete: true}
	events <- Completion{Map: 0, Attempt: 1, Addr: cl.addrs[1]}
	cfg.Events = events
	cfg.Progress = func(int, int) { once.Do(func() { close(block) }) }
	res, err := Run(context.Background(), cfg)
	require.NoError(t, err)
	require.Equal(t, cl.want[0], drain(t, res))
	require.EqualValues(t, 2, cfg.Counters.(*tally).v[job.ShuffledMaps])
}

func TestSecondOutputOfAMapIsDropped(t *testing.T) {
	cfg := Config{Maps: 1, Cmp: bytesOrder{}, Memory: 8 << 20}
	require.NoError(t, cfg.validate())
	s := newStore(&cfg)
	for range 2 {
		require.NoError(t, s.reserve(context.Background(), 3))
	}
	s.commit(sortio.Segment{Data: []byte("abc")})
	s.commit(sortio.Segment{Data: []byte("abc")})
	require.EqualValues(t, 3+overhead, s.reserved)
	path := filepath.Join(t.TempDir(), "fetch")
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	s.commitRun(run{path: path, ours: true})
	require.NoFileExists(t, path)
	require.Len(t, s.mem, 1)
	require.Empty(t, s.disk)
}

func TestShuffleGivesUp(t *testing.T) {
	cl := newCluster(t, 1, 1, nil)
	list := cl.makeMaps(2, 5, 5)
	os.RemoveAll(OutputDir(cl.roots[0], attempt(1, 0)))
	cfg := cl.config(0, 2)
	cfg.RetryMax = time.Millisecond
	cfg.Events = feed(list)
	_, err := Run(context.Background(), cfg)
	require.ErrorIs(t, err, failure.NotFound.Target())
	require.EqualValues(t, 30, cfg.Counters.(*tally).v[job.FailedShuffle])
}

func TestWrongTokenGivesUp(t *testing.T) {
	cl := newCluster(t, 1, 1, nil)
	list := cl.makeMaps(2, 5, 5)
	cfg := cl.config(0, 2)
	cfg.RetryMax, cfg.Token = time.Millisecond, []byte("another")
	cfg.Events = feed(list)
	reported := 0
	cfg.FetchFailed = func(int32, int32) { reported++ }
	_, err := Run(context.Background(), cfg)
	require.ErrorIs(t, err, failure.Permission.Target())
	require.Equal(t, 5, reported, "every tenth failure of each map, until the first has 30")
}

func TestShuffleIsCancelled(t *testing.T) {
	cl := newCluster(t, 1, 1, nil)
	cfg := cl.config(0, 2)
	cfg.Events = feed(cl.makeMaps(1, 5, 5)) // the second map never ends
	ctx, cancel := context.WithCancel(context.Background())
	cfg.Progress = func(int, int) { cancel() }
	_, err := Run(ctx, cfg)
	require.ErrorIs(t, err, failure.Killed.Target())
	left, _ := os.ReadDir(cfg.Dir)
	require.Empty(t, left)
}

// TestLocalDiskFails checks that the reducer fails and no map is blamed if the reducer cannot create
// files on its local disk.
func TestLocalDiskFails(t *testing.T) {
	cl := newCluster(t, 1, 1, nil)
	cfg := cl.config(0, 3)
	cfg.Events = feed(cl.makeMaps(3, 50, 50))
	cfg.SingleLimit = 1e-4
	cfg.Dir = filepath.Join(cfg.Dir, "missing")
	cfg.FetchFailed = func(int32, int32) { t.Error("no map is to blame") }
	_, err := Run(context.Background(), cfg)
	require.ErrorIs(t, err, failure.NotFound.Target())
}

// TestSilentPeers checks that a peer that accepts connections but sends nothing delays no other
// peer, and costs only the read timeout. The reducer must retry an unreachable peer at growing
// intervals. Time is simulated.
func TestSilentPeers(t *testing.T) {
	good := newCluster(t, 1, 1, nil)
	list := good.makeMaps(2, 5, 5)
	handlers := http.NewServeMux()
	for _, addr := range []string{"stalled:1", "away:1"} {
		handlers.Handle(addr[:len(addr)-2]+"/", NewServer(ServerConfig{Addr: addr, Root: good.roots[0], Token: tokenOf}))
	}
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		var dials, reports []time.Duration
		listener := newPipeListener()
		server := &http.Server{Handler: handlers}
		go func() { _ = server.Serve(listener) }()
		tries := map[string]int{}
		var mu sync.Mutex // connections to several hosts are opened concurrently
		var peers []net.Conn
		dial := func(ctx context.Context, network, addr string) (net.Conn, error) {
			mu.Lock()
			defer mu.Unlock()
			mine, theirs := net.Pipe()
			peers = append(peers, theirs)
			switch tries[addr]++; addr {
			case "stalled:1":
				if tries[addr] > 2 {
					listener.conns <- theirs
				}
			case "away:1":
				dials = append(dials, time.Since(start))
				if tries[addr] <= 4 {
					return nil, errors.New("no route")
				}
				listener.conns <- theirs
			}
			return mine, nil
		}
		list[0].Addr, list[1].Addr = "stalled:1", "away:1"
		cfg := Config{Job: testJob, Maps: 2, Token: testToken, Cmp: bytesOrder{}, Dir: dir, Memory: 8 << 20, Retain: 1,
			ReadTimeout: time.Minute, RetryBase: 10 * time.Second, MaxFetchFailures: 2, Events: feed(list),
			FetchFailed: func(int32, int32) { reports = append(reports, time.Since(start)) }}
		res, err := runWith(context.Background(), cfg, dial)
		require.NoError(t, err)
		require.Equal(t, good.want[0], drain(t, res))
		round := func(list []time.Duration) (out []string) {
			for _, d := range list {
				out = append(out, d.Round(100*time.Millisecond).String())
			}
			return out
		}
		require.Equal(t, []string{"0s", "10s", "23s", "39.9s", "1m1.9s"}, round(dials))
		// The unreachable peer is reported after every second failure and the stalled peer after
		// each failure: 60 s of silence, 10 s pause, 60 s of silence.
		require.Equal(t, []string{"10s", "39.9s", "1m0s", "2m10s"}, round(reports))
		require.Less(t, time.Since(start), 3*time.Minute)
		for _, p := range peers {
			p.Close()
		}
		server.Close()
	})
}

// pipeListener accepts the server ends of pipes.
type pipeListener struct {
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
}

func newPipeListener() *pipeListener {
	return &pipeListener{conns: make(chan net.Conn, 10), done: make(chan struct{})}
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

func (l *pipeListener) Close() error {
	l.once.Do(func() { close(l.done) })
	return nil
}

func (l *pipeListener) Addr() net.Addr { return &net.TCPAddr{} }

func TestPauseGrowsToItsLimit(t *testing.T) {
	var got []time.Duration
	for n := range 12 {
		got = append(got, pause(10*time.Second, time.Minute, n))
	}
	require.True(t, slices.IsSorted(got))
	require.Equal(t, 10*time.Second, got[0])
	require.Equal(t, 13*time.Second, got[1])
	require.Equal(t, time.Minute, got[11])
	require.Equal(t, time.Minute, pause(10*time.Second, time.Minute, 1<<30))
}

func FuzzHeader(f *testing.F) {
	h := Header{Attempt: attempt(3, 1), Reduce: 7, Entry: sortio.Entry{Raw: 100, Part: 112, CRC: 5}}
	f.Add(h.append(nil))
	f.Add([]byte(headerMagic))
	f.Fuzz(func(t *testing.T, b []byte) {
		var h Header
		if h.read(bytes.NewReader(b)) != nil {
			return
		}
		again := h.append(nil)
		require.Equal(t, b[:len(again)], again)
	})
}

func TestEveryDamagedByteOfAHeaderIsFound(t *testing.T) {
	h := Header{Attempt: attempt(3, 1), Reduce: 7, Entry: sortio.Entry{Raw: 100, Part: 112, CRC: 5, MaxKey: 9}}
	good := h.append(nil)
	for at := range good {
		bad := bytes.Clone(good)
		bad[at] ^= 1
		var got Header
		require.Error(t, got.read(bytes.NewReader(bad)), "byte %d", at)
	}
	var got Header
	require.NoError(t, got.read(bytes.NewReader(good)))
	require.Equal(t, h, got)
}

// FuzzQuery checks that no query makes the server open a file outside the root.
func FuzzQuery(f *testing.F) {
	f.Add("job=" + testJob.String() + "&reduce=0&map=" + attempt(0, 0).String())
	f.Add("job=job_..%2f.._0001&reduce=0&map=attempt_..%2f.._0001_m_000000_0")
	f.Fuzz(func(t *testing.T, query string) {
		q, err := parseQuery(&http.Request{URL: &url.URL{Path: "/mapOutput", RawQuery: query}})
		if err != nil {
			return
		}
		require.NotEmpty(t, q.maps)
		for _, a := range q.maps {
			dir := OutputDir("", a)
			require.True(t, filepath.IsLocal(dir), dir)
			require.Equal(t, 2, len(strings.Split(dir, string(filepath.Separator))), dir)
		}
	})
}

// TestHeaderValues checks that a header with a right checksum is rejected if it contains values that
// no server sends, and that the longest name of an attempt fits.
func TestHeaderValues(t *testing.T) {
	long := attempt(3, 1)
	long.Job.Cluster += strings.Repeat("x", maxName-len(long.String()))
	for _, x := range []struct {
		h  Header
		ok bool
	}{
		{Header{Attempt: long, Status: numStatus - 1, Entry: sortio.Entry{Raw: 1, Part: 2, CRC: 3, MaxKey: 4}}, true},
		{Header{Attempt: attempt(3, 1), Status: numStatus}, false},
		{Header{Attempt: attempt(3, 1), Reduce: -1}, false},
		{Header{Attempt: attempt(3, 1), Entry: sortio.Entry{Raw: -1}}, false},
		{Header{Attempt: attempt(3, 1), Entry: sortio.Entry{Part: -1}}, false},
	} {
		var got Header
		err := got.read(bytes.NewReader(x.h.append(nil)))
		if x.ok {
			require.NoError(t, err)
			require.Equal(t, x.h, got)
		} else {
			require.ErrorIs(t, err, failure.Corrupt.Target(), "%+v", x.h)
		}
	}
}
