//go:build integration

package hostile

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/integration/minicluster"
	"github.com/howdah/howdah/integration/testpool"
	"github.com/howdah/howdah/internal/auth"
	"github.com/howdah/howdah/internal/rpc"
	_ "github.com/howdah/howdah/jobtracker/daemon" // for its services
	_ "github.com/howdah/howdah/mrcluster/daemon"
)

var (
	minutes = flag.Float64("minutes", 0.3, "how long hostile input arrives, in minutes")
	seed    = flag.Uint64("seed", 14, "seed of the input")
)

const (
	// growth is the maximum increase of a daemon's resident memory since the start, in bytes.
	growth = 256 << 20
	// answerLimit is the maximum time of a status command during the attack, and jobLimit that of a
	// job.
	answerLimit, jobLimit = 20 * time.Second, time.Minute
)

// TestHostileInput sends random and mutated input to all ports of a JobTracker, its TaskTrackers, a
// manager of MR-clusters, and its agents at the same time. Senders of gRPC calls first authenticate
// as a user or a node. Meanwhile, jobs succeed, the pool responds, no daemon exits, and no daemon
// uses much more memory.
func TestHostileInput(t *testing.T) {
	t.Logf("again with: make hostile SEED=%d MINUTES=%g", *seed, *minutes)
	pool := testpool.Start(t, testpool.Options{Nodes: 2})
	pool.Eventually("all nodes to be free", func() bool { return pool.Free() == 2 })
	c := minicluster.Start(t, minicluster.Options{TaskTrackers: 2, Set: []string{"howdah.gossip.address=127.0.0.1:0",
		// A node's token can register TaskTrackers that never report.
		"mapreduce.jobtracker.expire.trackers.interval=3000"}})
	runJob(t, c)

	pids := map[string]int{}
	for _, part := range []string{"jobtracker", "tasktracker-1", "tasktracker-2"} {
		pids[part] = c.PID(part)
	}
	for _, p := range pool.Processes() {
		if p.Role == "manager" || p.Role == "agent" {
			pids[strings.TrimSpace(p.Role+" "+p.Node+fmt.Sprint(p.PID))] = p.PID
		}
	}
	require.Len(t, pids, 6)
	a := &attack{t: t, known: methods(), before: map[string]int64{}, most: map[string]int64{}}
	require.NotEmpty(t, a.known)
	secret, err := auth.Load(conf.New())
	require.NoError(t, err)
	for _, claims := range []auth.Claims{{User: "nobody"}, {Node: "stranger"}} {
		claims.Expires = time.Now().Add(24 * time.Hour).Unix()
		token, _ := secret.Issue(claims)
		proof, err := auth.ParseToken(token, "test")
		require.NoError(t, err)
		a.proofs = append(a.proofs, proof)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Duration(*minutes*float64(time.Minute)))
	defer cancel()
	var all sync.WaitGroup
	for name, pid := range pids {
		a.before[name] = memory(pid)
		ports := portsOf(t, name, pid)
		require.NotEmpty(t, ports, name)
		for _, p := range ports {
			t.Logf("%s: %s %s", p.daemon, p.network, p.addr)
			a.start(ctx, &all, p)
		}
	}
	for _, addr := range []string{c.JobTracker, pool.Manager} {
		for _, proof := range a.proofs {
			all.Go(func() { a.call(ctx, addr, proof) })
			all.Go(func() { a.stream(ctx, addr, proof) })
		}
	}
	jobs, answers := 0, 0
	for ctx.Err() == nil {
		runJob(t, c)
		jobs++
		begun := time.Now()
		_, ok := pool.Status()
		require.True(t, ok, "the manager does not answer")
		require.Less(t, time.Since(begun), answerLimit)
		answers++
		for name, pid := range pids {
			now := memory(pid)
			require.Positive(t, now, "%s has ended", name)
			a.most[name] = max(a.most[name], now)
			require.Less(t, now-a.before[name], int64(growth), "memory of %s", name)
		}
		select {
		case <-ctx.Done():
		case <-time.After(2 * time.Second):
		}
	}
	all.Wait()
	runJob(t, c)
	pool.Eventually("all nodes to be free", func() bool { return pool.Free() == 2 })
	for _, part := range []string{"jobtracker", "tasktracker-1", "tasktracker-2"} {
		require.Equal(t, pids[part], c.PID(part))
		checkLog(t, part, c.Log(part))
	}
	checkLog(t, "manager", pool.Log())
	for name := range pids {
		t.Logf("%s: %d MiB before, at most %d MiB", name, a.before[name]>>20, a.most[name]>>20)
	}
	t.Logf("%d raw streams, %d packets, %d HTTP requests, %d calls, %d streams after the handshake; %d jobs and %d "+
		"status commands succeeded", a.raw.Load(), a.packets.Load(), a.requests.Load(), a.calls.Load(), a.greeted.Load(),
		jobs, answers)
	for _, n := range []*atomic.Int64{&a.raw, &a.packets, &a.requests, &a.calls, &a.greeted} {
		require.Positive(t, n.Load(), "some kind of input was not sent")
	}
}

