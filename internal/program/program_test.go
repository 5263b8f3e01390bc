package program

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The build ID equals the output of go tool buildid. The test uses the go command's own binary,
// because a test binary need not have a build ID.
func TestBuildIDIsWhatTheGoCommandSays(t *testing.T) {
	goBinary, err := exec.LookPath("go")
	if err != nil {
		t.Skip("no go command")
	}
	want, err := exec.Command(goBinary, "tool", "buildid", goBinary).Output()
	require.NoError(t, err)
	p, err := Of(goBinary)
	require.NoError(t, err)
	require.Equal(t, "go:"+strings.TrimSpace(string(want)), p.ID)
}

func TestSelfIsStable(t *testing.T) {
	a, err := Self()
	require.NoError(t, err)
	require.NotEmpty(t, a.ID)
	b, err := Of(a.Path)
	require.NoError(t, err)
	require.Equal(t, a, b)
}

func TestOtherFilesGoByContent(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o755))
		return path
	}
	a, err := Of(write("a", "#!/bin/sh\nexit 0\n"))
	require.NoError(t, err)
	b, err := Of(write("b", "#!/bin/sh\nexit 1\n"))
	require.NoError(t, err)
	same, err := Of(write("c", "#!/bin/sh\nexit 0\n"))
	require.NoError(t, err)
	require.NotEqual(t, a.ID, b.ID)
	require.Equal(t, a.ID, same.ID)
	require.Equal(t, fmt.Sprintf("sha256:%x", sha256.Sum256([]byte("#!/bin/sh\nexit 0\n"))), a.ID)
}

func TestMissingFile(t *testing.T) {
	_, err := Of(filepath.Join(t.TempDir(), "none"))
	require.ErrorContains(t, err, "identify program")
}

// BenchmarkSelf measures how fast Of identifies the test binary.
func BenchmarkSelf(b *testing.B) {
	path, err := os.Executable()
	require.NoError(b, err)
	for b.Loop() {
		if _, err := Of(path); err != nil {
			b.Fatal(err)
		}
	}
}

func FuzzBuildID(f *testing.F) {
	f.Add([]byte("\xff Go build ID: \"abc\"\n \xff"))
	f.Add([]byte("\x7fELF\x02\x01"))
	if path, err := os.Executable(); err == nil {
		if b, err := os.ReadFile(path); err == nil {
			f.Add(b[:4096])
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if id, ok := buildID(bytes.NewReader(b)); ok && (id == "" || len(id) > maxBuildID) {
			t.Fatalf("impossible id %q", id)
		}
	})
}
