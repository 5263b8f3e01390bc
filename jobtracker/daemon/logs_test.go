package daemon

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/internal/auth"
	"github.com/howdah/howdah/internal/webguard"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/job/status"
)

// TestOpenLog checks which TaskTrackers the JobTracker asks for logs, and what it makes of the answers.
func TestOpenLog(t *testing.T) {
	var asked []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.URL.String())
		switch r.URL.Query().Get("filter") {
		case "stderr":
			w.Header().Set(webguard.LogStartHeader, "7")
			io.WriteString(w, "hello")
		case "stdout":
			io.WriteString(w, "hello from an earlier version")
		case "syslog":
			http.Error(w, "not for you", http.StatusForbidden)
		case "debugout":
			http.NotFound(w, r)
		default:
			http.Redirect(w, r, "http://"+r.Host+"/elsewhere", http.StatusFound)
		}
	}))
	defer server.Close()
	d := &Daemon{logSlots: make(chan struct{}, 1)}
	a := &status.Attempt{LogURL: server.URL + "/tasklog?attemptid=x"}
	open := func(name string) (string, int64, error) {
		log, from, err := d.OpenLog(httptest.NewRequest(http.MethodGet, "/", nil), a, name, -100, 9)
		if err != nil {
			return "", 0, err
		}
		_, _, full := d.OpenLog(httptest.NewRequest(http.MethodGet, "/", nil), a, name, 0, -1)
		require.Equal(t, failure.Limit, failure.KindOf(full))
		b, err := io.ReadAll(log)
		require.NoError(t, err)
		require.NoError(t, log.Close())
		return string(b), from, nil
	}
	_, _, err := open("stderr")
	require.Equal(t, failure.Permission, failure.KindOf(err), "only a node has reported the address")
	require.Empty(t, asked)
	d.vouched.note(auth.Principal{Node: "n1"}, server.Listener.Addr().String())
	_, _, err = open("stderr")
	require.Equal(t, failure.Permission, failure.KindOf(err))
	require.Empty(t, asked)

	d.vouched.note(auth.Principal{Admin: true}, server.Listener.Addr().String())
	text, from, err := open("stderr")
	require.NoError(t, err)
	require.Equal(t, "hello", text)
	require.EqualValues(t, 7, from)
	require.Equal(t, []string{"/tasklog?attemptid=x&end=9&filter=stderr&plaintext=true&start=-100"}, asked)
	text, from, err = open("stdout")
	require.NoError(t, err)
	require.Equal(t, "hello from an earlier version", text)
	require.EqualValues(t, -1, from)
	for name, want := range map[string]failure.Kind{"syslog": failure.Permission, "debugout": failure.NotFound,
		"redirect": failure.IO} {
		_, _, err = open(name)
		require.Equal(t, want, failure.KindOf(err), name)
	}
	require.NotContains(t, asked, "/elsewhere")
	_, _, err = open("syslog")
	require.ErrorContains(t, err, "not for you")
	server.Close()
	_, _, err = open("stderr")
	require.Equal(t, failure.Unreachable, failure.KindOf(err))
	a.LogURL = ""
	_, _, err = open("stderr")
	require.Equal(t, failure.NotFound, failure.KindOf(err))
	require.Empty(t, d.logSlots)
}
