//go:build integration

package pages

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/integration/browser"
	"github.com/howdah/howdah/internal/golden"
	"github.com/howdah/howdah/simulator/playground"
)

const standAlone = "../../bin/playground"

// TestPlaygroundIsSmall holds the stand-alone page to 6 MB as a browser loads it.
func TestPlaygroundIsSmall(t *testing.T) {
	files, err := os.ReadDir(standAlone)
	require.NoError(t, err, "run make playground")
	total := int64(0)
	for _, f := range files {
		info, err := f.Info()
		require.NoError(t, err)
		total += info.Size()
	}
	t.Logf("%d bytes", total)
	require.Less(t, total, int64(6_000_000))
}

// TestPlaygroundAlone tries schedulers on the page that needs no server of howdah.
func TestPlaygroundAlone(t *testing.T) {
	require.FileExists(t, filepath.Join(standAlone, "index.html"), "run make playground first")
	p := browser.Start(t)
	s := httptest.NewServer(http.FileServer(http.Dir(standAlone)))
	defer s.Close()
	play(t, p, s.URL+"/", "alone", view{1280, false}, view{1280, true}, view{390, false}, view{390, true})
}

// TestPlaygroundServed does the same on the page of howdah serve, and looks at its other pages.
func TestPlaygroundServed(t *testing.T) {
	p := browser.Start(t)
	url := serve(t, "../../experiments/results")
	play(t, p, url+"/playground/", "served", view{1280, false})
	var paths []string
	p.Open(url)
	p.Eval(`[...document.querySelectorAll("td a")].filter(a => a.textContent.startsWith("DHF-1,")).map(
		a => a.closest("tr").querySelector("input").value)`, &paths)
	require.GreaterOrEqual(t, len(paths), 2, "results of DHF-1")
	for name, path := range map[string]string{"results": "/",
		"results-compared": fmt.Sprintf("/compare?result=%s&result=%s", paths[0], paths[1])} {
		for _, width := range []int{1280, 390} {
			for _, dark := range []bool{false, true} {
				look(t, p, url+path, name, width, dark)
			}
		}
	}
	p.Open(url + "/results/" + paths[0])
	require.Empty(t, p.Errors)
	var figures int
	p.Eval(`document.querySelectorAll("svg").length`, &figures)
	require.Positive(t, figures)
}

// serve starts howdah-lab serve and returns its address.
func serve(t *testing.T, dir string) string {
	lab := exec.Command("../../bin/howdah-lab", "serve", dir, "--port", "0")
	out, err := lab.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, lab.Start())
	t.Cleanup(func() {
		_ = lab.Process.Signal(os.Interrupt)
		_ = lab.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	return strings.TrimSpace(line)
}

type view struct {
	width int
	dark  bool
}

// play opens each scene in the given views and moves a deadline. The page must answer as the simulator
// does in this process, and must load nothing from elsewhere.
func play(t *testing.T, p *browser.Page, url, name string, views ...view) {
	n := 0
	open := func(scene string, width int, dark bool) {
		n++
		p.View(width, 900, dark)
		p.Open(fmt.Sprintf("%s?%d#%s", url, n, scene)) // another query, so that the browser loads the page again
		p.Eval(`new Promise(done => { const f = () => document.body.dataset.runs ? done() : setTimeout(f, 10); f(); })`, nil)
	}
	for _, scene := range playground.Scenes() {
		for _, v := range views {
			open(scene.ID, v.width, v.dark)
			inspect(t, p, name+"-"+scene.ID, v.width, v.dark)
		}
		var bars, layers int
		p.Eval(`document.querySelectorAll("#charts rect[class^=s]").length`, &bars)
		p.Eval(`document.querySelectorAll("#charts path[class^=s]").length`, &layers)
		require.GreaterOrEqual(t, bars, len(scene.Request.Jobs), scene.ID)
		require.GreaterOrEqual(t, layers, 2, scene.ID)
		for _, policy := range scene.Policies {
			r := scene.Request
			r.Policy = policy
			text, err := json.Marshal(r)
			require.NoError(t, err)
			var got string
			p.Eval(fmt.Sprintf(`engine.run(%q)`, text), &got)
			require.Equal(t, string(playground.Answer(context.Background(), text)), got, "%s under %s", scene.ID, policy)
		}
	}
	open("deadlines", 1280, false)
	moveDeadline(t, p)
	var elsewhere []string
	p.Eval(`performance.getEntriesByType("resource").map(e => e.name).filter(u => !u.startsWith(location.origin + "/"))`,
		&elsewhere)
	require.Empty(t, elsewhere)
	require.Empty(t, p.Errors)
}

// moveDeadline moves the deadline of the second job later with the mouse, and earlier with a key.
func moveDeadline(t *testing.T, p *browser.Page) {
	p.Eval(`new Promise(done => { $("policy").value = "maxedf"; $("form").dispatchEvent(new Event("change"));
		const f = () => timeline.jobs[1].missed && document.body.dataset.runs === "2" ? done() : setTimeout(f, 10); f(); })`,
		nil)
	var at struct{ X, Y, Scale float64 }
	p.Eval(`(() => { const b = document.querySelectorAll(".deadline path")[1].getBoundingClientRect();
		return { X: b.x + b.width / 2, Y: b.y + b.height / 2, Scale: width() / span }; })()`, &at)
	p.Drag(at.X, at.Y, at.X+30_000*at.Scale, at.Y)
	var after struct {
		Deadline int64
		Missed   bool
		Text     string
	}
	p.Eval(`new Promise(done => { const f = () => document.body.dataset.runs !== "3" ? setTimeout(f, 10) : done({
		Deadline: request.jobs[1].deadline, Missed: timeline.jobs[1].missed, Text: $("outcome").textContent });
		f(); })`, &after)
	require.InDelta(t, 115, after.Deadline, 1, "the deadline of 85 s, 30 s later")
	require.False(t, after.Missed)
	require.Contains(t, after.Text, "0 of 3 deadlines are missed. Before, with maxedf: 230 s, and 1 of 3")
	var now int64
	p.Eval(`new Promise(done => { document.querySelectorAll(".deadline")[1].dispatchEvent(
		new KeyboardEvent("keydown", { key: "ArrowLeft", bubbles: true }));
		const f = () => document.body.dataset.runs !== "4" ? setTimeout(f, 10) : done(timeline.jobs[1].deadline / 1000);
		f(); })`, &now)
	require.Equal(t, after.Deadline-5, now)
	if *golden.Rewrite {
		p.Screenshot("../../docs/images/schedulers.png")
	}
}
