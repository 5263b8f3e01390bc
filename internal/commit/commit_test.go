package commit_test

import (
	"context"
	"fmt"
	"path"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/dfs/faultfs"
	"github.com/howdah/howdah/dfs/mem"
	"github.com/howdah/howdah/internal/commit"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
)

var ctx = context.Background()

func put(t *testing.T, fs dfs.FileSystem, name, text string) {
	t.Helper()
	w, err := fs.Create(ctx, name, dfs.CreateOptions{})
	require.NoError(t, err)
	_, err = w.Write([]byte(text))
	require.NoError(t, err)
	require.NoError(t, w.Close())
}

// tree lists all files below dir.
func tree(t *testing.T, fs dfs.FileSystem, dir string) []string {
	t.Helper()
	entries, err := fs.List(ctx, dir)
	if failure.Is(err, failure.NotFound) {
		return nil
	}
	require.NoError(t, err)
	var list []string
	for _, e := range entries {
		if e.Dir {
			list = append(list, tree(t, fs, e.Path)...)
		} else {
			list = append(list, e.Path)
		}
	}
	return list
}

// attempts writes the output of two winners and one loser.
func attempts(t *testing.T, fs dfs.FileSystem) []commit.Winner {
	require.NoError(t, commit.Prepare(ctx, fs, "/out"))
	put(t, fs, commit.AttemptDir("/out", "a_0")+"/part-r-00000", "zero")
	put(t, fs, commit.AttemptDir("/out", "a_1")+"/part-r-00001", "one")
	put(t, fs, commit.AttemptDir("/out", "a_1")+"/side/x/more", "more")
	put(t, fs, commit.AttemptDir("/out", "loser")+"/part-r-00000", "wrong")
	put(t, fs, commit.AttemptDir("/out", "a_0")+"/not-in-the-manifest", "")
	return []commit.Winner{
		{Attempt: "a_0", Files: []job.OutputFile{{Name: "part-r-00000", Length: 4}}},
		{Attempt: "a_1", Files: []job.OutputFile{{Name: "part-r-00001", Length: 3}, {Name: "side/x/more", Length: 4}}},
	}
}

var published = []string{"/out/_SUCCESS", "/out/part-r-00000", "/out/part-r-00001", "/out/side/x/more"}

func TestPublishExactlyTheWinners(t *testing.T) {
	fs := mem.New()
	winners := attempts(t, fs)
	for range 3 { // repeated calls have the same result
		require.NoError(t, commit.Publish(ctx, fs, "/out", winners, true))
		require.Equal(t, published, tree(t, fs, "/out"))
	}
}

func TestNoMark(t *testing.T) {
	fs := mem.New()
	require.NoError(t, commit.Publish(ctx, fs, "/out", attempts(t, fs), false))
	require.Equal(t, published[1:], tree(t, fs, "/out"))
}

// Abort keeps published output, even if a damaged journal no longer contains the job's success.
func TestAbortKeepsPublishedOutput(t *testing.T) {
	for _, mark := range []bool{true, false} {
		fs := mem.New()
		winners := attempts(t, fs)
		require.NoError(t, commit.Publish(ctx, fs, "/out", winners, mark))
		before := tree(t, fs, "/out")
		if mark { // tasks of the job run again
			put(t, fs, commit.AttemptDir("/out", "a_9")+"/part-r-00000", "x")
		}
		require.NoError(t, commit.Abort(ctx, fs, "/out", winners, mark))
		require.Equal(t, before, tree(t, fs, "/out"))
	}
}

// Only a whole output without an owner is complete. Attempts that run again do not count as owners.
func TestCompleted(t *testing.T) {
	fs := mem.New()
	completed := func(out string) bool {
		done, err := commit.Completed(ctx, fs, out)
		require.NoError(t, err)
		return done
	}
	require.False(t, completed("/owned"), "nothing is there")
	require.NoError(t, commit.Claim(ctx, fs, "/owned", "job_1"))
	require.False(t, completed("/owned"))
	put(t, fs, "/owned/_SUCCESS", "")
	require.False(t, completed("/owned"), "a job owns it")
	winners := attempts(t, fs)
	require.False(t, completed("/out"))
	require.NoError(t, commit.Publish(ctx, fs, "/out", winners, true))
	require.True(t, completed("/out"))
	put(t, fs, "/out/_temporary/0/attempt_1/part-0", "again")
	require.True(t, completed("/out"))
}

// If a storage operation fails, before or after it takes effect, a repeated Publish has the same
// result, and Abort removes all files.
func TestFaultsAnywhere(t *testing.T) {
	for _, op := range []faultfs.Op{faultfs.Stat, faultfs.Mkdir, faultfs.Rename, faultfs.Delete, faultfs.Create,
		faultfs.Close} {
		for _, effect := range []faultfs.Effect{faultfs.Fail, faultfs.Lost} {
			for nth := 1; ; nth++ {
				rule := faultfs.Rule{Ops: op, Skip: nth - 1, Times: 1, Kind: failure.Unreachable, Do: effect}
				if !faultAt(t, rule) {
					break
				}
			}
		}
	}
}

