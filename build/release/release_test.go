package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/internal/golden"
)

const noticeHead = `howdah
Copyright the howdah authors

This product is licensed under the Apache License, Version 2.0; see LICENSE.

Apache Hadoop, Hadoop, HDFS, and MapReduce are trademarks of the Apache Software Foundation. howdah
is not part of that project, and the project does not endorse howdah.

howdah's programs contain the modules below, unmodified. A release contains the text of their
licenses in THIRD-PARTY-NOTICES. The Go module proxy provides the source of every module, including
those under the Mozilla Public License, in the version that go.mod names.

`

// NOTICE lists every module that a program of any target contains, with its license. To rewrite it,
// run make golden.
func TestNotice(t *testing.T) {
	known, err := modules(t.Context(), "../..")
	require.NoError(t, err)
	require.Greater(t, len(known), 60)
	list := noticeHead
	for _, path := range slices.Sorted(maps.Keys(known)) {
		if path != goModule {
			list += fmt.Sprintf("  %-45s %s\n", path, known[path].license)
		}
	}
	list += fmt.Sprintf("  %-45s %s\n", "Go's standard library and runtime", known[goModule].license)
	golden.Compare(t, "../../NOTICE", []byte(list))

	all, err := notices(known)
	require.NoError(t, err)
	for _, part := range []string{
		"\ngithub.com/hashicorp/memberlist ", "Mozilla Public License, version 2.0",
		"--- zstd/internal/xxhash/LICENSE.txt", // a license of its own within github.com/klauspost/compress
		"--- licenses/ftl.txt", "copyright © <year> The FreeType", "--- LICENSE-SQLITE\n",
	} {
		require.True(t, bytes.Contains(all, []byte(part)), part)
	}
	require.True(t, utf8.Valid(all))
	delete(known, "github.com/urfave/cli/v2")
	program, err := os.Executable()
	require.NoError(t, err)
	require.ErrorContains(t, new(bom).add(program, "(devel)", known), "unknown module github.com/urfave/cli/v2")
	require.ErrorContains(t, new(bom).add(program, "v9", known), "has version (devel)")
	known["x"] = &licensed{path: "x"}
	_, err = notices(known)
	require.ErrorContains(t, err, "x has no license")
}

func TestClassify(t *testing.T) {
	for text, want := range map[string]string{
		"Permission is hereby\ngranted, free of charge, to":                                   "MIT",
		"Redistribution and use in source\nand binary forms":                                  "BSD-2-Clause",
		"BSD: endorse or promote products; redistribution and use in source and binary forms": "BSD-3-Clause",
		"Apache License, or: Permission is hereby granted, free of charge":                    "Apache-2.0 AND MIT",
		"Apache License\nVersion 2.0":                                                         "Apache-2.0",
		"All rights reserved.":                                                                "",
	} {
		got, err := classify(map[string][]byte{"LICENSE.md": []byte(text), "sub/LICENSE": []byte("Apache License")})
		require.Equal(t, want, got)
		require.Equal(t, want == "", err != nil)
	}
}

func TestArchive(t *testing.T) {
	files, err := documents("../..", "v1.2.3")
	require.NoError(t, err)
	files["bin/howdah"] = file{[]byte("program"), 0o755}
	at := time.Date(2026, 11, 28, 1, 2, 3, 0, time.FixedZone("", 3600))
	packed, err := tarball("howdah-v1.2.3", files, at)
	require.NoError(t, err)
	again, err := tarball("howdah-v1.2.3", maps.Clone(files), at.UTC())
	require.NoError(t, err)
	require.Equal(t, packed, again)

	z, err := gzip.NewReader(bytes.NewReader(packed))
	require.NoError(t, err)
	var names []string
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if err == io.EOF {
			break
		}
		require.NoError(t, err)
		name := strings.TrimPrefix(h.Name, "howdah-v1.2.3/")
		names = append(names, name)
		text, err := io.ReadAll(r)
		require.NoError(t, err)
		require.Equal(t, files[name].text, text, name)
		require.Equal(t, files[name].mode, h.Mode)
		require.True(t, at.Equal(h.ModTime))
	}
	require.Equal(t, []string{"bin/howdah", "share/bash-completion/completions/howdah",
		"share/doc/howdah/CHANGELOG.md", "share/doc/howdah/LICENSE", "share/doc/howdah/NOTICE",
		"share/fish/vendor_completions.d/howdah.fish", "share/howdah/monitoring/alerts.yaml",
		"share/howdah/monitoring/dashboard.json", "share/man/man1/howdah.1",
		"share/zsh/site-functions/_howdah"}, names)

	page := string(files["share/man/man1/howdah.1"].text)
	for _, part := range []string{`.TH HOWDAH 1 "" "howdah v1.2.3"`, "\n  -D key=value            value of a",
		"howdah job set-priority ID VERY_HIGH|", "howdah sim run TRACE",
		"distcp [generic options] [options] <", ".SH mrcluster\n"} {
		require.True(t, strings.Contains(page, part), part)
	}
	require.True(t, bytes.HasPrefix(files["share/zsh/site-functions/_howdah"].text, []byte("#compdef howdah\n")))
}