func runJob(t *testing.T, c *minicluster.Cluster) {
	begun := time.Now()
	r := c.Howdah("run", "pi", "2", "100")
	require.Zero(t, r.Code, "%s%s", r.Out, r.Err)
	require.Contains(t, r.Out, "Estimated value of Pi is 3.")
	require.Less(t, time.Since(begun), jobLimit)
}

func checkLog(t *testing.T, daemon, log string) {
	for _, sign := range []string{"panic:", "fatal error:", "SIGSEGV"} {
		if i := strings.Index(log, sign); i >= 0 {
			t.Errorf("%s: %s", daemon, log[max(0, i-500):min(len(log), i+6000)])
		}
	}
}

// attack counts the inputs that have been sent.
type attack struct {
	t      *testing.T
	known  []method
	proofs []*auth.Proof
	seeds  atomic.Uint64

	before, most map[string]int64 // memory of each daemon

	raw, packets, requests, calls, greeted atomic.Int64
}

func (a *attack) random() *rand.Rand { return rand.New(rand.NewPCG(*seed, a.seeds.Add(1))) }

// pace pauses a sender, so that daemons and jobs can use the machine most of the time. It returns
// false if ctx has ended.
func pace(ctx context.Context) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(5 * time.Millisecond):
		return true
	}
}

func (a *attack) start(ctx context.Context, all *sync.WaitGroup, p port) {
	if p.network == "udp" {
		all.Go(func() { a.datagrams(ctx, p.addr) })
		return
	}
	all.Go(func() { a.bytes(ctx, p.addr) })
	all.Go(func() { a.pages(ctx, p.addr) })
}

// samples are beginnings of valid input.
var samples = [][]byte{
	[]byte("GET / HTTP/1.1\r\nHost: localhost\r\nCookie: a=b\r\nAuthorization: Bearer x.y\r\n\r\n"),
	[]byte("POST /login HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n" +
		"abcde\r\n0\r\n\r\n"),
	[]byte("GET /mapOutput?job=job_1_0001&reduce=0&map=attempt_1_0001_m_000000_0 HTTP/1.1\r\nHost: localhost\r\n" +
		"UrlHash: AAAA\r\nname: mapreduce\r\nversion: 1.0.0\r\n\r\n"),
	append([]byte("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), // with SETTINGS and HEADERS
		0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 5, 1, 4, 0, 0, 0, 1, 0x83, 0x86, 0x44, 1, 0x2f),
	{0x16, 3, 1, 0, 5, 1, 0, 0, 1, 3}, // the beginning of a TLS handshake
	{'h', 'o', 'w', 'd', 'a', 'h', 1, 0, 0, 0},
	{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 244}, // types of gossip messages
}

func (a *attack) input(r *rand.Rand) []byte {
	if r.IntN(3) == 0 {
		return noise(r, 1<<(3+r.IntN(15)))
	}
	return mutate(r, samples[r.IntN(len(samples))])
}

// bytes sends input over connections that it closes immediately, after an answer, or after a delay.
func (a *attack) bytes(ctx context.Context, addr string) {
	for r := a.random(); pace(ctx); a.raw.Add(1) {
		conn, err := net.DialTimeout("tcp", addr, time.Second)
		if err != nil {
			continue
		}
		send(r, conn, bytes.Replace(a.input(r), []byte("localhost"), []byte(addr), 1)) // daemons reject other names
	}
}

func send(r *rand.Rand, conn net.Conn, b []byte) {
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(time.Duration(1+r.IntN(100)) * time.Millisecond))
	_, _ = conn.Write(b)
	if r.IntN(2) == 0 {
		_, _ = io.Copy(io.Discard, conn)
	}
}

func (a *attack) datagrams(ctx context.Context, addr string) {
	conn, err := net.Dial("udp", addr)
	if err != nil {
		a.t.Error(err)
		return
	}
	defer conn.Close()
	for r := a.random(); pace(ctx); a.packets.Add(1) {
		b := a.input(r)
		_, _ = conn.Write(b[:min(len(b), 60_000)])
	}
}

var paths = []string{"/", "/jobs/job_1_0001", "/attempts/attempt_1_0001_m_000000_0", "/journal", "/what-if",
	"/metrics", "/healthz",
	"/login", "/scheduler", "/static/style.css", "/jobtracker.jsp", "/jobdetails.jsp", "/jobconf.jsp", "/taskstats.jsp",
	"/visit", "/tasklog", "/tasktracker.jsp", "/mapOutput", "/clusters/x", "/nodes/x"}

