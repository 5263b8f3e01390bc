package factlog

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job/failure"
)

// open returns a log of lines and its current lines.
func open(t *testing.T, dir string) (*Log, []string) {
	t.Helper()
	var got []string
	j, _, err := Open(dir, lines(&got))
	require.NoError(t, err)
	t.Cleanup(func() { j.Close() })
	return j, got
}

// lines is a format of lines. The first line is the header.
func lines(got *[]string) Format {
	replay := func(r io.Reader) (good, snapshot int64, err error) {
		b := bufio.NewReader(r)
		for {
			line, err := b.ReadString('\n')
			if err == io.EOF {
				return good, snapshot, nil
			}
			if good == 0 && line != "header\n" {
				return 0, 0, fmt.Errorf("no header but %q", line)
			}
			if good > 0 {
				*got = append(*got, strings.TrimSuffix(line, "\n"))
			}
			good += int64(len(line))
		}
	}
	return Format{Header: []byte("header\n"), Owner: "test", Key: "test.dir", Replay: replay}
}

// A crash during the replacement of the journal leaves one complete file.
func TestCrashInRotate(t *testing.T) {
	dir := t.TempDir()
	j, _ := open(t, dir)
	require.NoError(t, j.Append([]byte("one\n")))
	require.NoError(t, j.Close())
	require.NoError(t, os.WriteFile(filepath.Join(dir, "journal.tmp"), []byte("head"), 0o600)) // not yet renamed
	j, got := open(t, dir)
	require.Equal(t, []string{"one"}, got)
	require.NoError(t, j.Close())

	// The new file is renamed, but the old one is not yet removed.
	require.NoError(t, os.WriteFile(j.path(j.number+1), []byte("header\nsnapshot\n"), 0o600))
	_, got = open(t, dir)
	require.Equal(t, []string{"snapshot"}, got)
	require.NoFileExists(t, j.path(j.number))
}

// If replay fails, the error names the journal file.
func TestAJournalThatCannotBeReadIsNamed(t *testing.T) {
	dir := t.TempDir()
	j, _ := open(t, dir)
	require.NoError(t, j.Close())
	require.NoError(t, os.WriteFile(j.path(j.number), []byte("garbage\n"), 0o600))
	_, _, err := Open(dir, lines(new([]string)))
	require.ErrorContains(t, err, j.path(j.number)+": no header")
	require.ErrorContains(t, err, "move the file elsewhere")
}

// The journal counts its growth from the snapshot, so that frequent restarts do not prevent new snapshots.
func TestGrownAcrossRestarts(t *testing.T) {
	dir := t.TempDir()
	j, _ := open(t, dir)
	require.NoError(t, j.Append(bytes.Repeat([]byte("fact\n"), minTail/5+1)))
	require.True(t, j.Grown())
	require.NoError(t, j.Close())
	j, _ = open(t, dir)
	require.True(t, j.Grown())
}

func TestOneOwnerADirectory(t *testing.T) {
	dir := t.TempDir()
	open(t, dir)
	var err error
	synctest.Test(t, func(*testing.T) { // fake clock for the lock's retries
		_, _, err = Open(dir, lines(new([]string)))
	})
	require.True(t, failure.Is(err, failure.Exists), "%v", err)
	require.ErrorContains(t, err, fmt.Sprintf("the test with process ID %d uses the directory", os.Getpid()))
	require.ErrorContains(t, err, "test.dir")
}

func TestADirectoryThatCannotBeMade(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	_, _, err := Open(filepath.Join(file, "sub"), lines(new([]string)))
	require.ErrorContains(t, err, "set test.dir")
}
