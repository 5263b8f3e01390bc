package distcache

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job/failure"
)

// tarOf returns a tar archive with the given headers. The content of each file is its name.
func tarOf(t testing.TB, headers ...tar.Header) []byte {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, h := range headers {
		if h.Typeflag == 0 {
			h.Typeflag, h.Size = tar.TypeReg, int64(len(h.Name))
		}
		h.Mode = 0o640
		require.NoError(t, w.WriteHeader(&h))
		if h.Typeflag == tar.TypeReg {
			_, err := w.Write([]byte(h.Name))
			require.NoError(t, err)
		}
	}
	require.NoError(t, w.Close())
	return b.Bytes()
}

func zipOf(t testing.TB, names ...string) []byte {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, name := range names {
		f, err := w.Create(name)
		require.NoError(t, err)
		_, err = f.Write([]byte(strings.TrimSuffix(name, "/")))
		if !strings.HasSuffix(name, "/") {
			require.NoError(t, err)
		}
	}
	require.NoError(t, w.Close())
	return b.Bytes()
}

func gzipped(t testing.TB, b []byte) []byte {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, err := w.Write(b)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return out.Bytes()
}

func unpackBytes(t testing.TB, name string, b []byte, limit int64) (string, error) {
	dir := t.TempDir()
	_, err := unpack(context.Background(), name, bytes.NewReader(b), int64(len(b)), dir, ArchiveLimits{Bytes: limit})
	return dir, err
}

func TestUnpack(t *testing.T) {
	plain := tarOf(t, tar.Header{Name: "./d/", Typeflag: tar.TypeDir}, tar.Header{Name: "d/a"},
		tar.Header{Name: "deep/er/b"},
		tar.Header{Name: "s", Typeflag: tar.TypeSymlink, Linkname: "d/../deep/er/b"},
		tar.Header{Name: "h", Typeflag: tar.TypeLink, Linkname: "d/a"})
	for name, b := range map[string][]byte{"x.tar": plain, "x.tgz": gzipped(t, plain), "X.Tar.GZ": gzipped(t, plain),
		"x.zip": zipOf(t, "d/", "d/a", "deep/er/b"), "x.jar": zipOf(t, "d/a", "deep/er/b")} {
		dir, err := unpackBytes(t, name, b, 1000)
		require.NoError(t, err, name)
		for file, want := range map[string]string{"d/a": "d/a", "deep/er/b": "deep/er/b"} {
			got, err := os.ReadFile(filepath.Join(dir, file))
			require.NoError(t, err, name)
			require.Equal(t, want, string(got))
			info, err := os.Stat(filepath.Join(dir, file))
			require.NoError(t, err)
			require.Equal(t, fs.FileMode(fileMode), info.Mode())
		}
		if strings.Contains(name, ".t") {
			for link, want := range map[string]string{"s": "deep/er/b", "h": "d/a"} {
				got, err := os.ReadFile(filepath.Join(dir, link))
				require.NoError(t, err)
				require.Equal(t, want, string(got))
			}
		}
	}
}

// TestLongLinksInZips checks that the target of a link is not cut.
func TestLongLinksInZips(t *testing.T) {
	for length, rejected := range map[int]bool{maxTarget - 1: false, maxTarget + 1: true} {
		var b bytes.Buffer
		w := zip.NewWriter(&b)
		h := &zip.FileHeader{Name: "s"}
		h.SetMode(fs.ModeSymlink | 0o777)
		f, err := w.CreateHeader(h)
		require.NoError(t, err)
		target := strings.Repeat("./", length)[:length-1] + "t"
		_, err = f.Write([]byte(target))
		require.NoError(t, err)
		require.NoError(t, w.Close())
		dir, err := unpackBytes(t, "x.zip", b.Bytes(), 1<<20)
		if rejected {
			require.Equal(t, failure.Usage, failure.KindOf(err), "%v", err)
			require.ErrorContains(t, err, "more than 4096 bytes")
			continue
		}
		require.NoError(t, err)
		got, err := os.Readlink(filepath.Join(dir, "s"))
		require.NoError(t, err)
		require.Equal(t, target, got)
	}
}

// TestCheckOfLinksEnds checks that the check of many links ends with its context.
func TestCheckOfLinksEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := (&unpacker{ctx: ctx, links: []string{"s"}}).checkLinks()
	require.Equal(t, failure.Killed, failure.KindOf(err), "%v", err)
}

func TestUnpackTakesTheLastOfTwo(t *testing.T) {
	dir, err := unpackBytes(t, "x.tar", tarOf(t, tar.Header{Name: "a"}, tar.Header{Name: "./a"}), 1000)
	require.NoError(t, err)
	b, err := os.ReadFile(filepath.Join(dir, "a"))
	require.NoError(t, err)
	require.Equal(t, "./a", string(b))
}