// pages sends HTTP requests with random paths, queries, and headers. The daemon sees them as
// requests from its own user.
func (a *attack) pages(ctx context.Context, addr string) {
	client := &http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{MaxIdleConnsPerHost: 1},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	defer client.CloseIdleConnections()
	for r := a.random(); pace(ctx); a.requests.Add(1) {
		name := paths[r.IntN(len(paths))]
		if r.IntN(2) == 0 {
			name = "/" + strings.TrimPrefix(string(mutate(r, []byte(name))), "/")
		}
		query := url.Values{}
		for _, key := range []string{"jobid", "tipid", "attemptid", "to", "job", "reduce", "map", "start", "filter", "sort"} {
			if r.IntN(4) == 0 {
				query.Set(key, string(noise(r, 1<<r.IntN(12))))
			}
		}
		u := url.URL{Scheme: "http", Host: addr, Path: name, RawQuery: query.Encode()}
		req, err := http.NewRequest([]string{"GET", "GET", "HEAD", "POST", "PUT", "X"}[r.IntN(6)], u.String(),
			bytes.NewReader(noise(r, 1<<r.IntN(16))))
		if err != nil {
			continue
		}
		req.Header.Set([]string{"Host", "Cookie", "Authorization", "Range", "Accept-Encoding"}[r.IntN(5)],
			strings.ToValidUTF8(strings.Map(printable, string(noise(r, 200))), ""))
		if answer, err := client.Do(req); err == nil {
			_, _ = io.Copy(io.Discard, io.LimitReader(answer.Body, 1<<20))
			answer.Body.Close()
		}
	}
}

func printable(c rune) rune {
	if c < ' ' || c > '~' {
		return -1
	}
	return c
}

// greet opens a connection and completes the handshake.
func greet(ctx context.Context, addr string, proof *auth.Proof) (net.Conn, error) {
	conn, err := (&net.Dialer{Timeout: 5 * time.Second}).DialContext(ctx, "tcp", addr)
	if err == nil {
		_ = conn.SetDeadline(time.Now().Add(10 * time.Second))
		if err = proof.Present(ctx, conn, conn.RemoteAddr().String()); err != nil {
			conn.Close()
		}
		_ = conn.SetDeadline(time.Time{})
	}
	return conn, err
}

// call calls all methods of all services with random messages.
func (a *attack) call(ctx context.Context, addr string, proof *auth.Proof) {
	conn, err := rpc.Dial(addr, rpc.Options{Timeout: 5 * time.Second, Proof: proof})
	if err != nil {
		a.t.Error(err)
		return
	}
	defer conn.Close()
	for r := a.random(); pace(ctx); a.calls.Add(1) {
		m := a.known[r.IntN(len(a.known))]
		one, cancel := context.WithTimeout(ctx, time.Duration(1+r.IntN(200))*time.Millisecond)
		_ = conn.Invoke(one, m.name, message(r, m.request), dynamicpb.NewMessage(m.request))
		cancel()
	}
}

// recorder records what a client writes.
type recorder struct {
	net.Conn
	mu  sync.Mutex
	all []byte
}

func (c *recorder) Write(b []byte) (int, error) {
	c.mu.Lock()
	c.all = append(c.all, b...)
	c.mu.Unlock()
	return c.Conn.Write(b)
}

// stream records the bytes of calls after the handshake and sends mutations of them.
func (a *attack) stream(ctx context.Context, addr string, proof *auth.Proof) {
	r := a.random()
	var last atomic.Pointer[recorder]
	plain, err := rpc.Dial(addr, rpc.Options{Timeout: 5 * time.Second, Dialer: func(ctx context.Context, addr string) (
		net.Conn, error) {
		conn, err := greet(ctx, addr, proof)
		if err != nil {
			return nil, err
		}
		last.Store(&recorder{Conn: conn})
		return last.Load(), nil
	}})
	if err != nil {
		a.t.Error(err)
		return
	}
	for _, m := range a.known {
		one, cancel := context.WithTimeout(ctx, 100*time.Millisecond)
		_ = plain.Invoke(one, m.name, random(r, m.request, 2), dynamicpb.NewMessage(m.request))
		cancel()
	}
	plain.Close()
	rec := last.Load()
	if rec == nil {
		a.t.Errorf("no connection to %s was recorded", addr)
		return
	}
	rec.mu.Lock()
	sample := bytes.Clone(rec.all[:min(len(rec.all), 1<<16)])
	rec.mu.Unlock()
	for ; pace(ctx); a.greeted.Add(1) {
		if conn, err := greet(ctx, addr, proof); err == nil {
			send(r, conn, mutate(r, sample))
		}
	}
}
