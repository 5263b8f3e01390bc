package archtest

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// fences are the languages that a page may use for its blocks of shell commands. The integration
// tests run all such blocks except those of the last language.
var fences = map[string]bool{"sh": true, "sh hdfs": true, "sh yarn": true, "sh by-hand": true}

var (
	fencedBlock = regexp.MustCompile("(?ms)^```(\\S*[^\n]*)\n.*?^```$")
	pageLink    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading     = regexp.MustCompile(`(?m)^#+ +(.*)$`)
	notInAnchor = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// Every link within the documentation resolves, and the language of every block of commands selects
// how the block is tested.
func TestDocuments(t *testing.T) {
	pages := []string{"README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"}
	for _, pattern := range []string{"docs/*.md", "docs/*/*.md", "docs/*/*/*.md"} {
		found, err := filepath.Glob(filepath.Join("../..", pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range found {
			pages = append(pages, strings.TrimPrefix(filepath.ToSlash(f), "../../"))
		}
	}
	for _, page := range pages {
		text := readPage(t, page)
		for _, b := range fencedBlock.FindAllStringSubmatch(text, -1) {
			if strings.HasPrefix(b[1], "sh") && !fences[b[1]] {
				t.Errorf("%s: block ```%s: begin it with ```sh, or with ```sh by-hand if no test can run it", page, b[1])
			}
		}
		for _, l := range pageLink.FindAllStringSubmatch(fencedBlock.ReplaceAllString(text, ""), -1) {
			if why := badLink(t, page, l[1]); why != "" {
				t.Errorf("%s: link %s: %s", page, l[1], why)
			}
		}
	}
}

var sourceFile = regexp.MustCompile("`([a-z/]+/)?([a-z_]+\\.go)`")

// The files that ARCHITECTURE.md names exist. A file without a folder is in the folder of the file
// before it in the same line.
func TestArchitectureNamesFiles(t *testing.T) {
	named := 0
	for line := range strings.Lines(readPage(t, "ARCHITECTURE.md")) {
		folder := ""
		for _, file := range sourceFile.FindAllStringSubmatch(line, -1) {
			named++
			if file[1] != "" {
				folder = file[1]
			}
			if _, err := os.Stat(filepath.Join("../..", folder, file[2])); err != nil {
				t.Errorf("ARCHITECTURE.md: %s%s does not exist; follow the code", folder, file[2])
			}
		}
	}
	if named < 50 {
		t.Errorf("only %d files found", named)
	}
}

func readPage(t *testing.T, page string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../..", page))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// badLink returns the reason why a link of a page does not resolve, or "".
func badLink(t *testing.T, page, link string) string {
	if strings.Contains(link, "://") {
		return ""
	}
	file, anchor, _ := strings.Cut(link, "#")
	target := page
	if file != "" {
		target = filepath.Join(filepath.Dir(page), file)
	}
	if _, err := os.Stat(filepath.Join("../..", target)); err != nil {
		return "no such file"
	}
	if anchor == "" || anchors(readPage(t, target))[anchor] {
		return ""
	}
	return "no such heading"
}

// anchors returns the anchors of a page's headings in GitHub's format.
func anchors(text string) map[string]bool {
	out := map[string]bool{}
	for _, h := range heading.FindAllStringSubmatch(fencedBlock.ReplaceAllString(text, ""), -1) {
		words := notInAnchor.ReplaceAllString(strings.ToLower(h[1]), "")
		out[strings.ReplaceAll(words, " ", "-")] = true
	}
	return out
}
