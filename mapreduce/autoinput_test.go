package mapreduce

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/mapreduce/sequencefile"
)

// The content of each file determines the file's format and record types.
func TestAutoInputLooksAtTheFiles(t *testing.T) {
	env := testEnv(t, map[string]string{"/in/a": "one\ntwo\n", "/in/b": "", "/in/c": "SE",
		"/in/d": sequence(t, sequencefile.Options{}, 1)}, conf.InputFileInputFormatInputDir.Name, "/in")
	splits, err := AutoInput{}.Splits(context.Background(), env)
	require.NoError(t, err)
	var got []string
	for i := range splits {
		r, err := AutoInput{}.Open(testContext(env), &splits[i])
		require.NoError(t, err)
		key, value := r.(TypedReader).RecordTypes()
		for {
			k, v, err := r.Next()
			if err != nil {
				break
			}
			got = append(got, string(value.AppendText(append(key.AppendText(nil, k), '='), v)))
		}
		require.NoError(t, r.Close())
	}
	require.Equal(t, []string{"0=one", "4=two", "0=SE", "key 0=0"}, got)
}
