//go:build integration

// Package pages looks at the web pages in a real browser.
package pages

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/integration/browser"
	"github.com/howdah/howdah/integration/minicluster"
	"github.com/howdah/howdah/internal/golden"
)

var jobID = regexp.MustCompile(`job_\d+_\d+`)

// TestPagesInBrowser opens every page at the width of a desktop and of a phone, in light and dark
// colors. No page may be wider than the window, and none may cause an error of a script or request.
// With HOWDAH_AXE, the path of axe.min.js of the npm package axe-core, no page may have a serious
// accessibility problem. HOWDAH_SCREENSHOTS names a directory for an image of each page.
func TestPagesInBrowser(t *testing.T) {
	p := browser.Start(t)
	c := minicluster.Start(t, minicluster.Options{TaskTrackers: 3})
	in := filepath.Join(t.TempDir(), "in")
	require.NoError(t, os.Mkdir(in, 0o755))
	for i := range 6 {
		text := strings.Repeat("the quick brown fox jumps over the lazy dog\n", 2000*(i+1))
		require.NoError(t, os.WriteFile(filepath.Join(in, fmt.Sprint("part", i)), []byte(text), 0o644))
	}
	run := func(args ...string) string {
		r := c.Howdah(append([]string{"run"}, args...)...)
		id := jobID.FindString(r.Err + r.Out)
		require.NotEmpty(t, id, r.Err)
		return id
	}
	good := run("wordcount", "-D", "mapreduce.job.reduces=3", in, filepath.Join(t.TempDir(), "out"))
	bad := jobID.FindString(c.Howdah("streaming", "-input", in, "-output", filepath.Join(t.TempDir(), "out"),
		"-mapper", `sh -c "echo cannot open the dictionary >&2; exit 3"`).Err)
	many := run("sleep", "-m", "600", "-r", "2", "-mt", "1", "-rt", "1")
	for _, deadline := range []string{"+300s", "+20s", ""} { // jobs that run while the test looks
		args := []string{"run", "sleep"}
		if deadline != "" {
			args = append(args, "-D", "mapreduce.job.deadline="+deadline)
		}
		wait, _ := c.Background(append(args, "-m", "40", "-r", "2", "-mt", "60000", "-rt", "1")...)
		defer wait()
	}
	list := func() string { return c.Howdah("job", "-list").Out }
	minicluster.Eventually(t, time.Minute, "three running jobs",
		func() bool { return len(jobID.FindAllString(list(), -1)) == 3 })
	running := jobID.FindAllString(list(), -1)
	defer func() {
		for _, id := range running {
			c.Howdah("job", "-kill", id)
		}
	}()

	attempt := strings.Replace(good, "job_", "attempt_", 1) + "_r_000000_0"
	for name, path := range map[string]string{"cluster": "/", "jobs": "/jobs",
		"search":    "/jobs?q=sleep&state=running&since=24h",
		"scheduler": "/scheduler?advanced", "job": "/jobs/" + good, "running": "/jobs/" + running[0],
		"failed": "/jobs/" + bad,
		"many":   "/jobs/" + many, "attempts": "/jobs/" + bad + "/attempts",
		"counters": "/jobs/" + good + "/counters?with=" + many,
		"shuffle":  "/jobs/" + good + "/shuffle",
		"logs":     "/jobs/" + bad + "/logs",
		"attempt":  "/attempts/" + attempt, "conf": "/jobs/" + good + "/conf", "error": "/jobs/job_1_0001"} {
		for _, width := range []int{1280, 390} {
			for _, dark := range []bool{false, true} {
				look(t, p, c.Web+path, name, width, dark)
			}
		}
	}
}

