// Package api serves the project's own HTTP interface, /api/v1, on the web ports of the JobTracker,
// the history server, and the manager. openapi.json describes it; a test derives that file from the
// routes and checks the answers. Start with [Server] and [Manager].
package api

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/howdah/howdah/internal/auth"
	"github.com/howdah/howdah/internal/jsonout"
	"github.com/howdah/howdah/internal/port"
	"github.com/howdah/howdah/internal/webguard"
	"github.com/howdah/howdah/job/failure"
)

const base = "/api/v1"

//go:embed openapi.json
var document []byte

// route is an operation. Its types determine the schemas in the document.
type route struct {
	method, path, summary string
	params                []param
	body, answer          reflect.Type // nil means none
	do                    func(*call) (any, error)
	stream                func(http.ResponseWriter, *call) // replaces do
}

// param is a parameter in an address. A type of "" means string.
type param struct{ name, kind, text string }

// operation returns a route whose answer has the type T.
func operation[T any](method, path, summary string, do func(*call) (T, error), params ...param) route {
	return route{method: method, path: path, summary: summary, params: params, answer: reflect.TypeFor[T](),
		do: func(c *call) (any, error) { return do(c) }}
}

func get[T any](path, summary string, do func(*call) (T, error), params ...param) route {
	return operation(http.MethodGet, path, summary, do, params...)
}

// with returns a route whose requests have a body of type B.
func with[B any](r route) route {
	r.body = reflect.TypeFor[B]()
	return r
}

// change returns a route without an answer, because the caller may be unable to see what it changes.
func change(method, path, summary string, do func(*call) error, params ...param) route {
	return route{method: method, path: path, summary: summary, params: params,
		do: func(c *call) (any, error) { return nil, do(c) }}
}

// call is a request to a route.
type call struct {
	*http.Request
	route *route
}

// param returns the value of a parameter, or "". It panics if the route lacks the parameter.
func (c *call) param(name string) string {
	if !slices.ContainsFunc(c.route.params, func(p param) bool { return p.name == name }) {
		panic("undeclared parameter " + name)
	}
	return c.URL.Query().Get(name)
}

// number returns a parameter from 1 to most, and none if the parameter is absent.
func (c *call) number(name string, none, most int) (int, error) {
	text := c.param(name)
	if text == "" {
		return none, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > most {
		return 0, usage(name, "%.20q is not a number from 1 to %d", text, most)
	}
	return n, nil
}

// read decodes the request's body, which must not have unknown fields.
func (c *call) read(to any) error {
	d := json.NewDecoder(c.Body)
	d.DisallowUnknownFields()
	if err := d.Decode(to); err != nil {
		return usage("body", "%w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return usage("body", "the body must end after the value")
	}
	return nil
}

func usage(on, format string, args ...any) error {
	return failure.New(failure.Usage, "read", on, fmt.Errorf(format, args...)).Fix("see " + base + "/openapi.json")
}

// by describes the caller for the reason of a change.
func (c *call) by() string { return auth.From(c.Context()).String() + " (" + base + ")" }

// handler returns the handler of a daemon's routes.
func handler(routes []route) http.Handler {
	m := http.NewServeMux()
	m.HandleFunc("GET "+base+"/openapi.json", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(document)
	})
	methods := map[string][]string{}
	for i := range routes {
		r := &routes[i]
		m.HandleFunc(r.method+" "+base+r.path, r.serve)
		methods[r.path] = append(methods[r.path], r.method)
	}
	for path, allowed := range methods {
		m.HandleFunc(base+path, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Allow", strings.Join(allowed, ", "))
			fail(w, http.StatusMethodNotAllowed, failure.New(failure.Usage, r.Method, r.URL.Path, errors.New("no such method")))
		})
	}
	m.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		fail(w, 0, failure.New(failure.NotFound, "find", r.URL.Path, nil).Fix("see "+base+"/openapi.json"))
	})
	return m
}

func (r *route) serve(w http.ResponseWriter, req *http.Request) {
	c := &call{req, r}
	if err := r.check(req); err != nil {
		fail(w, 0, err)
		return
	}
	if r.stream != nil {
		r.stream(w, c)
		return
	}
	a, err := r.do(c)
	switch {
	case err != nil:
		fail(w, 0, err)
	case r.answer == nil:
		w.WriteHeader(http.StatusNoContent)
	default:
		write(w, http.StatusOK, a)
	}
}

// check rejects changes that another site may have caused, and requests with unknown parameters.
func (r *route) check(req *http.Request) error {
	if req.Method != http.MethodGet && req.Method != http.MethodHead && !webguard.Deliberate(req) {
		return failure.New(failure.Permission, req.Method, req.URL.Path,
			errors.New("another site may have sent the request")).
			Fix("send a token, or the header " + webguard.ChangeHeader)
	}
	for name, values := range req.URL.Query() {
		if !slices.ContainsFunc(r.params, func(p param) bool { return p.name == name }) {
			return usage(fmt.Sprintf("%.100q", name), "there is no such parameter")
		}
		if len(values) > 1 {
			return usage(name, "the parameter is repeated")
		}
	}
	return nil
}

// problem is the answer to a request that fails.
type problem struct {
	Error reason `json:"error"`
}

type reason struct {
	Kind string `json:"kind" doc:"kind of the error, such as NOT_FOUND"`
	Op   string `json:"op,omitempty" doc:"operation that failed"`
	On   string `json:"on,omitempty" doc:"object of the operation"`
	Why  string `json:"why" doc:"cause"`
	Fix  string `json:"fix,omitempty" doc:"what to do"`
}

// fail answers with an error. A code of 0 means that the kind of the error determines the status.
func fail(w http.ResponseWriter, code int, err error) {
	kind := failure.KindOf(err)
	p := reason{Kind: jsonout.State(kind.String()), Why: err.Error()}
	if e := (*failure.Error)(nil); errors.As(err, &e) {
		p.Op, p.On, p.Fix, p.Why = e.Op, e.On, e.Remedy, kind.String()
		if e.Err != nil {
			p.Why = e.Err.Error()
		}
	}
	if code == 0 {
		code = port.Status(kind)
	}
	write(w, code, problem{p})
}

func write(w http.ResponseWriter, code int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = jsonout.Write(w, v) // a client that has gone needs no answer
}
