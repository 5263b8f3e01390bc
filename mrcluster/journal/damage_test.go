package journal

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/internal/disk/disktest"
	"github.com/howdah/howdah/internal/factlog"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mrcluster"
)

// written returns a directory with a journal of a snapshot and one write for each fact, and its file.
func written(t *testing.T) (dir, file string) {
	dir = t.TempDir()
	j, _, _ := open(t, dir)
	text, err := Encode(nil, mrcluster.Fact{Kind: mrcluster.Snapshot, Time: 1, State: &mrcluster.State{}})
	require.NoError(t, err)
	require.NoError(t, j.Rotate(text))
	for _, f := range some() {
		appendFacts(t, j, f)
	}
	require.NoError(t, j.Close())
	file, err = factlog.Newest(dir)
	require.NoError(t, err)
	return dir, file
}

func lines(b []byte) [][]byte { return bytes.SplitAfter(b, []byte("\n")) }

// Each damage is refused with the file, the line, and the offset. The file stays as it is.
func TestDamageIsRefused(t *testing.T) {
	for name, damage := range map[string]func(b []byte) []byte{
		"flip in a name": func(b []byte) []byte { return bytes.Replace(b, []byte(`"node":"n1"`), []byte(`"node":"n3"`), 1) },
		"flip in a time": func(b []byte) []byte { return bytes.Replace(b, []byte(`"time":4000`), []byte(`"time":4001`), 1) },
		"flip in the last line": func(b []byte) []byte {
			return bytes.Replace(b, []byte("without saving"), []byte("without saving"[:13]+"G"), 1)
		},
		"last newline": func(b []byte) []byte { return append(bytes.Clone(b[:len(b)-1]), '\v') },
		"hole":         func(b []byte) []byte { b = bytes.Clone(b); clear(b[600:1300]); return b },
		"lost line":    func(b []byte) []byte { l := lines(b); return bytes.Join(slices.Delete(l, 6, 7), nil) },
		"doubled line": func(b []byte) []byte { l := lines(b); return bytes.Join(slices.Insert(l, 6, l[6]), nil) },
		"swapped lines": func(b []byte) []byte {
			l := lines(b)
			l[6], l[8] = l[8], l[6]
			return bytes.Join(l, nil)
		},
		"doubled file":    func(b []byte) []byte { return slices.Concat(b, b) },
		"emptied":         func([]byte) []byte { return nil },
		"only the header": func([]byte) []byte { return []byte(header2) },
		"half a header":   func([]byte) []byte { return []byte(header2)[:20] },
		"cut snapshot":    func(b []byte) []byte { return b[:len(header2)+30] },
		"another version": func(b []byte) []byte { return bytes.Replace(b, []byte(`"version":2`), []byte(`"version":3`), 1) },
		"version 1":       func(b []byte) []byte { return bytes.Replace(b, []byte(`"version":2`), []byte(`"version":1`), 1) },
	} {
		t.Run(name, func(t *testing.T) {
			dir, file := written(t)
			whole, err := os.ReadFile(file)
			require.NoError(t, err)
			bad := damage(whole)
			require.NotEqual(t, whole, bad)
			require.NoError(t, os.WriteFile(file, bad, 0o600))
			_, _, err = Open(dir, "test.dir", nil, func(*mrcluster.Fact) error { return nil })
			require.True(t, failure.Is(err, failure.Corrupt), "%v", err)
			require.ErrorContains(t, err, file)
			require.ErrorContains(t, err, "at byte ")
			remedy := "--repair"
			if len(bad) < len(header2) { // nothing to repair
				remedy = "restore the file from a copy, or rename it"
			}
			require.ErrorContains(t, err, remedy)
			after, err := os.ReadFile(file)
			require.NoError(t, err)
			require.Equal(t, string(bad), string(after))
		})
	}
}

// A crash during the last write can leave a part of it, or holes in it.
func TestTornWrites(t *testing.T) {
	dir, file := written(t)
	whole, err := os.ReadFile(file)
	require.NoError(t, err)
	seed := disktest.Seed(t)
	for i := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, i))
		write, err := Encode(nil, some()...)
		require.NoError(t, err)
		sealed, _ := seal([]byte("\n"), write, lastSum(t, whole))
		torn := sealed[:1+rng.IntN(len(sealed)-1)]
		if rng.IntN(2) == 0 {
			for at := 0; at < len(torn); at++ {
				if (len(whole)+at)%512 == 0 && rng.IntN(3) > 0 {
					clear(torn[at:min(len(torn), at+512)])
				}
			}
		}
		require.NoError(t, os.WriteFile(file, slices.Concat(whole, torn), 0o600))
		var got []mrcluster.Fact
		j, _, err := Open(dir, "test.dir", nil, func(f *mrcluster.Fact) error { got = append(got, *f); return nil })
		require.NoError(t, err, "%d: %q", i, torn)
		require.GreaterOrEqual(t, len(got), 1+len(some()))
		require.NoError(t, j.Append(nil))
		require.NoError(t, j.Close())
	}
}

func lastSum(t *testing.T, b []byte) uint32 {
	l := lines(b)
	_, sum, ok := unseal(l[len(l)-2])
	require.True(t, ok)
	return sum
}

