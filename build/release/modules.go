package main

import (
	"bytes"
	"cmp"
	"context"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// licensed is a module, or Go's standard library, with its terms.
type licensed struct {
	path, version string
	license       string            // SPDX expression
	texts         map[string][]byte // by file name, relative to the module's root
}

// goModule is the name of Go's standard library and runtime.
const goModule = "std"

// pkg is a package of a module, as go list describes it.
type pkg struct {
	Dir    string
	Module *struct{ Path, Version, Dir string }
}

// list returns the packages of other modules that the programs of a target in dir contain.
func list(ctx context.Context, dir string, t target) (packages []pkg, err error) {
	out, err := run(ctx, dir, []string{"GOOS=" + t.os, "GOARCH=" + t.arch, "CGO_ENABLED=0"}, "go", "list", "-deps",
		"-json=Dir,Module", t.pattern)
	if err != nil {
		return nil, err
	}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p pkg
		if err := d.Decode(&p); err == io.EOF {
			return packages, nil
		} else if err != nil {
			return nil, err
		}
		if p.Module != nil && p.Module.Path != module {
			packages = append(packages, p)
		}
	}
}

// modules returns the modules that the programs of dir contain on any target, by path. Builds without
// the Makefile's tag contain a few more modules than those in the archives.
func modules(ctx context.Context, dir string) (map[string]*licensed, error) {
	known := map[string]*licensed{}
	for _, t := range append(slices.Clone(targets), page) {
		packages, err := list(ctx, dir, t)
		if err != nil {
			return nil, err
		}
		for _, p := range packages {
			m := known[p.Module.Path]
			if m == nil {
				m = &licensed{path: p.Module.Path, version: p.Module.Version, texts: map[string][]byte{}}
				known[m.path] = m
			}
			if err := m.collect(p.Module.Dir, p.Dir); err != nil {
				return nil, err
			}
		}
	}
	out, err := run(ctx, dir, nil, "go", "env", "GOROOT", "GOVERSION")
	if err != nil {
		return nil, err
	}
	root, version, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	std := &licensed{path: goModule, version: strings.TrimPrefix(version, "go"), texts: map[string][]byte{}}
	known[goModule] = std
	if err := std.collect(root, root); err != nil {
		return nil, err
	}
	for _, m := range known {
		if m.license, err = classify(m.texts); err != nil {
			return nil, fmt.Errorf("%s %s: %w", m.path, m.version, err)
		}
	}
	return known, nil
}

var terms = regexp.MustCompile(`(?i)^((un)?licen[cs]es?|copying|notice|patents|authors)\b`)

