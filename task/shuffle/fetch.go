package shuffle

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/howdah/howdah/internal/auth/certs"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/task/sortio"
)

// fetcher fetches segments from hosts and adds them to the store. It is safe for concurrent use.
type fetcher struct {
	cfg    *Config
	store  *store
	client *http.Client
}

func newFetcher(cfg *Config, s *store, dial func(ctx context.Context, network, addr string) (net.Conn,
	error)) *fetcher {
	if dial == nil {
		dial = (&net.Dialer{Timeout: cfg.ConnectTimeout}).DialContext
	}
	timed := func(ctx context.Context, network, addr string) (net.Conn, error) {
		c, err := dial(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		return &timedConn{c, cfg.ReadTimeout}, nil
	}
	transport := &http.Transport{
		DialContext:         timed,
		DisableCompression:  true,
		MaxIdleConnsPerHost: 1,
		IdleConnTimeout:     10 * time.Second,
		ReadBufferSize:      64 << 10,
	}
	if cfg.TLS != nil {
		transport.DialTLSContext = cfg.TLS.Dial(timed, func(ctx context.Context) certs.Role {
			host, _ := ctx.Value(hostKey{}).(string)
			return certs.TaskTracker(host)
		})
	}
	return &fetcher{cfg: cfg, store: s, client: &http.Client{Transport: transport}}
}

type hostKey struct{}

// atHost returns a context for a fetch from the TaskTracker on host.
func atHost(ctx context.Context, host string) context.Context {
	return context.WithValue(ctx, hostKey{}, host)
}

func (f *fetcher) close() { f.client.CloseIdleConnections() }

// timedConn is a connection whose reads time out. It detects half-open connections and stalled
// peers.
type timedConn struct {
	net.Conn
	timeout time.Duration
}

func (c *timedConn) Read(p []byte) (int, error) {
	if err := c.SetReadDeadline(time.Now().Add(c.timeout)); err != nil {
		return 0, err
	}
	return c.Conn.Read(p)
}

// target identifies a map attempt whose output must be fetched.
type target struct{ mapIndex, attempt int32 }

func (f *fetcher) id(t target) job.AttemptID {
	return job.AttemptID{TaskID: job.TaskID{Job: f.cfg.Job, Type: job.Map, Index: t.mapIndex}, N: t.attempt}
}

// cause describes why a fetch failed.
type cause struct {
	err     error
	counter job.CounterID // one of the shuffle error counters
	connect bool          // the host was unreachable or rejected the request, so all targets failed
	fatal   bool          // the reducer's side failed (disk, memory, or shutdown)
	next    bool          // the rest of the response is usable and continues with the next target
}

// fetch fetches the outputs of targets, which are all at one host, and calls done for each target
// in turn. If a failure makes the rest of the response unusable, fetch stops and does not try the
// remaining targets.
func (f *fetcher) fetch(ctx context.Context, addr string, targets []target, done func(target, *cause)) {
	if addr == f.cfg.LocalAddr && (f.cfg.LocalRoot != "" || f.cfg.Outputs != nil) {
		f.fetchLocal(ctx, targets, done)
		return
	}
	resp, err := f.request(ctx, addr, targets)
	if err != nil {
		c := &cause{err: err, counter: job.ShuffleConnection, connect: !stalled(err), fatal: ctx.Err() != nil}
		for _, t := range targets {
			done(t, c)
		}
		return
	}
	defer resp.Body.Close()
	for _, t := range targets {
		c := f.receive(ctx, addr, resp.Body, t)
		done(t, c)
		if c != nil && !c.next {
			return
		}
	}
	// Read to the end of the response so that the connection can be reused.
	var one [1]byte
	_, _ = resp.Body.Read(one[:])
}

func (f *fetcher) request(ctx context.Context, addr string, targets []target) (*http.Response, error) {
	names := make([]string, len(targets))
	for i, t := range targets {
		names[i] = f.id(t).String()
	}
	u := url.URL{Scheme: f.cfg.TLS.Scheme(), Host: addr, Path: "/mapOutput",
		RawQuery: fmt.Sprintf("job=%s&reduce=%d&map=%s", url.QueryEscape(f.cfg.Job.String()), f.cfg.Reduce,
			strings.Join(names, ","))}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, failure.New(failure.Internal, "fetch map output", addr, err)
	}
	hash := sign(f.cfg.Token, request(addr, req.URL.RequestURI()))
	req.Header.Set(urlHash, hash)
	resp, err := f.client.Do(req)
	if err != nil {
		k := failure.KindOf(err)
		if k == failure.Unknown {
			k = failure.Unreachable
		}
		return nil, failure.New(k, "fetch map output", addr, err)
	}
	if resp.StatusCode == http.StatusOK && signed(f.cfg.Token, hash, resp.Header.Get(replyHash)) {
		return resp, nil
	}
	defer resp.Body.Close()
	if resp.StatusCode == http.StatusOK {
		return nil, failure.New(failure.Permission, "fetch map output", addr,
			errors.New("the reply is not signed with the job's token"))
	}
	text, _ := io.ReadAll(io.LimitReader(resp.Body, 512))
	return nil, failure.New(statusKind(resp.StatusCode), "fetch map output", addr,
		fmt.Errorf("%s: %s", resp.Status, strings.TrimSpace(string(text))))
}