// faultAt runs the commit with a fault and reports whether the fault occurred.
func faultAt(t *testing.T, rule faultfs.Rule) bool {
	name := fmt.Sprintf("%+v", rule)
	store := mem.New()
	winners := attempts(t, store)
	fs := faultfs.New(store, 1, rule)
	err := commit.Publish(ctx, fs, "/out", winners, true)
	if len(fs.Struck()) == 0 {
		require.NoError(t, err)
		return false
	}
	if err != nil {
		_, mark := store.Stat(ctx, "/out/_SUCCESS")
		require.True(t, failure.Is(mark, failure.NotFound) || len(tree(t, store, "/out")) == len(published),
			"%s: _SUCCESS exists before all files do", name)
	}
	require.NoError(t, commit.Publish(ctx, fs, "/out", winners, true), name)
	require.Equal(t, published, tree(t, store, "/out"), name)

	store = mem.New()
	winners = attempts(t, store)
	fs = faultfs.New(store, 1, rule)
	if err := commit.Publish(ctx, fs, "/out", winners, true); err != nil {
		fs.Heal()
		if tree := tree(t, store, "/out"); len(tree) > 0 && tree[0] != "/out/_SUCCESS" {
			require.NoError(t, commit.Abort(ctx, fs, "/out", winners, true), name)
			_, err = store.Stat(ctx, "/out")
			require.True(t, failure.Is(err, failure.NotFound), "%s: %v", name, err)
		}
	}
	return true
}

func TestAbortKeepsWhatIsNotOurs(t *testing.T) {
	fs := mem.New()
	winners := attempts(t, fs)
	put(t, fs, "/out/somebody-elses", "x")
	for range 2 {
		require.NoError(t, commit.Abort(ctx, fs, "/out", winners, true))
		require.Equal(t, []string{"/out/somebody-elses"}, tree(t, fs, "/out"))
	}
	require.NoError(t, commit.Abort(ctx, fs, "/never", nil, true))
}

func TestVanishedAndChangedFiles(t *testing.T) {
	fs := mem.New()
	winners := attempts(t, fs)
	require.NoError(t, fs.Delete(ctx, commit.AttemptDir("/out", "a_1")+"/part-r-00001", false))
	require.True(t, failure.Is(commit.Publish(ctx, fs, "/out", winners, true), failure.Corrupt))
	fs = mem.New()
	winners = attempts(t, fs)
	winners[0].Files[0].Length++
	require.True(t, failure.Is(commit.Publish(ctx, fs, "/out", winners, true), failure.Corrupt))
	_, err := fs.Stat(ctx, path.Join("/out", commit.Success))
	require.True(t, failure.Is(err, failure.NotFound))
}

// A repeated Publish rejects a file in OUT whose length differs from the manifest. A missing file is
// an error even if it should be empty.
func TestDamageAfterPublish(t *testing.T) {
	fs := mem.New()
	winners := attempts(t, fs)
	require.NoError(t, commit.Publish(ctx, fs, "/out", winners, true))
	winners[0].Files[0].Length++
	require.True(t, failure.Is(commit.Publish(ctx, fs, "/out", winners, true), failure.Corrupt))
	winners[0].Files[0] = job.OutputFile{Name: "empty"}
	require.True(t, failure.Is(commit.Publish(ctx, fs, "/out", winners, true), failure.Corrupt))
}

// If storage does not answer whether a file has already arrived, the output does not count as
// corrupt, because the caller can try again.
func TestPublishWithoutAnAnswer(t *testing.T) {
	store := mem.New()
	winners := attempts(t, store)
	require.NoError(t, commit.Publish(ctx, store, "/out", winners, true))
	fs := faultfs.New(store, 1, faultfs.Rule{Ops: faultfs.Stat, Path: "/out/part-r-00000", Kind: failure.Unreachable,
		Do: faultfs.Fail})
	require.True(t, failure.Is(commit.Publish(ctx, fs, "/out", winners, true), failure.Unreachable))
}

// Publish asks storage only once for each directory, because a job can have many files in one.
func TestPublishMakesEachDirectoryOnce(t *testing.T) {
	store := mem.New()
	require.NoError(t, commit.Prepare(ctx, store, "/out"))
	w := commit.Winner{Attempt: "a_0"}
	for _, name := range []string{"side/x", "side/y", "top"} {
		put(t, store, commit.AttemptDir("/out", "a_0")+"/"+name, "")
		w.Files = append(w.Files, job.OutputFile{Name: name})
	}
	fs := faultfs.New(store, 1, faultfs.Rule{Ops: faultfs.Mkdir, Skip: 1, Kind: failure.Unreachable, Do: faultfs.Fail})
	require.NoError(t, commit.Publish(ctx, fs, "/out", []commit.Winner{w}, false))
	require.Equal(t, []string{"/out/side/x", "/out/side/y", "/out/top"}, tree(t, store, "/out"))
}

