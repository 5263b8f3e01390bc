package shuffle

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/task/sortio"
)

// ServerConfig configures a Server.
type ServerConfig struct {
	Addr string // address of the server, exactly as in the requests of reducers
	Root string // root directory of map outputs; see OutputDir
	// Token returns a job's token. It returns false if the server does not have the job.
	Token func(job.ID) ([]byte, bool)
	// IndexCache is the memory for cached indexes in bytes (mapreduce.tasktracker.indexcache.mb); 0
	// means 10 MiB.
	IndexCache int64
	// Requests is the maximum number of concurrent requests (mapreduce.tasktracker.http.threads); 0
	// means 40. Requests beyond that get status 503.
	Requests int
	// WriteTimeout is the maximum time that a reducer may take to accept a chunk of up to 8 MiB; 0
	// means 3 minutes.
	WriteTimeout time.Duration
	// Rate limits the total number of bytes sent per second in all requests
	// (howdah.shuffle.throttle); 0 means no limit.
	Rate int64
}

// maxMaps is the maximum number of map outputs in one request.
const maxMaps = 1000

// writeChunk is the maximum number of bytes that a reducer must accept within WriteTimeout.
const writeChunk = 8 << 20

// Server serves map outputs to reducers. It is an http.Handler for any path and is safe for
// concurrent use.
type Server struct {
	cfg   ServerConfig
	cache *Cache
	slots chan struct{}
	pace  throttle
	stats Stats
}

// Stats contains counts since the server started. Busy counts the requests that got status 503. The
// other counters are those of Hadoop's ShuffleServerMetrics.
type Stats struct {
	OutputBytes, SuccessOutputs, FailedOutputs, Busy atomic.Int64
}

// NewServer returns a server.
func NewServer(cfg ServerConfig) *Server {
	cfg.IndexCache = cmp.Or(cfg.IndexCache, 10<<20)
	cfg.Requests = cmp.Or(cfg.Requests, 40)
	cfg.WriteTimeout = cmp.Or(cfg.WriteTimeout, 3*time.Minute)
	return &Server{cfg: cfg, cache: NewCache(cfg.IndexCache), slots: make(chan struct{}, cfg.Requests),
		pace: throttle{rate: cfg.Rate}}
}

// Stats returns the live counters.
func (s *Server) Stats() *Stats { return &s.stats }

// Release closes the files of map outputs that no request is reading, and the others after their
// requests. Call Release after map outputs have been removed.
func (s *Server) Release() { s.cache.Release() }

// ServeHTTP serves a request for map outputs.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet {
		w.Header().Set("Allow", "GET")
		http.Error(w, "only GET", http.StatusMethodNotAllowed)
		return
	}
	q, err := parseQuery(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	token, ok := s.cfg.Token(q.job)
	hash := r.Header.Get(urlHash)
	// A client without the token must not learn whether this server has the job.
	if !signed(token, request(s.cfg.Addr, r.URL.RequestURI()), hash) || !ok {
		http.Error(w, "no such job here, or wrong token for "+q.job.String(), http.StatusUnauthorized)
		return
	}
	select {
	case s.slots <- struct{}{}:
		defer func() { <-s.slots }()
	default:
		s.stats.Busy.Add(1)
		w.Header().Set("Retry-After", "1")
		http.Error(w, "too many concurrent requests", http.StatusServiceUnavailable)
		return
	}
	w.Header().Set(replyHash, sign(token, hash))
	s.send(r.Context(), w, s.prepare(q))
}

type query struct {
	job    job.ID
	reduce int32
	maps   []job.AttemptID
}

