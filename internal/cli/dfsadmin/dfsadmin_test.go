package dfsadmin

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs/local"
)

func TestAmounts(t *testing.T) {
	for n, want := range map[int64]string{0: "0 (0 B)", 347369: "347369 (339.23 KB)",
		270553174016: "270553174016 (251.97 GB)", 1 << 20: "1048576 (1 MB)"} {
		require.Equal(t, want, amount(n))
	}
	require.Equal(t, "25.00%", percent(1, 4))
	require.Equal(t, "100.00%", percent(0, 0))
	require.Equal(t, "0.00%", remaining(0, 0))
	require.Equal(t, "Never", date(time.Time{}))
}

func TestQuotas(t *testing.T) {
	for text, want := range map[string]int64{"0": 0, "10": 10, "2k": 2048, "1G": 1 << 30, "3t": 3 << 40} {
		n, err := parseBytes(text)
		require.NoError(t, err, text)
		require.Equal(t, want, n)
	}
	for _, bad := range []string{"", "x", "3x", "k", "99999999t"} {
		_, err := parseBytes(bad)
		require.Error(t, err, bad)
	}
}

func TestRefused(t *testing.T) {
	r, err := local.Resolver(conf.New())
	require.NoError(t, err)
	run := func(args ...string) (int, string) {
		var out, errs bytes.Buffer
		code := Run(t.Context(), r, args, &out, &errs)
		require.Empty(t, out.String())
		return code, errs.String()
	}
	code, errs := run("-safemode", "get")
	require.Equal(t, exitFailed, code)
	require.Contains(t, errs, "safemode: FileSystem file:/ is not an HDFS file system")
	code, errs = run("-safemode")
	require.Equal(t, exitFailed, code)
	require.Equal(t, "Usage: hdfs dfsadmin [-safemode <enter | leave | get | wait | forceExit>]\n", errs)
	code, errs = run("-nosuch")
	require.Equal(t, exitFailed, code)
	require.Contains(t, errs, "nosuch: Unknown command\n")
	var out, none bytes.Buffer
	require.Zero(t, Run(t.Context(), r, []string{"-help"}, &out, &none))
	require.Contains(t, out.String(), "[-refreshNodes]")
	out.Reset()
	require.Zero(t, Run(t.Context(), r, []string{"-help", "report"}, &out, &none))
	require.Equal(t, "Usage: hdfs dfsadmin [-report [-live] [-dead] [-decommissioning]]\n"+
		"shows the state of the cluster and its DataNodes\n", out.String())
	require.Empty(t, none.String())
	code, _ = run()
	require.Equal(t, exitFailed, code)
}
