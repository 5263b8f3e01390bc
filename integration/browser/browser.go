//go:build integration

// Package browser drives a headless Chromium, for tests of web pages. It uses the DevTools protocol
// over a pipe, so that no port is open.
package browser

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Page is a tab of a browser. It must be used by one goroutine.
type Page struct {
	t       testing.TB
	to      *os.File
	pipe    *os.File // from Chromium
	from    *bufio.Reader
	session string
	calls   int

	// Errors are the errors of scripts and requests since the last Open.
	Errors []string
}

// Start starts Chromium with an empty page. It skips the test if Chromium is not installed. The
// browser ends with the test.
func Start(t testing.TB) *Page {
	t.Helper()
	program := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			program = path
			break
		}
	}
	if program == "" {
		t.Skip("Chromium is not installed")
	}
	in, to, err := os.Pipe()
	require.NoError(t, err)
	from, out, err := os.Pipe()
	require.NoError(t, err)
	dir, err := os.MkdirTemp("", "browser-")
	require.NoError(t, err)
	cmd := exec.Command(program, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run",
		"--remote-debugging-pipe", "--user-data-dir="+dir, "about:blank")
	cmd.ExtraFiles = []*os.File{in, out} // Chromium reads from file 3 and writes to file 4
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	require.NoError(t, cmd.Start())
	_, _ = in.Close(), out.Close()
	p := &Page{t: t, to: to, pipe: from, from: bufio.NewReader(from)}
	t.Cleanup(func() {
		_, _ = to.Close(), from.Close()
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		_ = cmd.Wait()
		// Chromium's other processes, which were killed as well, may still create files.
		require.Eventually(t, func() bool { return os.RemoveAll(dir) == nil }, 10*time.Second, 20*time.Millisecond)
	})
	var target struct{ TargetID string }
	p.call("Target.createTarget", map[string]any{"url": "about:blank"}, &target)
	var session struct{ SessionID string }
	p.call("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &session)
	p.session = session.SessionID
	for _, domain := range []string{"Page", "Runtime", "Log"} {
		p.call(domain+".enable", nil, nil)
	}
	return p
}

// message is a call, a reply, or an event of the protocol.
type message struct {
	ID        int             `json:"id,omitempty"`
	Method    string          `json:"method,omitempty"`
	SessionID string          `json:"sessionId,omitempty"`
	Params    any             `json:"params,omitempty"`
	Result    json.RawMessage `json:"result,omitempty"`
	Error     json.RawMessage `json:"error,omitempty"`
}

// call calls a method and stores its result in result, unless it is nil.
func (p *Page) call(method string, params, result any) {
	p.t.Helper()
	p.calls++
	b, err := json.Marshal(message{ID: p.calls, Method: method, SessionID: p.session, Params: params})
	require.NoError(p.t, err)
	_, err = p.to.Write(append(b, 0))
	require.NoError(p.t, err)
	for {
		m := p.read()
		if m.ID != p.calls {
			continue
		}
		require.Empty(p.t, string(m.Error), method)
		if result != nil {
			require.NoError(p.t, json.Unmarshal(m.Result, result))
		}
		return
	}
}

// read returns the next message and notes errors of the page.
func (p *Page) read() message {
	p.t.Helper()
	require.NoError(p.t, p.pipe.SetReadDeadline(time.Now().Add(time.Minute)))
	b, err := p.from.ReadBytes(0)
	require.NoError(p.t, err, "Chromium has ended, or the page does not do what the test waits for")
	var m message
	require.NoError(p.t, json.Unmarshal(b[:len(b)-1], &m))
	switch m.Method {
	case "Runtime.exceptionThrown", "Log.entryAdded":
		p.Errors = append(p.Errors, fmt.Sprint(m.Params))
	}
	return m
}

// View sets the size of the window and whether the user prefers dark colors.
func (p *Page) View(width, height int, dark bool) {
	p.t.Helper()
	p.call("Emulation.setDeviceMetricsOverride",
		map[string]any{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false}, nil)
	scheme := "light"
	if dark {
		scheme = "dark"
	}
	p.call("Emulation.setEmulatedMedia",
		map[string]any{"features": []any{map[string]any{"name": "prefers-color-scheme", "value": scheme}}}, nil)
}

// Open loads a page and waits until it is complete.
func (p *Page) Open(url string) {
	p.t.Helper()
	p.Errors = nil
	p.call("Page.navigate", map[string]any{"url": url}, nil)
	p.await()
}

// Follow evaluates an expression that makes the browser load a page later, and waits until that page
// is complete. In the meantime, the browser would answer other calls with errors.
func (p *Page) Follow(expression string) {
	p.t.Helper()
	p.Eval(expression, nil)
	p.Errors = nil
	p.await()
}

// await waits until a page is complete.
func (p *Page) await() {
	p.t.Helper()
	for p.read().Method != "Page.loadEventFired" {
	}
}

// Eval evaluates an expression, waits for it if it is a promise, and stores its value in value.
func (p *Page) Eval(expression string, value any) {
	p.t.Helper()
	var r struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails json.RawMessage
	}
	p.call("Runtime.evaluate",
		map[string]any{"expression": expression, "awaitPromise": true, "returnByValue": true}, &r)
	require.Empty(p.t, string(r.ExceptionDetails), expression)
	if value != nil {
		require.NoError(p.t, json.Unmarshal(r.Result.Value, value))
	}
}

// Drag presses the left button at a point of the window, moves the mouse to another, and releases it.
func (p *Page) Drag(fromX, fromY, toX, toY float64) {
	p.t.Helper()
	for _, e := range []struct {
		kind string
		x, y float64
	}{{"mousePressed", fromX, fromY}, {"mouseMoved", toX, toY}, {"mouseReleased", toX, toY}} {
		p.call("Input.dispatchMouseEvent",
			map[string]any{"type": e.kind, "x": e.x, "y": e.y, "button": "left", "buttons": 1, "clickCount": 1}, nil)
	}
}

// Screenshot writes a PNG image of the window to a file.
func (p *Page) Screenshot(file string) {
	p.t.Helper()
	var r struct{ Data string }
	p.call("Page.captureScreenshot", map[string]any{"format": "png"}, &r)
	b, err := base64.StdEncoding.DecodeString(r.Data)
	require.NoError(p.t, err)
	require.NoError(p.t, os.WriteFile(file, b, 0o644))
}
