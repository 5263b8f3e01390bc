package viewer

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/experiments/scenario"
	"github.com/howdah/howdah/job/failure"
)

const (
	maxResults = 2000
	maxDepth   = 4        // of folders below the directory
	maxSize    = 64 << 20 // of a result, in bytes

	maxKept     = 10_000   // files that a folder remembers
	maxKeptText = 64 << 10 // text of a file that a folder remembers, in bytes
	// settled is how old a change of a file must be before a folder remembers the file. The next change
	// could have the same time otherwise.
	settled = 2 * time.Second
)

// folder is a directory of results. It reads a file again only when the file's size or time of change
// differs. It is safe for concurrent use.
type folder struct {
	dir  string
	mu   sync.Mutex
	kept map[string]kept // by path; list replaces the map and never changes it
}

// kept is what a folder remembers of a file.
type kept struct {
	size    int64
	changed time.Time
	result  result
	ok      bool // the file is a result
}

// result is what the list of results shows about one of them.
type result struct {
	Path       string // of the file, below the directory, with slashes
	Name, Kind string
	About      string
	Revision   string
	When       time.Time

	file string
}

// head is the part of a result's JSON that the list shows. Results of scenarios and experiments have
// different fields.
type head struct {
	Form     int       `json:"howdah_scenario_result"`
	Scenario string    `json:"scenario"`
	About    string    `json:"about"`
	Started  int64     `json:"started_ms"`
	ID       string    `json:"id"`
	Item     string    `json:"item"`
	Claim    string    `json:"claim"`
	Began    time.Time `json:"began"`
	Real     bool      `json:"real"`
	Revision string    `json:"revision"`
	Version  int       `json:"version"`
}

// list returns the results below the directory, the latest first. It follows no links, and skips other
// files.
func (f *folder) list() (out []result, err error) {
	dir := f.dir
	f.mu.Lock()
	before, now := f.kept, map[string]kept{}
	f.mu.Unlock()
	bad := func(err error) error { return failure.New(failure.KindOf(err), "read results", dir, err) }
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, bad(err)
	}
	defer root.Close()
	err = fs.WalkDir(root.FS(), ".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil && path == ".":
			return err
		case err != nil || len(out) == maxResults:
			return nil
		case d.IsDir() && path != "." && (strings.HasPrefix(d.Name(), ".") || strings.Count(path, "/") >= maxDepth):
			return fs.SkipDir
		case !d.Type().IsRegular() || !strings.HasSuffix(path, ".json"):
			return nil
		}
		info, err := d.Info()
		if err != nil || info.Size() > maxSize {
			return nil
		}
		k, same := before[path]
		if !same || k.size != info.Size() || !k.changed.Equal(info.ModTime()) {
			text, err := root.ReadFile(path)
			if err != nil {
				return nil
			}
			k = kept{size: info.Size(), changed: info.ModTime()}
			k.result, k.ok = read(path, text)
			k.result.file = filepath.Join(dir, filepath.FromSlash(path))
		}
		r := &k.result
		if len(now) < maxKept && len(r.Name)+len(r.About)+len(r.Revision) <= maxKeptText &&
			time.Since(k.changed) > settled {
			now[path] = k
		}
		if k.ok {
			out = append(out, *r)
		}
		return nil
	})
	if err != nil {
		return nil, bad(err)
	}
	f.mu.Lock()
	f.kept = now
	f.mu.Unlock()
	slices.SortStableFunc(out, func(a, b result) int { return b.When.Compare(a.When) })
	return out, nil
}

// read returns what the list shows about a file, or false if the file is not a result.
func read(path string, text []byte) (result, bool) {
	var h head
	if json.Unmarshal(text, &h) != nil {
		return result{}, false
	}
	where := map[bool]string{false: "simulated", true: "real"}[h.Real]
	switch {
	case h.Form > 0 && filepath.Base(path) == "result.json":
		return result{Path: path, Name: h.Scenario, Kind: "scenario, " + where, About: h.About, Revision: h.Revision,
			When: time.UnixMilli(h.Started).UTC()}, true
	case h.ID != "" && h.Version > 0 && !h.Began.IsZero():
		return result{Path: path, Name: fmt.Sprintf("%s, version %d", h.ID, h.Version), Kind: "experiment, " + where,
			About: h.Item + ": " + h.Claim, Revision: h.Revision, When: h.Began.UTC()}, true
	}
	return result{}, false
}

func (r *result) scenario() bool { return strings.HasPrefix(r.Kind, "scenario") }

// find returns the results with the given paths. A path is valid only if the list contains it.
func (f *folder) find(paths ...string) (out []result, err error) {
	all, err := f.list()
	if err != nil {
		return nil, err
	}
	for _, path := range paths {
		i := slices.IndexFunc(all, func(r result) bool { return r.Path == path })
		if i < 0 {
			return nil, failure.New(failure.NotFound, "show result", path, errors.New("there is no such result"))
		}
		out = append(out, all[i])
	}
	return out, nil
}

// index shows the results.
func (f *folder) index(w http.ResponseWriter) {
	results, err := f.list()
	if err != nil {
		fail(w, err)
		return
	}
	show(w, http.StatusOK, "index", struct {
		Dir     string
		Results []result
		Most    bool
	}{f.dir, results, len(results) == maxResults})
}

// report shows one result.
func (f *folder) report(w http.ResponseWriter, path string) {
	found, err := f.find(path)
	if err != nil {
		fail(w, err)
		return
	}
	r := &found[0]
	var text []byte
	if r.scenario() {
		x, err := scenario.ReadResult(filepath.Dir(r.file))
		if err == nil {
			text, err = x.HTML()
		}
		write(w, text, err)
		return
	}
	x, err := lab.ReadResult(r.file)
	var b bytes.Buffer
	if err == nil {
		err = x.Beside(&b)
	}
	write(w, b.Bytes(), err)
}

func write(w http.ResponseWriter, text []byte, err error) {
	if err != nil {
		fail(w, err)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write(text)
}

// compare shows two results of scenarios, or of one experiment.
func (f *folder) compare(w http.ResponseWriter, paths []string) {
	bad := func(why string) { fail(w, failure.New(failure.Usage, "compare results", "", errors.New(why))) }
	if len(paths) != 2 {
		bad("choose two")
		return
	}
	found, err := f.find(paths...)
	if err != nil {
		fail(w, err)
		return
	}
	a, b := &found[0], &found[1]
	if a.When.After(b.When) {
		a, b = b, a
	}
	switch {
	case a.scenario() != b.scenario():
		bad("one belongs to a scenario, the other to an experiment")
	case a.scenario():
		text, err := compareScenarios(a, b)
		write(w, text, err)
	default:
		x, err := lab.ReadResult(a.file)
		y, err2 := lab.ReadResult(b.file)
		if err = cmp.Or(err, err2); err != nil {
			fail(w, err)
			return
		}
		if x.ID != y.ID {
			bad(x.ID + " and " + y.ID + " are different experiments")
			return
		}
		show(w, http.StatusOK, "compare", struct {
			ID   string
			A, B *result
			lab.Table
		}{x.ID, a, b, x.Against(y)})
	}
}

func compareScenarios(a, b *result) ([]byte, error) {
	x, err := scenario.ReadResult(filepath.Dir(a.file))
	if err != nil {
		return nil, err
	}
	y, err := scenario.ReadResult(filepath.Dir(b.file))
	if err != nil {
		return nil, err
	}
	c, err := scenario.Compare(x, y)
	if err != nil {
		return nil, err
	}
	return c.HTML()
}
