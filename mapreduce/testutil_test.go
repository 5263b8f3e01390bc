package mapreduce

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/dfs/mem"
)

// memFS resolves every path to the same in-memory file system.
type memFS struct{ fs dfs.FileSystem }

func (m memFS) Resolve(p string) (dfs.FileSystem, string, error) {
	q, err := dfs.ParsePath(p)
	if err == nil && !strings.HasPrefix(q.Path, "/") {
		q.Path = "/home/" + q.Path
	}
	return m.fs, q.Path, err
}

// testEnv returns an environment with in-memory files. settings alternates keys and values.
func testEnv(t testing.TB, files map[string]string, settings ...string) *Env {
	t.Helper()
	fs := mem.New()
	for name, text := range files {
		w, err := fs.Create(context.Background(), name, dfs.CreateOptions{})
		require.NoError(t, err)
		_, err = io.WriteString(w, text)
		require.NoError(t, err)
		require.NoError(t, w.Close())
	}
	c := conf.New()
	for i := 0; i < len(settings); i += 2 {
		c.Set(settings[i], settings[i+1], "test")
	}
	return &Env{Conf: c, FS: memFS{fs}}
}

func testContext(env *Env) *Context { return NewContext(context.Background(), *env, TaskInfo{}) }

// readAll returns all records of a split in the format of Java's toString.
func readAll(env *Env, f InputFormat, s Split) (keys, values []string, err error) {
	r, err := f.Open(testContext(env), &s)
	if err != nil {
		return nil, nil, err
	}
	kt, vt := f.Types(env.Conf)
	for {
		k, v, err := r.Next()
		if errors.Is(err, io.EOF) {
			return keys, values, r.Close()
		}
		if err != nil {
			return keys, values, errors.Join(err, r.Close())
		}
		keys = append(keys, string(kt.AppendText(nil, k)))
		values = append(values, string(vt.AppendText(nil, v)))
	}
}
