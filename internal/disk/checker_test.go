package disk

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job/failure"
)

func TestChecker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var c Checker
		name := filepath.Join(t.TempDir(), "f")
		then := time.Now()
		write := func(text string, modified time.Time) {
			require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
			require.NoError(t, os.Chtimes(name, modified, modified))
		}
		write("good", then)
		sum, err := SumOf(name)
		require.NoError(t, err)
		require.NoError(t, c.Check(name, sum))

		write("evil", then.Add(time.Millisecond))
		require.True(t, failure.Is(c.Check(name, sum), failure.Corrupt), "a write")
		write("goo", then)
		require.True(t, failure.Is(c.Check(name, sum), failure.Corrupt), "a cut")
		write("evil", then) // as if the disk had changed the file
		require.NoError(t, c.Check(name, sum), "the file has not been read again")
		require.True(t, failure.Is(c.Check(name, Sum{Size: 4}), failure.Corrupt), "another sum")
		time.Sleep(trusted)
		require.True(t, failure.Is(c.Check(name, sum), failure.Corrupt), "silent damage, after a minute")
		require.NoError(t, os.Remove(name))
		require.True(t, failure.Is(c.Check(name, sum), failure.NotFound))
	})
}

func TestCheckerForgets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var c Checker
		dir := t.TempDir()
		for i := range 10_000 {
			name := filepath.Join(dir, strconv.Itoa(i))
			require.NoError(t, os.WriteFile(name, nil, 0o600))
			require.NoError(t, c.Check(name, Sum{}))
			time.Sleep(time.Second)
		}
		require.LessOrEqual(t, len(c.good), 300)
	})
}