// A journal of version 1, without checksums, is read and then replaced.
func TestVersion1(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "journal-00000007.facts")
	text, err := Encode(AppendHeader(nil), some()...)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, text, 0o600))
	j, got, _ := open(t, dir)
	require.Equal(t, some(), got)
	require.True(t, j.Grown(), "a snapshot replaces it")
	appendFacts(t, j, some()[0])
	require.NoError(t, j.Close())
	j, got, _ = open(t, dir)
	require.Len(t, got, len(some())+1, "until then it grows")
	snapshot, err := Encode(nil, some()[0])
	require.NoError(t, err)
	require.NoError(t, j.Rotate(snapshot))
	require.False(t, j.Grown())
	require.NoError(t, j.Close())
	_, got, _ = open(t, dir)
	require.Len(t, got, 1)
}

// A journal grows across restarts.
func TestGrown(t *testing.T) {
	dir := t.TempDir()
	j, _, _ := open(t, dir)
	text := func(n int) []byte {
		b, err := Encode(nil, mrcluster.Fact{Kind: mrcluster.NodeFreed, Time: 1, Reason: strings.Repeat("x", n<<20)})
		require.NoError(t, err)
		return b
	}
	require.NoError(t, j.Rotate(text(3)))
	for range 2 {
		require.NoError(t, j.Append(text(2)))
		require.NoError(t, j.Close())
		j, _, _ = open(t, dir)
		require.False(t, j.Grown())
	}
	require.NoError(t, j.Append(text(3)))
	require.True(t, j.Grown())
}

// Examine says what a cut loses. Cut keeps the facts before the damage and does not let a number of a
// lost deployment be used again.
func TestRepair(t *testing.T) {
	dir, file := written(t)
	d, err := Examine(dir)
	require.NoError(t, err)
	require.Nil(t, d, "the journal is intact")
	whole, err := os.ReadFile(file)
	require.NoError(t, err)
	bad := bytes.Replace(whole, []byte(`"fact":"cluster-queued"`), []byte(`"fact":"cluster-quEued"`), 1)
	require.NoError(t, os.WriteFile(file, bad, 0o600))
	d, err = Examine(dir)
	require.NoError(t, err)
	require.Equal(t, file, d.File)
	require.EqualValues(t, bytes.Index(bad, []byte(`{"fact":"cluster-quEued"`)), d.Offset)
	require.EqualValues(t, int64(len(bad))-d.Offset, d.Bytes)
	require.Equal(t, 4, d.Facts)
	require.EqualValues(t, 2000, d.Time)
	require.Equal(t, []factlog.Lost{{Name: "MR-cluster a", Facts: 8, Notes: []string{"cluster-active",
		"cluster-sized", "cluster-doomed", "cluster-ended"}}}, d.Lost)

	d, err = Cut(dir, "test.dir")
	require.NoError(t, err)
	kept, err := os.ReadFile(d.Kept)
	require.NoError(t, err)
	require.Equal(t, bad[d.Offset:], kept)
	_, got, torn := open(t, dir)
	require.Zero(t, torn)
	require.Len(t, got, 1)
	require.EqualValues(t, 1, got[0].State.Deployments)
	require.Equal(t, "a", got[0].State.Clusters[0].Spec.Name)
	require.Equal(t, "n1", got[0].State.Nodes[0].Name)
}

// A journal that is damaged at 500 random places is refused, or it gives the facts up to a point in
// its last write. It never gives other facts.
func TestRandomDamage(t *testing.T) {
	dir, file := written(t)
	whole, err := os.ReadFile(file)
	require.NoError(t, err)
	read := func() (got []string, err error) {
		j, _, err := Open(dir, "test.dir", nil, func(f *mrcluster.Fact) error {
			line, err := Encode(nil, *f)
			got = append(got, string(line))
			return err
		})
		if err == nil {
			require.NoError(t, j.Close())
		}
		return got, err
	}
	good, err := read()
	require.NoError(t, err)
	seed := disktest.Seed(t)
	for i := range uint64(500) {
		what, bad := disktest.Damage(rand.New(rand.NewPCG(seed, i)), whole)
		require.NoError(t, os.WriteFile(file, bad, 0o600))
		got, err := read()
		if err != nil {
			require.True(t, failure.Is(err, failure.Corrupt), "%d: %s: %v", i, what, err)
			if _, err := Cut(dir, "test.dir"); err == nil {
				_, err = read()
				require.NoError(t, err, "%d: %s", i, what)
			}
		} else {
			require.Equal(t, good[:len(got)], got, "%d: %s", i, what)
			if l := lines(whole); !disktest.ReachesEnd(whole, bad, len(l[len(l)-2])+2) {
				require.GreaterOrEqual(t, len(got), len(good)-1, "%d: %s: only the last write may be torn", i, what)
			}
		}
		clean(t, dir, file)
	}
}

// clean removes what Cut has written besides the journal.
func clean(t *testing.T, dir, file string) {
	list, err := filepath.Glob(filepath.Join(dir, "journal-*"))
	require.NoError(t, err)
	for _, name := range list {
		if name != file {
			require.NoError(t, os.Remove(name))
		}
	}
}
