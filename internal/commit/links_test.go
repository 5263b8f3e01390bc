package commit_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs/local"
	"github.com/howdah/howdah/internal/commit"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
)

// After a directory of the output has been replaced by a symbolic link, no step creates, moves, or
// removes a file behind the link.
func TestLinksAreNotFollowed(t *testing.T) {
	fs, err := local.New(conf.New())
	require.NoError(t, err)
	winners := []commit.Winner{{Attempt: "a_0", Files: []job.OutputFile{{Name: "side/part", Length: 1}}}}
	for _, swapped := range []string{".", "_temporary", "_temporary/0/a_0", "side"} {
		for step, call := range map[string]func(out string) error{
			"publish": func(out string) error { return commit.Publish(ctx, fs, out, winners, true) },
			"abort":   func(out string) error { return commit.Abort(ctx, fs, out, winners, true) },
			"unclaim": func(out string) error { return commit.Unclaim(ctx, fs, out, "owner") },
			"claim":   func(out string) error { return commit.Claim(ctx, fs, out, "owner") },
		} {
			t.Run(step+" "+swapped, func(t *testing.T) {
				dir := t.TempDir()
				out, victim := filepath.Join(dir, "out"), filepath.Join(dir, "victim")
				require.NoError(t, commit.Claim(ctx, fs, out, "owner"))
				put(t, fs, commit.AttemptDir(out, "a_0")+"/side/part", "x")
				put(t, fs, out+"/side/part0", "x")
				require.NoError(t, os.Rename(filepath.Join(out, swapped), victim))
				put(t, fs, victim+"/precious", "x")
				if swapped != "_temporary/0/a_0" {
					put(t, fs, victim+"/side/part", "x") // a name of the job
				}
				require.NoError(t, os.Symlink(victim, filepath.Join(out, swapped)))
				before := tree(t, fs, victim)
				err := call(out)
				require.Equal(t, before, tree(t, fs, victim), "%v", err)
				if swapped == "." {
					require.True(t, failure.Is(err, failure.Permission), "%v", err)
				}
				require.NoFileExists(t, out+"/_SUCCESS")
			})
		}
	}
}

// Users may reach their output directory through links.
func TestLinksToTheParentAreFollowed(t *testing.T) {
	fs, err := local.New(conf.New())
	require.NoError(t, err)
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(dir+"/real", 0o777))
	require.NoError(t, os.Symlink("real", dir+"/home"))
	out := dir + "/home/out"
	require.NoError(t, commit.Claim(ctx, fs, out, "owner"))
	put(t, fs, commit.AttemptDir(out, "a_0")+"/part", "x")
	require.NoError(t, commit.Publish(ctx, fs, out, []commit.Winner{{Attempt: "a_0",
		Files: []job.OutputFile{{Name: "part", Length: 1}}}}, true))
	require.Equal(t, []string{out + "/_SUCCESS", out + "/part"}, tree(t, fs, out))
}
