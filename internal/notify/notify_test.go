package notify

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
)

var id = job.ID{Cluster: "202611210753", Seq: 7}

// local permits the test's servers.
var local = Policy{loopback: true}

func plan(t *testing.T, set ...string) Plan {
	c := conf.New()
	for i := 0; i < len(set); i += 2 {
		c.Set(set[i], set[i+1], "test")
	}
	p, err := Read(c)
	require.NoError(t, err)
	return p
}

// server answers the first calls with an error and records the requests.
func server(t *testing.T, errors int) (string, *[]string) {
	var calls []string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if calls = append(calls, r.URL.String()); len(calls) <= errors {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	t.Cleanup(s.Close)
	return s.URL, &calls
}

func TestCallIsRepeatedUntilItIsTaken(t *testing.T) {
	url, calls := server(t, 2)
	p := plan(t, "job.end.notification.url", url+"/?id=$jobId&s=$jobStatus&again=$jobId",
		conf.JobEndNotificationRetryAttempts.Name, "4",
		conf.JobEndNotificationRetryInterval.Name, "1")
	require.NoError(t, p.Call(t.Context(), local, id, job.Killed))
	want := "/?id=job_202611210753_0007&s=KILLED&again=job_202611210753_0007"
	require.Equal(t, []string{want, want, want}, *calls)
}

func TestCallGivesUp(t *testing.T) {
	url, calls := server(t, 1000)
	p := plan(t, conf.JobEndNotificationURL.Name, url, conf.JobEndNotificationRetryAttempts.Name, "100",
		conf.JobEndNotificationRetryInterval.Name, "60000", conf.JobEndNotificationMaxRetryInterval.Name, "1",
		conf.JobEndNotificationMaxAttempts.Name, "3")
	err := p.Call(t.Context(), local, id, job.Failed)
	require.True(t, failure.Is(err, failure.Unreachable), "%v", err)
	require.ErrorContains(t, err, "attempt 3")
	require.Len(t, *calls, 3)

	p = plan(t, conf.JobEndNotificationURL.Name, url)
	require.Error(t, p.Call(t.Context(), local, id, job.Failed))
	require.Len(t, *calls, 4, "without retries there is one call")

	var none Plan
	require.NoError(t, none.Call(t.Context(), local, id, job.Failed))
}

func TestErrorsHideSecrets(t *testing.T) {
	server, _ := server(t, 1000)
	for _, host := range []string{strings.TrimPrefix(server, "http://"), "127.0.0.1:1"} {
		p := plan(t, conf.JobEndNotificationURL.Name, "http://ann:pass@"+host+"/x")
		err := p.Call(t.Context(), local, id, job.Failed)
		require.ErrorContains(t, err, "http://<redacted>@"+host+"/x")
		require.NotContains(t, err.Error(), "ann")
		require.NotContains(t, err.Error(), "pass")
	}
}

func TestCallGoesThroughAProxy(t *testing.T) {
	proxy, calls := server(t, 0)
	p := plan(t, conf.JobEndNotificationURL.Name, "http://nowhere.invalid/x", conf.JobEndNotificationProxy.Name,
		"http@"+strings.TrimPrefix(proxy, "http://"))
	require.NoError(t, p.Call(t.Context(), local, id, job.Succeeded))
	require.Equal(t, []string{"http://nowhere.invalid/x"}, *calls)
}

func TestReadRefuses(t *testing.T) {
	for _, set := range [][2]string{{conf.JobEndNotificationURL.Name, "ftp://x/"}, {conf.JobEndNotificationURL.Name,
		"http:///x"}, {conf.JobEndNotificationURL.Name, "::"},
		{conf.JobEndNotificationRetryAttempts.Name, "-1"},
		{conf.JobEndNotificationRetryInterval.Name, "soon"}, {conf.JobEndNotificationMaxAttempts.Name, "0"},
		{conf.JobEndNotificationProxy.Name, "x"}, {conf.JobEndNotificationProxy.Name, "gopher@x:1"},
		{conf.JobEndNotificationTimeout.Name, "0"}} {
		c := conf.New()
		c.Set(set[0], set[1], "test")
		_, err := Read(c)
		require.True(t, failure.Is(err, failure.Config), "%v: %v", set, err)
	}
}
