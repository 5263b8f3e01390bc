package fs

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/dfs/mem"
)

// homed is storage with home directories and its own trash interval.
type homed struct {
	dfs.FileSystem
	keep time.Duration
}

func (homed) Home() string                                           { return "/user/me" }
func (h homed) TrashInterval(context.Context) (time.Duration, error) { return h.keep, nil }

func TestTrash(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := homed{mem.New(), time.Hour}
		do := func(args ...string) string {
			t.Helper()
			code, out, errs := run(t.Context(), fs, args...)
			require.Zero(t, code, errs)
			return out + errs
		}
		store(t, fs, "/d/f", "one")
		require.Equal(t, "Moved: 'mem:/d/f' to trash at: mem:/user/me/.Trash/Current/d/f\n",
			strings.ReplaceAll(do("-rm", "/d/f"), "mem://", "mem:"))
		require.Equal(t, "one", do("-cat", "/user/me/.Trash/Current/d/f"))
		store(t, fs, "/d/f", "two")
		do("-rm", "/d/f") // the name is in use, so the time is appended
		require.Equal(t, 2, strings.Count(do("-ls", "-C", "/user/me/.Trash/Current/d"), "/d/f"))
		do("-rm", "-r", "-skipTrash", "/d")
		store(t, fs, "/d", "a file that was a directory")
		do("-rm", "/d")
		require.Contains(t, do("-ls", "-C", "/user/me/.Trash/Current"), "Current/d9") // with the time appended

		do("-expunge") // renames Current to the date
		require.NotContains(t, do("-ls", "-C", "/user/me/.Trash"), "Current")
		time.Sleep(30 * time.Minute)
		do("-expunge")
		require.NotEmpty(t, do("-ls", "-C", "/user/me/.Trash"))
		time.Sleep(31 * time.Minute)
		do("-expunge")
		require.Empty(t, do("-ls", "-C", "/user/me/.Trash"))

		store(t, fs, "/x", "x")
		do("-rm", "/x")
		require.Contains(t, do("-rm", "-r", "/user/me/.Trash/Current"), "Deleted") // deletes without trash
		store(t, fs, "/x", "x")
		do("-rm", "/x")
		do("-expunge", "-immediate")
		require.Empty(t, do("-ls", "-C", "/user/me/.Trash"))
		code, _, errs := run(t.Context(), fs, "-rm", "-r", "/user")
		require.Equal(t, 1, code)
		require.Contains(t, errs, "as it contains the trash. Consider using -skipTrash option")
		store(t, fs, "/y", "y")
		require.Contains(t, do("-rm", "-skipTrash", "/y"), "Deleted /y")
	})
}

func TestSafely(t *testing.T) {
	fs := mem.New()
	try := func(answer string) (int, string, string) {
		for _, n := range []string{"/d/1", "/d/2", "/d/3"} {
			if _, err := fs.Stat(t.Context(), n); err != nil {
				store(t, fs, n, "x")
			}
		}
		var out, errs bytes.Buffer
		code := Run(t.Context(), only{fs}, Settings{ConfirmAbove: 2}, []string{"-rm", "-r", "-safely", "/d"},
			strings.NewReader(answer), &out, &errs)
		return code, out.String(), errs.String()
	}
	code, out, errs := try("what\nn\n")
	require.Zero(t, code)
	require.Empty(t, out)
	require.Equal(t, "Proceed deleting 3 files? (Y or N) Invalid input: what\nProceed deleting 3 files? (Y or N) Delete "+
		"aborted at user request.\n\n", errs)
	code, _, _ = try("")
	require.Equal(t, 1, code)
	code, out, _ = try("y\n")
	require.Zero(t, code)
	require.Equal(t, "Deleted /d\n", out)
}

func TestAccessEntries(t *testing.T) {
	got, err := parseEntries("user:alice:rw-,default:group::r-x,mask::rwx", true)
	require.NoError(t, err)
	require.Equal(t, []dfs.AccessEntry{{Type: "user", Name: "alice", Permissions: 6},
		{Default: true, Type: "group", Permissions: 5}, {Type: "mask", Permissions: 7}}, got)
	for _, e := range got {
		again, err := parseEntry(entryText(e), true)
		require.NoError(t, err)
		require.Equal(t, e, again)
	}
	_, err = parseEntries("user:alice,group:", false)
	require.NoError(t, err)
	for _, bad := range []string{"", "user", "user:a", "user:a:rwxx", "user:a:rw", "nobody:a:rwx", "user:a:rwx:more",
		"default", "default:"} {
		_, err := parseEntries(bad, true)
		require.Error(t, err, bad)
	}
}

// -crc writes the checksum file of Hadoop's local file system, here for 600 bytes in two chunks.
func TestChecksumFile(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, writeChecksums(&b, strings.NewReader(strings.Repeat("a", 600))))
	require.Equal(t, "crc\x00\x00\x00\x02\x00", b.String()[:8])
	require.Len(t, b.Bytes(), 8+2*4)
	require.Equal(t, "/d/.f.crc", crcName("/d/f"))
}

// Concurrent copies have the same result as sequential copies. Directories keep their times.
func TestCopyWithThreads(t *testing.T) {
	fs := mem.New()
	for _, n := range []string{"/from/a", "/from/b", "/from/d/c", "/from/d/e"} {
		store(t, fs, n, n)
	}
	when := time.UnixMilli(1234567890000)
	require.NoError(t, fs.SetMeta(t.Context(), "/from/d", dfs.Meta{ModTime: &when}))
	code, _, errs := run(t.Context(), fs, "-cp", "-p", "-t", "3", "/from", "/to")
	require.Zero(t, code, errs)
	_, out, _ := run(t.Context(), fs, "-cat", "/to/a", "/to/b", "/to/d/c", "/to/d/e")
	require.Equal(t, "/from/a/from/b/from/d/c/from/d/e", out)
	i, err := fs.Stat(t.Context(), "/to/d")
	require.NoError(t, err)
	require.True(t, when.Equal(i.ModTime))
	code, _, errs = run(t.Context(), fs, "-cp", "-t", "3", "/from/a", "/from/b", "/from/d/c", "/to")
	require.Equal(t, 1, code)
	require.Equal(t, 2, strings.Count(errs, "File exists"))
}
