package cli

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDaemonLog(t *testing.T) {
	level, methods := "INFO", ""
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		methods += r.Method + " "
		switch to := r.FormValue("level"); {
		case r.URL.Path != "/logLevel" || r.Header.Get("Authorization") == "":
			w.WriteHeader(http.StatusNotFound)
			return
		case to == "LOUD":
			http.Error(w, "Bad level", http.StatusBadRequest)
			return
		case to != "":
			level = to
		}
		_, _ = io.WriteString(w, "<!-- OUTPUT -->Effective Level: <b>"+level+"</b><br />\n")
	}))
	t.Cleanup(web.Close)
	at := web.Listener.Addr().String()
	for _, args := range [][]string{{"-getlevel", at}, {"-getlevel", at, "org.apache.hadoop.mapred.JobTracker"}} {
		code, out, said := call(t, append([]string{"daemonlog"}, args...)...)
		require.Zero(t, code, said)
		require.Equal(t, "Effective Level: INFO\n", out)
	}
	code, out, said := callAs(t, "hadoop", "daemonlog", "-setlevel", at, "a.b.C", "WARN", "-protocol", "http")
	require.Zero(t, code, said)
	require.Equal(t, "Effective Level: WARN\n", out)
	_, out, _ = call(t, "daemonlog", "-setlevel", at, "DEBUG")
	require.Equal(t, "Effective Level: DEBUG\n", out)
	require.Equal(t, "GET GET POST POST ", methods)

	code, _, said = call(t, "daemonlog", "-setlevel", at, "LOUD")
	require.Equal(t, 2, code)
	require.Contains(t, said, "Bad level")
	for _, args := range [][]string{{}, {"-getlevel"}, {"-getlevel", "host"}, {"-getlevel", at, "a", "b"},
		{"-setlevel", at}, {"-setlevel", at, "a", "INFO", "c"}, {"-getlevel", at, "-protocol"},
		{"-getlevel", at, "-protocol", "ftp"}, {"-getlevel", at, "--json"}, {"-setlevel", at, "-x", "INFO"},
		{"-level", at}} {
		code, _, said := call(t, append([]string{"daemonlog"}, args...)...)
		require.Equal(t, 2, code, "%s: %s", args, said)
	}
	require.Equal(t, "DEBUG", level)
	web.Close()
	code, _, said = call(t, "daemonlog", "-getlevel", at)
	require.NotZero(t, code)
	require.Contains(t, said, "master:50030")
}