func TestPrepare(t *testing.T) {
	fs := mem.New()
	require.NoError(t, commit.Prepare(ctx, fs, "/a/out"))
	require.True(t, failure.Is(commit.Prepare(ctx, fs, "/a/out"), failure.Exists))
}

// After a crash at any point, the owner of a claim can repeat it. No other owner can.
func TestClaim(t *testing.T) {
	for _, op := range []faultfs.Op{faultfs.Create, faultfs.Close, faultfs.Mkdir, faultfs.Rename} {
		for _, effect := range []faultfs.Effect{faultfs.Fail, faultfs.Lost} {
			store := mem.New()
			fs := faultfs.New(store, 1, faultfs.Rule{Ops: op, Times: 1, Kind: failure.Unreachable, Do: effect})
			require.Error(t, commit.Claim(ctx, fs, "/out", "me"), op)
			require.Len(t, fs.Struck(), 1)
			require.NoError(t, commit.Claim(ctx, fs, "/out", "me"), "%v %v", op, effect)
			require.NoError(t, commit.Claim(ctx, fs, "/out", "me"))
			require.True(t, failure.Is(commit.Claim(ctx, fs, "/out", "you"), failure.Exists))
			require.NoError(t, commit.Abort(ctx, fs, "/out", nil, true))
			require.NoError(t, commit.Claim(ctx, fs, "/out", "you"))
		}
	}
	fs := mem.New()
	require.NoError(t, fs.Mkdir(ctx, "/out"))
	require.True(t, failure.Is(commit.Claim(ctx, fs, "/out", "me"), failure.Exists),
		"an empty directory belongs to the user")
}

// A claim that storage rejects leaves nothing that blocks the next job.
func TestRefusedClaim(t *testing.T) {
	for _, op := range []faultfs.Op{faultfs.Create, faultfs.Close, faultfs.Mkdir, faultfs.Rename} {
		for skip := range 2 {
			store := mem.New()
			fs := faultfs.New(store, 1, faultfs.Rule{Ops: op, Skip: skip, Times: 1, Kind: failure.DiskFull, Do: faultfs.Fail})
			err := commit.Claim(ctx, fs, "/out", "me")
			if len(fs.Struck()) == 0 {
				require.NoError(t, err)
				continue
			}
			require.True(t, failure.Is(err, failure.DiskFull), "%v", err)
			_, err = store.Stat(ctx, "/out")
			require.True(t, failure.Is(err, failure.NotFound), "%v %d: %v", op, skip, err)
			require.Empty(t, tree(t, store, "/"), "%v %d", op, skip)
			require.NoError(t, commit.Claim(ctx, fs, "/out", "you"))
		}
	}
}

func TestUnclaim(t *testing.T) {
	fs := mem.New()
	require.NoError(t, commit.Unclaim(ctx, fs, "/out", "me"))
	require.NoError(t, commit.Claim(ctx, fs, "/out", "you"))
	require.NoError(t, commit.Unclaim(ctx, fs, "/out", "me"))
	require.True(t, failure.Is(commit.Claim(ctx, fs, "/out", "me"), failure.Exists), "not ours")
	require.NoError(t, commit.Unclaim(ctx, fs, "/out", "you"))
	store := faultfs.New(fs, 1, faultfs.Rule{Ops: faultfs.Rename, Times: 1, Kind: failure.Unreachable, Do: faultfs.Fail})
	require.Error(t, commit.Claim(ctx, store, "/out", "me"))
	require.NotEmpty(t, tree(t, fs, "/"))
	require.NoError(t, commit.Unclaim(ctx, fs, "/out", "me"), "interrupted before the directory got its name")
	require.Empty(t, tree(t, fs, "/"))
	require.NoError(t, fs.Mkdir(ctx, "/out"))
	require.NoError(t, commit.Unclaim(ctx, fs, "/out", "me"))
	_, err := fs.Stat(ctx, "/out")
	require.NoError(t, err, "the directory is the user's")
}

// strict is a file system that does not create missing parents of a file. HDFS would create them
// with the permissions of the directory above.
type strict struct{ dfs.FileSystem }

func (s strict) Create(ctx context.Context, name string, o dfs.CreateOptions) (dfs.Writer, error) {
	if _, err := s.Stat(ctx, path.Dir(name)); err != nil {
		return nil, err
	}
	return s.FileSystem.Create(ctx, name, o)
}

func TestDirectoriesAreMadeByThemselves(t *testing.T) {
	require.NoError(t, commit.Claim(ctx, strict{mem.New()}, "/tmp/out", "me"))
}