// TestActionsInBrowser makes each change as an operator does: with a button, and a dialog that shows
// what the change does and, if it fails, why.
func TestActionsInBrowser(t *testing.T) {
	p := browser.Start(t)
	c := minicluster.Start(t, minicluster.Options{TaskTrackers: 1,
		Set: []string{"mapred.queue.names=default,night"}})
	wait, _ := c.Background("run", "sleep", "-m", "2", "-r", "1", "-mt", "600000", "-rt", "1")
	defer wait()
	id := ""
	minicluster.Eventually(t, time.Minute, "a running attempt", func() bool {
		id = jobID.FindString(c.Howdah("job", "-list").Out)
		return id != "" && strings.Contains(c.Howdah("job", "-list-attempt-ids", id, "map", "running").Out, "attempt_")
	})
	defer func() { c.Howdah("job", "-kill", id) }()
	attempt := strings.Replace(id, "job_", "attempt_", 1) + "_m_000000_0"
	// open opens the dialog of a page's action and looks at it.
	open := func(path, action string) {
		for _, width := range []int{1280, 390} {
			for _, dark := range []bool{false, true} {
				p.View(width, 900, dark)
				p.Open(c.Web + path)
				p.Eval(`document.querySelector('[data-act="`+action+`"]').click()`, nil)
				inspect(t, p, "dialog-"+action, width, dark)
				var text string
				p.Eval(`document.querySelector("dialog[open] h2").innerText`, &text)
				require.NotEmpty(t, text)
			}
		}
	}
	// confirm presses a dialog's button and waits until the page has loaded again.
	confirm := func(set string) {
		p.Follow(set + `; document.querySelector("dialog[open] .do").click()`)
		require.Empty(t, p.Errors)
	}
	reads := func(want string) {
		t.Helper()
		minicluster.Eventually(t, time.Minute, want, func() bool {
			var text string
			p.Eval(`document.body.innerText`, &text)
			return strings.Contains(text, want)
		})
	}
	const dialog = `document.querySelector("dialog[open]")`

	open("/jobs/"+id, "priority")
	confirm(dialog + `.querySelector("select").value = "VERY_HIGH"`)
	reads("priority VERY_HIGH")
	// deadline returns the value with which the dialog opens.
	deadline := func() (value string) {
		open("/jobs/"+id, "deadline")
		p.Eval(dialog+`.querySelector("[name=deadline]").value`, &value)
		return value
	}
	require.Equal(t, "none", deadline())
	due := time.Now().Add(time.Hour).Truncate(time.Millisecond)
	confirm(dialog + `.querySelector("[name=deadline]").value = "` + due.UTC().Format(time.RFC3339Nano) + `"`)
	at, err := time.Parse(time.RFC3339, deadline())
	require.NoError(t, err)
	require.Equal(t, due.UnixMilli(), at.UnixMilli())
	confirm(dialog + `.querySelector("[name=deadline]").value = "none"`)
	require.Equal(t, "none", deadline())

	open("/jobs/"+id, "move")
	confirm(dialog + `.querySelector("select").value = "night"`)
	reads("queue night")

	open("/", "drain")
	confirm(dialog + `.querySelector("[name=why]").value = "new disk"`)
	reads("new disk")
	open("/", "undrain")
	confirm("")
	reads("healthy")

	open("/scheduler", "switch")
	confirm(dialog + `.querySelector("select").value = "fair"`)
	reads("Scheduler fair")

	open("/attempts/"+attempt, "fail")
	confirm(dialog + `.querySelector("[name=why]").value = "it hangs"`)
	reads("failed by an administrator (/api/v1): it hangs")

	// An error is shown in the dialog, which stays open while the page updates itself. Two clicks send one request.
	open("/jobs/"+id, "kill")
	p.Eval(`window.sent = 0; window.real = fetch; 
		window.fetch = (...a) => { sent += a[1].method === "DELETE"; return real(...a); };
		`+dialog+`.querySelector("form").dataset.to = "/api/v1/jobs/job_1_0001"; const b = `+dialog+`.querySelector(".do");
		b.click(); b.form.requestSubmit(); 0`, nil)
	reads("kill job job_1_0001: no such job. howdah job -list all")
	p.Eval(`new Promise(done => setTimeout(done, 1500))`, nil) // the page updates itself in this time
	reads("kill job job_1_0001: no such job. howdah job -list all")
	sent := 0
	p.Eval("sent", &sent)
	require.Equal(t, 1, sent)
	p.Open(c.Web + "/jobs/" + id)
	p.Eval(`document.querySelector('[data-act=kill]').click()`, nil)
	confirm(dialog + `.querySelector("[name=why]").value = "<b>enough"`)
	reads("killed by an administrator (/api/v1): <b>enough")
	minicluster.Eventually(t, time.Minute, "the buttons to go", func() bool {
		var buttons int
		p.Eval(`document.querySelectorAll("[data-act], dialog").length`, &buttons)
		return buttons == 0
	})
}

