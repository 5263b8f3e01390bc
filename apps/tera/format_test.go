package tera

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs/local"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
)

// TestRowsOfSplits checks that splits of any size contain each row exactly once, and that the end of the
// file inside a row is an error.
func TestRowsOfSplits(t *testing.T) {
	const rows = 3000
	all := make([]byte, rows*RowLen)
	x := skip(1)
	for n := range uint64(rows) {
		fillRow(all[n*RowLen:(n+1)*RowLen], x, n)
		x = next(x)
	}
	for _, cut := range []int{0, 1, RowLen - 1} {
		name := filepath.Join(t.TempDir(), "rows")
		require.NoError(t, os.WriteFile(name, all[:len(all)-cut], 0o644))
		c := conf.New()
		c.Set("mapreduce.input.fileinputformat.split.maxsize", "70001", "test")
		mapreduce.AddInputPaths(c, name)
		fs, err := local.Resolver(c)
		require.NoError(t, err)
		env := mapreduce.Env{Conf: c, FS: fs}
		splits, err := rowInput{}.Splits(t.Context(), &env)
		require.NoError(t, err)
		require.Greater(t, len(splits), 3)
		var got []byte
		for i := range splits {
			ctx := mapreduce.NewContext(t.Context(), env, mapreduce.TaskInfo{Split: &splits[i]})
			r, err := rowInput{}.Open(ctx, &splits[i])
			require.NoError(t, err)
			before := len(got)
			var key, value []byte
			for err == nil {
				if key, value, err = r.Next(); err == nil {
					got = append(append(got, key[1:]...), value[1:]...)
				}
			}
			if i == len(splits)-1 && cut > 0 {
				require.ErrorIs(t, err, failure.Corrupt.Target())
				require.ErrorContains(t, err, "at offset 299900")
			} else {
				require.Equal(t, io.EOF, err)
			}
			require.EqualValues(t, len(got)-before, ctx.Counters().Builtin[job.InputBytesRead])
			require.NoError(t, r.Close())
		}
		whole := len(all) - (cut+RowLen-1)/RowLen*RowLen
		require.True(t, bytes.Equal(all[:whole], got))
	}
}
