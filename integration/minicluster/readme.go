package minicluster

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/internal/daemonrun"
)

var (
	codeBlock = regexp.MustCompile("(?ms)^```(\\S+(?: \\S+)?)\n(.*?)^```$")
	// chatter matches messages from the shell's job control, make, and go, which are not part of
	// the commands' output.
	chatter = regexp.MustCompile(`(?m)^(make\[.*|\[\d+\].*|go: downloading .*)\n`)
)

// Transcript runs the examples on a documentation page. It uses one shell that starts at the root
// of the checkout, with env as additional variables. In all blocks that begin with ```FENCE, it
// runs the lines that start with "$ ". These commands must print the other lines in their blocks,
// where ... matches any text within a line. If FENCE is "sh", a block that begins with "```go FILE"
// or "```python FILE" or "```xml FILE" becomes a file in the shell's current directory.
func Transcript(t testing.TB, page, fence string, env ...string) {
	t.Helper()
	root := checkout(t)
	text, err := os.ReadFile(filepath.Join(root, page))
	require.NoError(t, err)
	var script, want strings.Builder
	script.WriteString("set -m\n")
	found := false
	for _, block := range codeBlock.FindAllStringSubmatch(string(text), -1) {
		if file := fileOf(block[1]); fence == "sh" && file != "" {
			fmt.Fprintf(&script, "cat > %s <<'END OF FILE'\n%sEND OF FILE\n", file, block[2])
		}
		if block[1] != fence {
			continue
		}
		found = true
		for _, line := range strings.SplitAfter(block[2], "\n") {
			if cmd, ok := strings.CutPrefix(line, "$ "); ok {
				script.WriteString(cmd)
				continue
			}
			want.WriteString(strings.ReplaceAll(regexp.QuoteMeta(line), `\.\.\.`, ".+"))
		}
	}
	require.True(t, found, "%s has no block ```%s", page, fence)
	cmd := exec.Command("bash", "-c", script.String())
	cmd.Dir = root
	cmd.Env = append(daemonrun.Environ(), env...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	require.NoError(t, startAndWait(cmd, &out), "%s: %s", page, &out)
	require.Regexp(t, "^"+want.String()+"$", chatter.ReplaceAllString(out.String(), ""))
}

// fileOf returns the file name in a fence such as "go main.go". It returns "" if there is none, or if
// the language is not go, python, or xml.
func fileOf(fence string) string {
	language, file, _ := strings.Cut(fence, " ")
	if language == "go" || language == "python" || language == "xml" {
		return file
	}
	return ""
}
