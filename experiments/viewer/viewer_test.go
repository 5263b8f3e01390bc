package viewer

import (
	"bytes"
	"context"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/experiments/scenario"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/simulator/playground"
)

// get returns the answer to a request, with HTML's escapes removed.
func get(dir, method, target, body string) (int, string) {
	w := httptest.NewRecorder()
	(&folder{dir: dir}).routes().ServeHTTP(w, httptest.NewRequest(method, target, strings.NewReader(body)))
	return w.Code, html.UnescapeString(w.Body.String())
}

// sample returns a directory with two results of a scenario and two of an experiment.
func sample(t *testing.T) string {
	dir := t.TempDir()
	for i, name := range []string{"a", "b"} {
		r := scenario.Result{Version: 1, Scenario: "tea", About: "about " + name, Started: int64(1000 * (i + 1)),
			Variants: []scenario.VariantResult{{Name: "fifo", Runs: []scenario.Run{{Makespan: int64(5000 * (i + 1)),
				Jobs: []scenario.Job{{ID: "x", Part: "cups", Name: "x", Finish: int64(5000 * (i + 1))}}}}}}}
		require.NoError(t, os.Mkdir(filepath.Join(dir, name), 0o755))
		require.NoError(t, r.Write(filepath.Join(dir, name)))
	}
	require.NoError(t, os.CopyFS(filepath.Join(dir, "papers", "DHF-1"), os.DirFS("../results/DHF-1")))
	return dir
}

func experimentsIn(t *testing.T, dir string) []string {
	files, err := filepath.Glob(filepath.Join(dir, "papers", "DHF-1", "*.json"))
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(files), 2)
	for i := range files {
		files[i] = "papers/DHF-1/" + filepath.Base(files[i])
	}
	return files
}

func TestResults(t *testing.T) {
	dir := sample(t)
	code, text := get(dir, "GET", "/", "")
	require.Equal(t, http.StatusOK, code)
	for _, want := range append(experimentsIn(t, dir), "a/result.json", "b/result.json", "DHF-1, version 3",
		"experiment, simulated", "about a") {
		require.Contains(t, text, want)
	}
	code, text = get(dir, "GET", "/results/a/result.json", "")
	require.Equal(t, http.StatusOK, code)
	require.Contains(t, text, "<h1>tea</h1>")
	code, text = get(dir, "GET", "/results/"+experimentsIn(t, dir)[0], "")
	require.Equal(t, http.StatusOK, code)
	require.Contains(t, text, "<svg")

	_, text = get(t.TempDir(), "GET", "/", "")
	require.Contains(t, text, "There are none yet.")
	code, _ = get(filepath.Join(dir, "none"), "GET", "/", "")
	require.Equal(t, http.StatusNotFound, code)
}

func TestComparisons(t *testing.T) {
	dir := sample(t)
	x := experimentsIn(t, dir)
	code, text := get(dir, "GET", "/compare?result=b/result.json&result=a/result.json", "")
	require.Equal(t, http.StatusOK, code)
	require.Contains(t, text, "<td>fifo</td><td>makespan (s)</td><td>5</td><td>10</td><td>+100.0</td>",
		"the older one is A")
	code, text = get(dir, "GET", fmt.Sprintf("/compare?result=%s&result=%s", x[0], x[1]), "")
	require.Equal(t, http.StatusOK, code)
	require.Contains(t, text, "HOLDS</td>")
	for query, want := range map[string]string{
		"":                                    "choose two",
		"result=a/result.json":                "choose two",
		"result=a/result.json&result=c":       "there is no such result",
		"result=a/result.json&result=" + x[0]: "one belongs to a scenario",
	} {
		code, text = get(dir, "GET", "/compare?"+query, "")
		require.NotEqual(t, http.StatusOK, code)
		require.Contains(t, text, want)
	}
}

// The pages show results below the directory, and nothing else.
func TestNothingElse(t *testing.T) {
	dir, secret := sample(t), sample(t)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "package.json"), []byte(`{"id":"no result"}`), 0o644))
	require.NoError(t, os.Symlink(filepath.Join(secret, "a"), filepath.Join(dir, "linked")))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "c"), 0o755))
	require.NoError(t, os.Symlink(filepath.Join(secret, "a", "result.json"), filepath.Join(dir, "c", "result.json")))
	list, err := (&folder{dir: dir}).list()
	require.NoError(t, err)
	require.Len(t, list, 2+len(experimentsIn(t, dir)))
	up := filepath.Join("..", filepath.Base(secret), "a", "result.json")
	for _, path := range []string{up, strings.ReplaceAll(up, "/", "%2f"), "linked/result.json", "c/result.json",
		"a/report.html", "package.json", "", "%2e%2e/a", secret + "/a/result.json"} {
		code, text := get(dir, "GET", "/results/"+path, "")
		require.NotEqual(t, http.StatusOK, code, path)
		require.NotContains(t, text, "<h1>tea", path)
	}
}

func TestPlayground(t *testing.T) {
	for _, path := range []string{"", "engine.js", "playground.js", "playground.css", "style.css", "icon.svg"} {
		code, text := get(t.TempDir(), "GET", "/playground/"+path, "")
		require.Equal(t, http.StatusOK, code, path)
		require.NotEmpty(t, text)
	}
	code, _ := get(t.TempDir(), "GET", "/playground/wasm.js", "")
	require.Equal(t, http.StatusNotFound, code)
	_, text := get(t.TempDir(), "POST", "/playground/run", "")
	require.Equal(t, html.UnescapeString(string(playground.Answer(t.Context(), nil))), text)
	code, _ = get(t.TempDir(), "POST", "/playground/run", strings.Repeat(" ", playground.MaxRequest+1))
	require.Equal(t, http.StatusRequestEntityTooLarge, code)
}

// Serve listens on this host only, and returns when its context ends.
func TestServe(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	var out bytes.Buffer
	require.NoError(t, Serve(ctx, t.TempDir(), 0, &out))
	require.Regexp(t, `^http://localhost:\d+\n$`, out.String())
	err := Serve(ctx, filepath.Join(t.TempDir(), "none"), 0, &out)
	require.True(t, failure.Is(err, failure.NotFound), "%v", err)
}

// TestReadOnlyChangedResults checks that a page reads a file again only if its size or time differs, and
// that a file that has just changed is not remembered.
func TestReadOnlyChangedResults(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "result.json")
	old := time.Now().Add(-time.Hour)
	write := func(name string, at time.Time) {
		require.NoError(t, os.WriteFile(file, []byte(`{"howdah_scenario_result":1,"scenario":"`+name+`"}`), 0o600))
		require.NoError(t, os.Chtimes(file, at, at))
	}
	f := &folder{dir: dir}
	expect := func(name string) {
		t.Helper()
		list, err := f.list()
		require.NoError(t, err)
		require.Len(t, list, 1)
		require.Equal(t, name, list[0].Name)
		require.Equal(t, file, list[0].file)
	}
	write("tea", old)
	expect("tea")
	write("pie", old) // nothing that a page can notice without reading the file
	expect("tea")
	write("pie", old.Add(time.Nanosecond*1000))
	expect("pie")
	write("cake", old.Add(time.Nanosecond*1000))
	expect("cake")
	soon := time.Now().Add(time.Minute)
	write("more", soon)
	expect("more")
	write("less", soon)
	expect("less")
	require.NoError(t, os.Remove(file))
	list, err := f.list()
	require.NoError(t, err)
	require.Empty(t, list)
	require.Empty(t, f.kept)
}