// collect adds the terms in dir and in the folders above it, up to the module's root. Some modules
// contain code under other licenses, in folders of its own or described in a folder "licenses".
func (m *licensed) collect(root, dir string) error {
	for ; strings.HasPrefix(dir, root); dir = filepath.Dir(dir) {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return err
		}
		for _, e := range entries {
			name := filepath.Join(dir, e.Name())
			rel, err := filepath.Rel(root, name)
			if err != nil {
				return err
			}
			switch {
			case !terms.MatchString(e.Name()) || m.texts[rel] != nil || strings.HasSuffix(rel, ".go"):
			case !e.IsDir():
				if m.texts[rel], err = os.ReadFile(name); err != nil {
					return err
				}
			case dir == root:
				if err := m.collectAll(root, name); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// collectAll adds all files in a folder of licenses.
func (m *licensed) collectAll(root, dir string) error {
	return filepath.WalkDir(dir, func(name string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		rel, err := filepath.Rel(root, name)
		if err == nil {
			m.texts[rel], err = os.ReadFile(name)
		}
		return err
	})
}

// phrases identify licenses. A license hides the following one if it contains its phrase.
var phrases = []struct{ license, phrase, hides string }{
	{"FTL OR GPL-2.0-or-later", "the freetype license", ""},
	{"CC-BY-4.0", "creative commons attribution 4.0", ""},
	{"MPL-2.0", "mozilla public license", ""},
	{"Apache-2.0", "apache license", ""},
	{"OFL-1.1", "sil open font license", "MIT"},
	{"MIT", "permission is hereby granted, free of charge", ""},
	{"BSD-3-Clause", "endorse or promote products", "BSD-2-Clause"},
	{"BSD-2-Clause", "redistribution and use in source and binary forms", ""},
}

var spaces = regexp.MustCompile(`\s+`)

// classify returns the licenses of a module that the files in its root name.
func classify(texts map[string][]byte) (string, error) {
	var found []string
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		lower := strings.ToLower(name)
		if !strings.HasPrefix(lower, "license") || strings.Contains(name, "/") {
			continue
		}
		text := strings.ToLower(spaces.ReplaceAllString(string(texts[name]), " "))
		hidden := ""
		for _, p := range phrases {
			if strings.Contains(text, p.phrase) && p.license != hidden && !slices.Contains(found, p.license) {
				found, hidden = append(found, p.license), p.hides
			}
		}
	}
	if len(found) == 0 {
		return "", errors.New("no known license. Read its terms and extend phrases in build/release/modules.go")
	}
	return strings.Join(found, " AND "), nil
}

const noticesFile = "THIRD-PARTY-NOTICES"

// notices returns the terms of all modules.
func notices(known map[string]*licensed) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString("howdah's programs contain the following modules of others, unmodified.\n")
	for _, path := range slices.Sorted(maps.Keys(known)) {
		m := known[path]
		if len(m.texts) == 0 {
			return nil, fmt.Errorf("%s has no license", path)
		}
		fmt.Fprintf(&b, "\n%s\n%s %s (%s)\n", strings.Repeat("=", 80), path, m.version, m.license)
		for _, name := range slices.Sorted(maps.Keys(m.texts)) {
			fmt.Fprintf(&b, "\n--- %s\n\n%s\n", name, bytes.TrimSpace(unicode(m.texts[name])))
		}
	}
	return b.Bytes(), nil
}

// unicode returns a text in UTF-8. The text of a license may be in ISO 8859-1.
func unicode(text []byte) []byte {
	if utf8.Valid(text) {
		return text
	}
	var b []byte
	for _, c := range text {
		b = utf8.AppendRune(b, rune(c))
	}
	return b
}

// bom is a bill of materials in the format CycloneDX 1.6.
type bom struct {
	components map[string]component
}

type component struct {
	Type     string    `json:"type"`
	Ref      string    `json:"bom-ref"`
	Name     string    `json:"name"`
	Version  string    `json:"version"`
	Licenses []license `json:"licenses,omitempty"`
	PURL     string    `json:"purl"`
}

type license struct {
	Expression string `json:"expression"`
}

func newComponent(kind, path, version, terms string) component {
	url := "pkg:golang/" + path + "@" + strings.ReplaceAll(version, "+", "%2B")
	return component{kind, url, path, version, []license{{terms}}, url}
}

// add adds the modules in a program. It returns an error if the program has another version or
// contains a module that is not known.
func (b *bom) add(program, version string, known map[string]*licensed) error {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return err
	}
	if info.Main.Version != version {
		return fmt.Errorf("%s has version %s", program, info.Main.Version)
	}
	paths := []string{goModule}
	for _, d := range info.Deps {
		paths = append(paths, d.Path)
	}
	return b.addModules(program, paths, known)
}

// addModules adds the modules of a program by path. It returns an error if one is not known.
func (b *bom) addModules(program string, paths []string, known map[string]*licensed) error {
	if b.components == nil {
		b.components = map[string]component{}
	}
	for _, path := range paths {
		m := known[path]
		if m == nil {
			return fmt.Errorf("%s contains the unknown module %s", program, path)
		}
		b.components[path] = newComponent("library", path, m.version, m.license)
	}
	return nil
}

func (b *bom) json(version string, at time.Time) []byte {
	type metadata struct {
		Timestamp string    `json:"timestamp"`
		Component component `json:"component"`
	}
	text, err := json.MarshalIndent(struct {
		Schema     string      `json:"$schema"`
		Format     string      `json:"bomFormat"`
		Spec       string      `json:"specVersion"`
		Version    int         `json:"version"`
		Metadata   metadata    `json:"metadata"`
		Components []component `json:"components"`
	}{"http://cyclonedx.org/schema/bom-1.6.schema.json", "CycloneDX", "1.6", 1,
		metadata{at.UTC().Format(time.RFC3339), newComponent("application", module, version, "Apache-2.0")},
		slices.SortedFunc(maps.Values(b.components), func(a, b component) int { return cmp.Compare(a.Name, b.Name) }),
	}, "", "  ")
	if err != nil {
		panic(err) // the types above have no values that JSON lacks
	}
	return append(text, '\n')
}
