package piped

import (
	"bytes"
	"fmt"
	"io"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/task"
)

// groupPrefix begins the groups in which Hadoop counts our counters, so that they are not mixed with its own.
const groupPrefix = "howdah/"

// reportEvery is how often a running attempt shows that it lives; Hadoop looks every ten seconds.
const reportEvery = 3 * time.Second

// reporter speaks to Hadoop through standard error.
type reporter struct {
	mu  sync.Mutex
	out io.Writer
}

func (r *reporter) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.out.Write(p)
}

// watch reports status until stop is closed.
func (r *reporter) watch(live *task.Live, stop <-chan struct{}) {
	t := time.NewTicker(reportEvery)
	defer t.Stop()
	for {
		select {
		case <-stop:
			return
		case <-t.C:
			v := live.View()
			text := fmt.Sprintf("%s %.1f%%", v.Phase, float64(v.Millionths)/1e4)
			if v.Status != "" {
				text += " " + oneLine(v.Status)
			}
			fmt.Fprintf(r, "reporter:status:%s\n", text)
		}
	}
}

func oneLine(s string) string {
	return string(bytes.Map(func(c rune) rune {
		if c < ' ' {
			return ' '
		}
		return c
	}, []byte(s)))
}

// escapes keep a name in one piece on its way: Streaming cuts at commas and line ends, and trims. What else is in it stays as it
// is, because Hadoop cuts off names that are too long.
var escapes = strings.NewReplacer("%", "%25", "+", "%2B", ",", "%2C", "\n", "%0A", "\r", "%0D", "\t", "%09", " ", "+")

func escape(name string) string { return escapes.Replace(strings.ToValidUTF8(name, "\ufffd")) }

// counters tells what a successful attempt counted.
func (r *reporter) counters(c *job.Counters) {
	var b bytes.Buffer
	b.WriteByte('\n') // Hadoop looks at the beginning of lines only, and the program may have left one open
	line := func(group, name string, v int64) {
		fmt.Fprintf(&b, "reporter:counter:%s%s,%s,%d\n", groupPrefix, escape(group), escape(name), v)
	}
	for id, v := range c.Builtin {
		if v != 0 {
			i := job.CounterID(id).Info()
			line(i.Group, i.Name, v)
		}
	}
	for _, u := range c.User {
		line(u.Group, u.Name, u.Value)
	}
	_, _ = r.Write(b.Bytes())
}

// Counter takes a counter that came back from Hadoop apart; ok is false for one of Hadoop's own.
func Counter(group, name string) (ourGroup, ourName string, ok bool) {
	g, found := bytes.CutPrefix([]byte(group), []byte(groupPrefix))
	if !found {
		return "", "", false
	}
	ourGroup, err := url.QueryUnescape(string(g))
	if err != nil {
		return "", "", false
	}
	ourName, err = url.QueryUnescape(name)
	return ourGroup, ourName, err == nil
}
