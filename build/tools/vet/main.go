// Command vet runs the "go vet" analyzers on packages for several systems in one process. It
// type-checks dependencies from source, whereas "go vet" first compiles them for each system.
//
//	vet DIR GOOS[/TAG] PATTERN... [-- GOOS[/TAG] PATTERN...]...
package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/analysis/suite/vet"
	"golang.org/x/tools/go/packages"
)

func main() {
	if len(os.Args) < 4 {
		fmt.Fprintln(os.Stderr, "usage: vet DIR GOOS[/TAG] PATTERN... [-- GOOS[/TAG] PATTERN...]...")
		os.Exit(2)
	}
	failed := false
	for run := range slices.Values(splitAt(os.Args[2:], "--")) {
		n, err := check(os.Args[1], run[0], run[1:])
		if err != nil {
			fmt.Fprintf(os.Stderr, "vet: %s: %v\n", run[0], err)
		}
		failed = failed || err != nil || n > 0
	}
	if failed {
		os.Exit(1)
	}
}

// splitAt splits a list at each element that equals sep.
func splitAt(list []string, sep string) (parts [][]string) {
	for {
		i := slices.Index(list, sep)
		if i < 0 {
			return append(parts, list)
		}
		parts, list = append(parts, list[:i]), list[i+1:]
	}
}

// check prints the findings for one system and returns their number. If the packages have errors,
// it prints and counts those instead.
func check(dir, system string, patterns []string) (findings int, err error) {
	goos, tag, _ := strings.Cut(system, "/")
	list, err := packages.Load(&packages.Config{
		Mode: packages.LoadAllSyntax, Dir: dir, Tests: true,
		Env:        append(os.Environ(), "GOOS="+goos, "CGO_ENABLED=0"),
		BuildFlags: []string{"-tags=" + tag},
	}, patterns...)
	if err != nil {
		return 0, err
	}
	if n := packages.PrintErrors(list); n > 0 {
		return n, nil
	}
	graph, err := checker.Analyze(vet.Suite, list, nil)
	if err != nil {
		return 0, err
	}
	for _, action := range graph.Roots {
		if action.Err != nil {
			return findings, action.Err
		}
		findings += len(action.Diagnostics)
	}
	return findings, graph.PrintText(os.Stdout, -1)
}