func TestUnpackRefuses(t *testing.T) {
	link := func(name, to string) tar.Header {
		return tar.Header{Name: name, Typeflag: tar.TypeSymlink, Linkname: to}
	}
	for _, x := range []struct {
		name string
		b    []byte
		kind failure.Kind
		say  string
	}{
		{"x.tar", tarOf(t, tar.Header{Name: "ok"}, tar.Header{Name: "../up"}), failure.Usage, `"../up"`},
		{"x.tar", tarOf(t, tar.Header{Name: "a/../../up"}), failure.Usage, `"a/../../up"`},
		{"x.tar", tarOf(t, tar.Header{Name: "/etc/passwd"}), failure.Usage, `"/etc/passwd"`},
		{"x.tar", tarOf(t, link("s", "/etc")), failure.Usage, `"s"`},
		{"x.tar", tarOf(t, link("a/s", "../../x")), failure.Usage, `"a/s"`},
		{"x.tar", tarOf(t, tar.Header{Name: "h", Typeflag: tar.TypeLink, Linkname: "../../etc/passwd"}),
			failure.Usage, `"h"`},
		{"x.tar", tarOf(t, tar.Header{Name: strings.Repeat("d/", maxName/2) + "f"}), failure.Usage, "more than 4096 bytes"},
		{"x.tar", tarOf(t, tar.Header{Name: "dev", Typeflag: tar.TypeChar}), failure.Usage, `"dev"`},
		// The target of t seems to be inside, but the link in its path leads to the top directory.
		{"x.tar", tarOf(t, tar.Header{Name: "a/b/", Typeflag: tar.TypeDir}, link("a/b/s", "../.."), link("t", "a/b/s/../x")),
			failure.Usage, `"t"`},
		{"x.tar", tarOf(t, tar.Header{Name: "a/b/", Typeflag: tar.TypeDir}, link("a/b/s", "../.."), link("t", "a/b/s/.."),
			tar.Header{Name: "t/evil"}), failure.Corrupt, `"t/evil"`},
		// A hard link gives a symbolic link another place, from where its target is outside.
		{"x.tar", tarOf(t, tar.Header{Name: "a/b/", Typeflag: tar.TypeDir}, link("a/b/s", "../x"),
			tar.Header{Name: "h", Typeflag: tar.TypeLink, Linkname: "a/b/s"}), failure.Usage, `"h"`},
		{"x.zip", zipOf(t, "ok", "../up"), failure.Usage, `"../up"`},
		{"x.zip", zipOf(t, "/abs"), failure.Usage, `"/abs"`},
		{"x.zip", zipOf(t, "ok")[:40], failure.Corrupt, "x.zip"},
		{"x.tar", tarOf(t, tar.Header{Name: "ok"})[:513], failure.Corrupt, `"ok"`},
		{"x.tgz", []byte("no gzip at all"), failure.Corrupt, "x.tgz"},
		{"x.tgz", gzipped(t, tarOf(t, tar.Header{Name: "ok"}))[:30], failure.Corrupt, "x.tgz"},
		{"x.zip", zipOf(t, strings.Repeat("n", 60), strings.Repeat("m", 60)), failure.Limit, "m"},
		{"x.rar", nil, failure.Usage, "x.rar"},
	} {
		dir, err := unpackBytes(t, x.name, x.b, 100)
		require.Error(t, err, "%+v", x)
		require.Equal(t, x.kind, failure.KindOf(err), "%v", err)
		require.ErrorContains(t, err, x.say)
		require.NoFileExists(t, filepath.Join(filepath.Dir(dir), "up"))
		require.NoFileExists(t, filepath.Join(filepath.Dir(dir), "evil"))
	}
}

func FuzzUnpack(f *testing.F) {
	plain := tarOf(f, tar.Header{Name: "d/a"}, tar.Header{Name: "s", Typeflag: tar.TypeSymlink, Linkname: "d"},
		tar.Header{Name: "s/b"})
	f.Add(uint8(tarArchive), plain)
	f.Add(uint8(tarGzip), gzipped(f, plain))
	f.Add(uint8(zipArchive), zipOf(f, "a/b", "c"))
	names := map[archiveKind]string{zipArchive: "x.zip", tarArchive: "x.tar", tarGzip: "x.tgz"}
	f.Fuzz(func(t *testing.T, kind uint8, b []byte) {
		name := names[archiveKind(kind%3+1)]
		parent := t.TempDir()
		dir := filepath.Join(parent, "in")
		require.NoError(t, os.Mkdir(dir, 0o755))
		_, err := unpack(context.Background(), name, bytes.NewReader(b), int64(len(b)), dir, ArchiveLimits{Bytes: 1 << 16})
		if err != nil {
			require.NotEqual(t, failure.Unknown, failure.KindOf(err))
		}
		list, err := os.ReadDir(parent)
		require.NoError(t, err)
		require.Len(t, list, 1, "the archive wrote a file outside its directory")
	})
}
