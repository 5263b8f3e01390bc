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

// groupPrefix is the prefix of howdah's counter groups in Hadoop. It separates them from Hadoop's
// own groups.
const groupPrefix = "howdah/"

// reportEvery is the interval at which a running attempt reports that it is alive. Hadoop checks
// every ten seconds.
const reportEvery = 3 * time.Second

// reporter sends reports to Hadoop through standard error.
type reporter struct {
	mu  sync.Mutex
	out io.Writer
}

func (r *reporter) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.out.Write(p)
}

// watch reports the attempt's status to Hadoop until stop is closed.
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

// escapes escapes characters in names that Streaming would misinterpret. Streaming splits its input
// at commas and newlines and trims spaces. Other characters stay unchanged to keep names short,
// because Hadoop truncates long names.
var escapes = strings.NewReplacer("%", "%25", "+", "%2B", ",", "%2C", "\n", "%0A", "\r", "%0D", "\t", "%09", " ", "+")

func escape(name string) string { return escapes.Replace(strings.ToValidUTF8(name, "\ufffd")) }

// counters reports the counters of a successful attempt.
func (r *reporter) counters(c *job.Counters) {
	var b bytes.Buffer
	b.WriteByte('\n') // Hadoop checks only the start of a line, and the program may have written an incomplete line
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

// Counter converts a counter's group and name in Hadoop to its group and name in howdah. For
// Hadoop's own counters, ok is false.
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
