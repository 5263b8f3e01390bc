//go:build integration

package hadoopdiff

import (
	"bytes"
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// tree returns the bytes of the files below a folder, by name. It includes the folders themselves,
// with a trailing slash and no bytes.
func tree(dir string) (map[string][]byte, error) {
	out := map[string][]byte{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		switch {
		case err != nil:
			return err
		case e.IsDir():
			out[name+"/"] = nil
			return nil
		}
		out[name], err = os.ReadFile(path)
		return err
	})
	return out, err
}

// diffNames lists the names of the files that only one side has.
func diffNames(theirs, ours map[string][]byte) (out []string) {
	for n := range theirs {
		if _, ok := ours[n]; !ok {
			out = append(out, "we lack "+n)
		}
	}
	for n := range ours {
		if _, ok := theirs[n]; !ok {
			out = append(out, "only we have "+n)
		}
	}
	slices.Sort(out)
	return out
}

// diffText compares two versions of a text file.
func (c *Case) diffText(name string, theirs, ours []byte) []string {
	if c.Loose && !c.Shuffled {
		if d := diffBytes(name+" (keys)", c.keysOf(theirs), c.keysOf(ours)); d != nil {
			return d
		}
	}
	if c.Loose || c.Shuffled {
		theirs, ours = sortedLines(theirs), sortedLines(ours)
	}
	return diffBytes(name, theirs, ours)
}

// diffBytes returns a description of the first byte that differs. It returns nil if all bytes are
// equal.
func diffBytes(name string, theirs, ours []byte) []string {
	if bytes.Equal(theirs, ours) {
		return nil
	}
	at := 0
	for at < min(len(theirs), len(ours)) && theirs[at] == ours[at] {
		at++
	}
	from := max(0, at-60)
	show := func(b []byte) string { return fmt.Sprintf("%q", b[from:min(len(b), at+80)]) }
	return []string{fmt.Sprintf("%s: %d bytes there, %d here, byte %d differs:\n  there %s\n  here  %s", name, len(theirs),
		len(ours), at, show(theirs), show(ours))}
}

func (c *Case) keysOf(text []byte) []byte {
	end := []byte(cmp.Or(c.KeyEnd, "\t"))
	var b bytes.Buffer
	for line := range bytes.Lines(text) {
		key, _, _ := bytes.Cut(line, end)
		b.Write(bytes.TrimSuffix(key, []byte{'\n'}))
		b.WriteByte('\n')
	}
	return b.Bytes()
}

func sortedLines(text []byte) []byte {
	lines := bytes.SplitAfter(text, []byte{'\n'})
	slices.SortFunc(lines, bytes.Compare)
	return bytes.Join(lines, nil)
}

// counters contains the counters of one job by "group/name". The names are the display names that
// both sides print.
type counters map[string]int64

var countersLine = regexp.MustCompile(`(^|: )Counters: \d+$`) // follows a time and a class in Hadoop's logs

var counterLine = regexp.MustCompile(`^\t\t(.*)=(-?\d+)$`)

// printedCounters returns the counters of each job in a client's output.
func printedCounters(text string) (out []counters) {
	group := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		switch m := counterLine.FindStringSubmatch(line); {
		case countersLine.MatchString(line):
			out, group = append(out, counters{}), ""
		case len(out) == 0:
		case m != nil && group != "":
			n, _ := strconv.ParseInt(m[2], 10, 64)
			out[len(out)-1][group+"/"+m[1]] = n
		case strings.HasPrefix(line, "\t"):
			group = strings.TrimSpace(line)
		}
	}
	return out
}

// undetermined reports whether the named counter depends on more than the job's input. Such
// counters measure, for example, time, memory, or the transfer of bytes from maps to reduces.
func undetermined(name string) bool {
	group, name, _ := strings.Cut(name, "/")
	switch group {
	case "File System Counters", "Job Counters", "Disk Counters":
		return true
	case "Map-Reduce Framework":
		return slices.Contains([]string{"Spilled Records", "Map output materialized bytes", "Reduce shuffle bytes",
			"GC time elapsed (ms)", "CPU time spent (ms)", "Physical memory (bytes) snapshot", "Virtual memory (bytes) snapshot",
			"Total committed heap usage (bytes)", "Peak Map Physical memory (bytes)", "Peak Map Virtual memory (bytes)",
			"Peak Reduce Physical memory (bytes)", "Peak Reduce Virtual memory (bytes)"}, name)
	}
	return false
}

// diffCounters compares the counters of each job. It ignores undetermined counters and those in
// except.
func diffCounters(theirs, ours []counters, except []string) (out []string) {
	if len(theirs) != len(ours) {
		return []string{fmt.Sprintf("%d jobs there, %d here", len(theirs), len(ours))}
	}
	for i := range theirs {
		names := map[string]bool{}
		for n := range theirs[i] {
			names[n] = true
		}
		for n := range ours[i] {
			names[n] = true
		}
		for n := range names {
			short := n[strings.LastIndexByte(n, '/')+1:]
			if theirs[i][n] != ours[i][n] && !undetermined(n) && !slices.Contains(except, short) && !slices.Contains(except, n) {
				out = append(out, fmt.Sprintf("job %d: %s = %d there, %d here", i+1, n, theirs[i][n], ours[i][n]))
			}
		}
	}
	slices.Sort(out)
	return out
}