// TestLogsInBrowser follows the log of a running attempt, searches it, and turns wrapping off.
func TestLogsInBrowser(t *testing.T) {
	p := browser.Start(t)
	c := minicluster.Start(t, minicluster.Options{TaskTrackers: 1})
	in := filepath.Join(t.TempDir(), "in")
	require.NoError(t, os.WriteFile(in, []byte("a line\n"), 0o644))
	wait, _ := c.Background("streaming", "-input", in, "-output", filepath.Join(t.TempDir(), "out"), "-mapper",
		`sh -c "i=0; while sleep .2; do i=$((i+1)); echo this is tick $i of a log with a long line $(seq 1 60) >&2; done"`)
	defer wait()
	id := ""
	minicluster.Eventually(t, time.Minute, "a running attempt", func() bool {
		id = jobID.FindString(c.Howdah("job", "-list").Out)
		return id != "" && strings.Contains(c.Howdah("job", "-list-attempt-ids", id, "map", "running").Out, "attempt_")
	})
	defer func() { c.Howdah("job", "-kill", id) }()
	p.View(390, 900, false)
	p.Open(c.Web + "/jobs/" + id + "/logs")
	text := ""
	read := func() string {
		p.Eval(`document.getElementById("log").textContent`, &text)
		return text
	}
	read()
	last := "tick " + fmt.Sprint(strings.Count(text, "tick")+10) + " of"
	minicluster.Eventually(t, time.Minute, last, func() bool { return strings.Contains(read(), last) })
	ticks := regexp.MustCompile(`tick (\d+) of`).FindAllStringSubmatch(text, -1)
	for i, m := range ticks {
		require.Equal(t, fmt.Sprint(i+1), m[1], "every line once, in order")
	}
	require.Empty(t, p.Errors)
	var hidden [2]bool
	p.Eval(`(() => { const l = document.getElementById("log"), hides = () => l.scrollWidth > l.clientWidth, a = hides();
		document.getElementById("wrap").click(); return [a, hides()]; })()`, &hidden)
	require.Equal(t, [2]bool{false, true}, hidden, "long lines are hidden without wrapping only")
	for _, width := range []int{1280, 390} {
		for _, dark := range []bool{false, true} {
			look(t, p, c.Web+"/jobs/"+id+"/logs", "follow", width, dark)
			look(t, p, c.Web+"/jobs/"+id+"/logs?q=tick+7+of", "find", width, dark)
			require.Regexp(t, `^this is tick 7 of [^\n]*\n$`, read())
		}
	}
}

// TestImage makes the image in the README, with -rewrite: a cluster that has been busy for a minute.
func TestImage(t *testing.T) {
	if !*golden.Rewrite {
		t.Skip("only with -rewrite")
	}
	p := browser.Start(t)
	c := minicluster.Start(t, minicluster.Options{TaskTrackers: 4,
		Set: []string{"mapreduce.jobtracker.taskscheduler=fair"}})
	for i, name := range []string{"wordcount", "sort", "grep", "pagerank", "kmeans", "terasort", "inverted index",
		"join"} {
		args := []string{"run", "sleep", "-D", "mapreduce.job.name=" + name}
		if i%3 == 2 {
			args = append(args, "-D", "mapreduce.job.deadline=+100s")
		}
		args = append(args, "-m", fmt.Sprint(14+7*i), "-r", "3", "-mt", fmt.Sprint(1500+300*(i%4)), "-rt", "2500")
		c.Background(args...)
	}
	minicluster.Eventually(t, 3*time.Minute, "the fourth job to end", func() bool {
		return strings.Count(c.Howdah("job", "-list", "all", "--json").Out, `"SUCCEEDED"`) >= 4
	})
	p.View(1280, 900, false)
	p.Open(c.Web + "/")
	p.Screenshot("../../docs/images/jobtracker.png")
}

func look(t *testing.T, p *browser.Page, url, name string, width int, dark bool) {
	p.View(width, 900, dark)
	p.Open(url)
	inspect(t, p, name, width, dark)
}

// inspect checks the page that the browser shows.
func inspect(t *testing.T, p *browser.Page, name string, width int, dark bool) {
	t.Helper()
	var wide []string
	p.Eval(`document.documentElement.scrollWidth <= innerWidth ? [] : [...document.querySelectorAll("body *")].filter(
		e => e.getBoundingClientRect().right > innerWidth && !e.parentElement.closest(".wide, .counters")).map(
		e => e.outerHTML.slice(0, 200))`, &wide)
	require.Empty(t, wide, "%s is wider than the window of %d", name, width)
	if width > 1000 {
		p.Eval(`[...document.querySelectorAll(".wide")].filter(e => e.scrollWidth > e.clientWidth).map(
			e => e.innerText.slice(0, 300))`, &wide)
		require.Empty(t, wide, "%s has a table with hidden columns", name)
	}
	if name != "error" {
		require.Empty(t, p.Errors, name)
	}
	if dir := os.Getenv("HOWDAH_SCREENSHOTS"); dir != "" {
		scheme := map[bool]string{false: "light", true: "dark"}[dark]
		p.Screenshot(filepath.Join(dir, fmt.Sprintf("%s-%d-%s.png", name, width, scheme)))
	}
	if file := os.Getenv("HOWDAH_AXE"); file != "" {
		script, err := os.ReadFile(file)
		require.NoError(t, err)
		p.Eval(string(script)+";0", nil)
		var problems []string
		p.Eval(`axe.run().then(r => r.violations.filter(v => ["serious", "critical"].includes(v.impact)).map(
			v => v.id + ": " + v.nodes.map(n => n.html.slice(0, 200)).slice(0, 3).join(" | ")))`, &problems)
		if len(problems) > 0 {
			t.Errorf("%s, width %d, dark %t: %s", name, width, dark, strings.Join(problems, "\n"))
		}
	}
}
