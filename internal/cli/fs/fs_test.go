package fs

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs/local"
	"github.com/howdah/howdah/internal/golden"
	"github.com/stretchr/testify/require"
)

// Each file in testdata is a session in its own directory. A command follows "$ ", its messages on
// stderr follow "! ", and its exit code follows "= " unless it is 0. "#" begins a comment. Other
// lines are output. "<<< text" is standard input. The sessions were compared with Apache Hadoop
// 3.4.2.
func TestTranscripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		full, err := filepath.Abs(file)
		require.NoError(t, err)
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			want, err := os.ReadFile(full)
			require.NoError(t, err)
			got := replay(t, string(want))
			if *golden.Rewrite {
				require.NoError(t, os.WriteFile(full, []byte(got), 0o666))
				return
			}
			if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
				t.Errorf("%s (-want +got; go test ./internal/cli/fs -rewrite):\n%s", file, diff)
			}
		})
	}
}

func replay(t *testing.T, session string) string {
	utc := time.Local
	time.Local = time.UTC
	umask := syscall.Umask(0o022)
	t.Cleanup(func() {
		time.Local = utc
		syscall.Umask(umask)
	})
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	t.Chdir(dir)
	var out strings.Builder
	for line := range strings.Lines(session) {
		switch {
		case strings.HasPrefix(line, "$ "):
			out.WriteString(line)
			out.WriteString(neutral(dir, command1(t, strings.TrimSpace(line[2:]))))
		case strings.HasPrefix(line, "#"):
			out.WriteString(line)
		}
	}
	return out.String()
}

func command1(t *testing.T, line string) string {
	line, stdin, _ := strings.Cut(line, " <<< ")
	if stdin != "" {
		stdin = words(stdin)[0] + "\n"
	}
	r, err := local.Resolver(conf.New())
	require.NoError(t, err)
	var stdout, stderr bytes.Buffer
	code := Run(t.Context(), r, Settings{}, words(line), strings.NewReader(stdin), &stdout, &stderr)
	out := stdout.String()
	if out != "" && !strings.HasSuffix(out, "\n") {
		out += "\\\n"
	}
	for l := range strings.Lines(allUsages.ReplaceAllString(stderr.String(), "(all commands)\n")) {
		out += "! " + l
	}
	if code != 0 {
		out += fmt.Sprintf("= %d\n", code)
	}
	return out
}

// allUsages is the list of all commands that the shell prints after a usage error.
var allUsages = regexp.MustCompile(`(?s)Usage: hadoop fs \[generic options\]\n\t.*\[commandOptions\]\n\n`)

var listed = regexp.MustCompile(`(?m)^([d-][rwxtT-]{9} +\S+) \S+ +\S+ +(\S+(?: [KMGTPE])?) `)

var minute = regexp.MustCompile(`\b\d{4}-\d\d-\d\d \d\d:\d\d`)

// neutral replaces the parts of the output that differ between machines: names of users, the test's
// directory, and the current time. The times in the transcripts are in 2009.
func neutral(dir, s string) string {
	s = strings.ReplaceAll(listed.ReplaceAllString(s, "$1 user group $2 "), dir, "/home/u")
	return minute.ReplaceAllStringFunc(s, func(m string) string {
		if strings.HasPrefix(m, "2009") {
			return m
		}
		return "yyyy-mm-dd hh:mm"
	})
}

// words splits a line at spaces outside single quotes.
func words(line string) []string {
	var out []string
	for _, m := range regexp.MustCompile(`(?:[^\s']|'[^']*')+`).FindAllString(line, -1) {
		out = append(out, strings.ReplaceAll(m, "'", ""))
	}
	return out
}