// stalled reports whether err means that a host accepts connections but sends nothing, rather than
// that it is unreachable.
func stalled(err error) bool {
	var op *net.OpError
	return failure.Is(err, failure.Timeout) && errors.As(err, &op) && op.Op != "dial"
}

func statusKind(code int) failure.Kind {
	switch code {
	case http.StatusUnauthorized:
		return failure.Permission
	case http.StatusServiceUnavailable:
		return failure.Limit
	}
	return failure.Unreachable
}

// receive reads one map's header and segment, and adds the segment to the store.
func (f *fetcher) receive(ctx context.Context, addr string, body io.Reader, t target) *cause {
	var h Header
	if err := h.read(body); err != nil {
		return &cause{err: brokenOff(addr, err), counter: job.ShuffleIOError}
	}
	switch {
	case h.Attempt != f.id(t):
		return &cause{err: badHeader("%s sent %s instead of %s", addr, h.Attempt, f.id(t)), counter: job.ShuffleWrongMap}
	case h.Reduce != f.cfg.Reduce:
		return &cause{err: badHeader("%s sent the output for reducer %d instead of %d", addr, h.Reduce, f.cfg.Reduce),
			counter: job.ShuffleWrongReduce}
	case h.Status == NoSuch:
		return &cause{err: f.refused(addr, t, h.Status), counter: job.ShuffleWrongReduce, next: true}
	case h.Status != OK:
		return &cause{err: f.refused(addr, t, h.Status), counter: job.ShuffleIOError, next: true}
	}
	return f.take(ctx, body, h.Entry, t, addr)
}

func (f *fetcher) refused(addr string, t target, s Status) error {
	return failure.New(failure.NotFound, "fetch map output", f.id(t).String(), errors.New(addr+": "+s.String()))
}

// take reads a segment from src and stores it in memory or on disk, depending on its size.
func (f *fetcher) take(ctx context.Context, src io.Reader, e sortio.Entry, t target, from string) *cause {
	name := f.id(t).String() + " from " + from
	if f.store.inMemory(e.Raw) {
		if err := f.store.reserve(ctx, e.Raw); err != nil {
			return &cause{err: err, fatal: true}
		}
		data, err := sortio.LoadSegment(make([]byte, 0, e.Raw), src, e, f.cfg.Codec, name)
		if err != nil {
			f.store.release(e.Raw)
			return segmentCause(err)
		}
		f.store.commit(sortio.Segment{Data: data, Tag: uint32(t.mapIndex), Name: name})
	} else {
		path, err := f.store.newPath("fetch")
		if err != nil {
			return &cause{err: err, fatal: true}
		}
		if c := f.toDisk(path, src, e, name); c != nil {
			os.Remove(path)
			return c
		}
		// The entry comes from another host's header, so its Start is 0, as in the new file.
		f.store.commitRun(run{path: path, entry: e, tag: uint32(t.mapIndex), ours: true})
	}
	f.cfg.Counters.Inc(job.ReduceShuffleBytes, e.Part)
	return nil
}

