package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/dfs/mem"
	"github.com/howdah/howdah/job/failure"
)

// server is an object store. GET reads the object at the URL's path, and DELETE removes it. The other
// operations are named by the query parameter op. A new object is an upload, as in S3: create reserves
// the name, part adds bytes, and complete publishes them. An unfinished upload stays until it is
// aborted.
type server struct {
	objects *mem.FS
	mu      sync.Mutex
	uploads map[string]dfs.Writer
}

func newServer() *server { return &server{objects: mem.New(), uploads: map[string]dfs.Writer{}} }

// reply is the body of every reply except a successful GET of an object.
type reply struct {
	Kind   failure.Kind // of the error
	Error  string       // "" means success
	Infos  []dfs.Info
	Upload string
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	op := r.URL.Query().Get("op")
	if r.Method == http.MethodGet && op == "" {
		f, err := s.objects.Open(r.Context(), r.URL.Path)
		if err == nil {
			http.ServeContent(w, r, "", time.Time{}, f)
			return
		}
		answer(w, reply{}, err)
		return
	}
	result, err := s.do(op, r)
	answer(w, result, err)
}

func answer(w http.ResponseWriter, result reply, err error) {
	if err != nil {
		result = reply{Kind: failure.KindOf(err), Error: err.Error()}
		w.WriteHeader(http.StatusConflict)
	}
	_ = json.NewEncoder(w).Encode(result) // the client notices a broken connection
}

func (s *server) do(op string, r *http.Request) (result reply, err error) {
	ctx, name, query := r.Context(), r.URL.Path, r.URL.Query()
	switch op {
	case "stat":
		info, err := s.objects.Stat(ctx, name)
		return reply{Infos: []dfs.Info{info}}, err
	case "list":
		result.Infos, err = s.objects.List(ctx, name)
	case "mkdir":
		err = s.objects.Mkdir(ctx, name)
	case "rename":
		err = s.objects.Rename(ctx, name, query.Get("to"))
	case "delete":
		err = s.objects.Delete(ctx, name, query.Has("recursive"))
	case "meta":
		var m dfs.Meta
		if err = json.NewDecoder(r.Body).Decode(&m); err == nil {
			err = s.objects.SetMeta(ctx, name, m)
		}
	case "create":
		var o dfs.CreateOptions
		if err = json.NewDecoder(r.Body).Decode(&o); err == nil {
			result.Upload, err = s.create(name, o)
		}
	case "part", "complete", "abort":
		err = s.upload(op, query.Get("upload"), r.Body)
	default:
		err = failure.New(failure.Usage, "serve", op, errors.New("no such operation"))
	}
	return result, err
}

func (s *server) create(name string, o dfs.CreateOptions) (id string, err error) {
	w, err := s.objects.Create(context.Background(), name, o) // outlives the request
	if err != nil {
		return "", err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	id = rand.Text()
	s.uploads[id] = w
	return id, nil
}

func (s *server) upload(op, id string, body io.Reader) error {
	s.mu.Lock()
	w := s.uploads[id]
	if op != "part" {
		delete(s.uploads, id)
	}
	s.mu.Unlock()
	switch {
	case w == nil:
		return failure.New(failure.Usage, op, id, errors.New("no such upload"))
	case op == "part":
		_, err := io.Copy(w, body)
		return err
	case op == "complete":
		return w.Close()
	}
	w.Abort()
	return nil
}