func TestSums(t *testing.T) {
	a := map[string][]byte{"b": []byte("2"), "a": []byte("1")}
	require.Equal(t, "6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b  a\n"+
		"d4735e3a265e16eee03f59718b9b5d03019c07d8b6c51f90da3a666eec13ab35  b\n", string(sums(a)))
	require.NoError(t, same(a, maps.Clone(a)))
	require.ErrorContains(t, same(a, map[string][]byte{"b": []byte("3"), "a": []byte("1")}), "b differs")
	require.Error(t, same(a, map[string][]byte{"b": []byte("2"), "a": []byte("1"), "c": nil}))
}

func TestReady(t *testing.T) {
	t.Chdir(t.TempDir())
	git := func(args ...string) {
		_, err := run(t.Context(), ".", nil, "git", append([]string{"-c", "user.name=x", "-c", "user.email=x@x"}, args...)...)
		require.NoError(t, err)
	}
	fails := func(version, part string) { require.ErrorContains(t, ready(t.Context(), version), part) }
	git("init", "-q")
	const log = "# Changes\n\n## [1.2.4]\n\n### Upgrade\n\n## [1.2.3] - 2026-11-28\n%s" +
		"\n## [1.2.2] - 2026-11-27\n\n### Upgrade\n"
	change := func(notes string) {
		require.NoError(t, os.WriteFile("CHANGELOG.md", fmt.Appendf(nil, log, notes), 0o644))
	}
	change("")
	for _, version := range []string{"1.2.3", "v1.2", "v01.2.3", "v1.2.3-dirty dirty", "v1.2.3+x", "devel", "v1.2.3-",
		"v1.2.3-a..b", "v1.2.3-01", "v1.2.3-rc.1."} {
		fails(version, "not a semantic version")
	}
	fails("v1.2.3-rc.1", "only committed changes")
	commit := func() {
		git("add", ".")
		git("commit", "-q", "-m", "x")
	}
	commit()
	git("tag", "v1.2.0")
	for _, version := range []string{"v1.2.3", "v1.2.4"} {
		fails(version, "no journal of this release is recorded")
		for _, dir := range recorded {
			require.NoError(t, os.MkdirAll(dir+"/"+version, 0o755))
		}
	}
	fails("v1.2.4", `no section "## [1.2.4]" with a date`)
	fails("v1.2.3", "no upgrade notes")
	change("\n### Upgrade\n\nNothing.\n")
	commit()
	fails("v1.2.0", "the tag v1.2.0 names another commit")
	require.NoError(t, ready(t.Context(), "v1.2.3"))
	git("tag", "-a", "-m", "x", "v1.2.3")
	require.NoError(t, ready(t.Context(), "v1.2.3"))
}

// The release refuses to start without Docker, and says how to do without.
func TestDocker(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	_, err := docker(t.Context())
	require.ErrorContains(t, err, "IMAGES=no")
}

// Docker sees every file of the checkout that the images copy. Without Docker, nothing else tells.
func TestImageContext(t *testing.T) {
	recipe, err := os.ReadFile("../../docker/Dockerfile")
	require.NoError(t, err)
	ignore, err := os.ReadFile("../../.dockerignore")
	require.NoError(t, err)
	copies := regexp.MustCompile(`(?m)^COPY ([^-].*) \S+$`).FindAllStringSubmatch(string(recipe), -1)
	require.Greater(t, len(copies), 3)
	for _, c := range copies {
		for _, source := range strings.Fields(strings.NewReplacer("[", "", "]", "").Replace(c[1])) {
			require.True(t, slices.ContainsFunc(strings.Split(string(ignore), "\n"), func(line string) bool {
				return line == "!"+source || strings.HasPrefix("!"+source, line+"/")
			}), "%s is not in Docker's context", source)
		}
	}
}