// parseQuery accepts only well-formed map attempt IDs of a single job. Paths derived from such IDs
// are always below Root.
func parseQuery(r *http.Request) (*query, error) {
	v := r.URL.Query()
	id, err := job.ParseID(v.Get("job"))
	if err != nil {
		return nil, err
	}
	if strings.ContainsAny(id.Cluster, `/\`) {
		return nil, errors.New("malformed job " + strconv.Quote(v.Get("job")))
	}
	n, err := strconv.ParseInt(v.Get("reduce"), 10, 32)
	if err != nil || n < 0 {
		return nil, errors.New("malformed reduce " + strconv.Quote(v.Get("reduce")))
	}
	names := strings.Split(v.Get("map"), ",")
	if len(names) > maxMaps {
		return nil, errors.New("more than " + strconv.Itoa(maxMaps) + " maps in one request")
	}
	q := &query{job: id, reduce: int32(n)}
	for _, name := range names {
		a, err := job.ParseAttemptID(name)
		if err != nil {
			return nil, err
		}
		if a.Job != id || a.Type != job.Map {
			return nil, errors.New(name + " is not a map of " + id.String())
		}
		q.maps = append(q.maps, a)
	}
	return q, nil
}

// part is one map's part of a response.
type part struct {
	header Header
	dir    string // directory of the map output; may be a link to a directory on another disk
}

// prepare looks up all segments that q requests. It does so before the response starts, because the
// response's length must be known by then.
func (s *Server) prepare(q *query) []part {
	parts := make([]part, len(q.maps))
	for i, a := range q.maps {
		h := Header{Attempt: a, Reduce: q.reduce}
		dir := OutputDir(s.cfg.Root, a)
		h.Entry, h.Status = s.lookup(dir, q.reduce)
		parts[i] = part{h, dir}
	}
	return parts
}

func (s *Server) lookup(dir string, reduce int32) (sortio.Entry, Status) {
	x, err := s.cache.index(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return sortio.Entry{}, Missing
	}
	if err != nil {
		return sortio.Entry{}, Broken
	}
	if int(reduce) >= len(x) {
		return sortio.Entry{}, NoSuch
	}
	return x[reduce], OK
}

// send writes headers and segments. net/http can use sendfile because the length is known and the
// segments are in plain files. After the first byte, send can signal an error only by breaking the
// connection.
func (s *Server) send(ctx context.Context, w http.ResponseWriter, parts []part) {
	var total int64
	headers := make([][]byte, len(parts))
	for i := range parts {
		headers[i] = parts[i].header.append(nil)
		total += int64(len(headers[i])) + parts[i].header.Entry.Part
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Content-Length", strconv.FormatInt(total, 10))
	rc := http.NewResponseController(w)
	for i := range parts {
		// If the ResponseWriter does not support deadlines, the connection has no deadline.
		_ = rc.SetWriteDeadline(time.Now().Add(s.cfg.WriteTimeout))
		if _, err := w.Write(headers[i]); err != nil {
			panic(http.ErrAbortHandler)
		}
		if parts[i].header.Status != OK {
			s.stats.FailedOutputs.Add(1)
			continue
		}
		if err := s.sendSegment(ctx, w, rc, &parts[i]); err != nil {
			s.stats.FailedOutputs.Add(1)
			panic(http.ErrAbortHandler)
		}
		s.stats.SuccessOutputs.Add(1)
		s.stats.OutputBytes.Add(parts[i].header.Entry.Part)
	}
	_ = rc.SetWriteDeadline(time.Time{}) // the connection may be reused later
}

func (s *Server) sendSegment(ctx context.Context, w io.Writer, rc *http.ResponseController, p *part) error {
	left := p.header.Entry.Part
	if left == 0 {
		return nil
	}
	f, err := s.cache.open(p.dir)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.Seek(p.header.Entry.Start, io.SeekStart); err != nil {
		return err
	}
	for left > 0 {
		n := min(left, s.pace.chunk(writeChunk))
		if err := s.pace.wait(ctx, n); err != nil {
			return err
		}
		_ = rc.SetWriteDeadline(time.Now().Add(s.cfg.WriteTimeout))
		if _, err := io.CopyN(w, f.File, n); err != nil {
			return err
		}
		left -= n
	}
	return nil
}