func (f *fetcher) toDisk(path string, src io.Reader, e sortio.Entry, name string) *cause {
	w, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o640)
	if err != nil {
		return &cause{err: failure.New(failure.KindOf(err), "create", path, err), fatal: true}
	}
	lw := &localWriter{File: w}
	err = sortio.CopySegment(lw, src, e, name)
	if lw.err = cmp.Or(lw.err, w.Close()); lw.err != nil {
		return &cause{err: failure.New(failure.KindOf(lw.err), "write", path, lw.err), fatal: true}
	}
	if err != nil {
		return segmentCause(err)
	}
	f.cfg.Counters.Inc(job.FileBytesWritten, e.Part)
	f.cfg.Counters.Inc(job.FileWriteOps, 1)
	return nil
}

// localWriter records write errors of the local disk, to distinguish them from errors of the peer.
type localWriter struct {
	*os.File
	err error
}

func (w *localWriter) Write(p []byte) (int, error) {
	n, err := w.File.Write(p)
	if err != nil {
		w.err = err
	}
	return n, err
}

func segmentCause(err error) *cause {
	return &cause{err: err, counter: job.ShuffleIOError}
}

func brokenOff(addr string, err error) error {
	var e *failure.Error
	if errors.As(err, &e) {
		return err
	}
	k := failure.KindOf(err)
	if k == failure.Unknown {
		k = failure.Unreachable
	}
	return failure.New(k, "fetch map output", addr, err)
}

// fetchLocal gets outputs from this process, or from the files of this host's TaskTracker. It
// verifies the checksums of all segments, even those that it does not copy, unless this process
// wrote them.
//
// The merge verifies a segment in its file again. If only the merge verified it, the reducer would
// already have processed earlier records when the merge finds damage, and the attempt would have to
// fail. Here, the shuffle waits until the map has run again. The additional pass costs less than 4%
// of TeraSort's CPU time.
func (f *fetcher) fetchLocal(ctx context.Context, targets []target, done func(target, *cause)) {
	for _, t := range targets {
		done(t, f.local(ctx, t))
	}
}

func (f *fetcher) local(ctx context.Context, t target) *cause {
	out, err := f.output(t)
	if err != nil {
		return segmentCause(err)
	}
	var file *openOutput
	x, path := out.Index, out.Path
	if x == nil {
		if file, err = f.cfg.Cache.open(filepath.Dir(path)); err != nil {
			return segmentCause(err)
		}
		defer file.Close()
		if x, err = file.index(); err != nil {
			return segmentCause(err)
		}
	}
	if int(f.cfg.Reduce) >= len(x) {
		return &cause{err: badHeader("%s has no reducer %d", f.id(t), f.cfg.Reduce), counter: job.ShuffleWrongReduce}
	}
	e := x[f.cfg.Reduce]
	if path == "" {
		f.store.commitKept(sortio.Segment{Data: out.Segment(int(f.cfg.Reduce)), Tag: uint32(t.mapIndex),
			Name: f.id(t).String() + " in memory"})
		f.cfg.Counters.Inc(job.ReduceShuffleBytes, e.Part)
		return nil
	}
	stays := f.store.stays(e)
	if stays && f.cfg.Outputs != nil {
		return f.leave(path, e, t)
	}
	if file == nil {
		if file, err = f.cfg.Cache.open(filepath.Dir(path)); err != nil {
			return segmentCause(err)
		}
		defer file.Close()
	}
	src := io.NewSectionReader(file, e.Start, e.Part)
	if !stays {
		f.cfg.Counters.Inc(job.FileBytesRead, e.Part)
		f.cfg.Counters.Inc(job.FileReadOps, 1)
		return f.take(ctx, src, e, t, "this host")
	}
	if err := sortio.VerifySegment(src, e, path); err != nil {
		return segmentCause(err)
	}
	return f.leave(path, e, t)
}

// output returns the output of t, which ran in this process or on this host. If the index is nil, it
// is in the file.
func (f *fetcher) output(t target) (*sortio.Output, error) {
	id := f.id(t)
	if f.cfg.Outputs != nil {
		return f.cfg.Outputs.get(id)
	}
	return &sortio.Output{Path: filepath.Join(OutputDir(f.cfg.LocalRoot, id), sortio.OutputName)}, nil
}

// leave adds a segment to the store without copying it out of the file at path.
func (f *fetcher) leave(path string, e sortio.Entry, t target) *cause {
	f.store.commitRun(run{path: path, entry: e, tag: uint32(t.mapIndex)})
	f.cfg.Counters.Inc(job.ReduceShuffleBytes, e.Part)
	return nil
}
