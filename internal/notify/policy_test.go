package notify

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
)

func policy(t *testing.T, loopback bool, hosts string) Policy {
	c := conf.New()
	c.Set(conf.JobTrackerNotificationHosts.Name, hosts, "test")
	p, err := ReadPolicy(c, loopback)
	require.NoError(t, err)
	return p
}

func TestPolicyRefusesLocalAddresses(t *testing.T) {
	p := policy(t, false, "")
	for _, addr := range []string{"127.0.0.1", "127.9.9.9", "::1", "0.0.0.0", "::", "169.254.169.254", "fe80::1",
		"fe80::1%eth0", "::ffff:127.0.0.1", "::ffff:169.254.169.254", "64:ff9b::a9fe:a9fe", "fd00:ec2::254",
		"100.100.100.200", "224.0.0.1", "ff02::1"} {
		require.Error(t, p.permits("x", netip.MustParseAddr(addr)), addr)
	}
	for _, addr := range []string{"10.0.0.1", "192.168.1.1", "8.8.8.8", "2001:db8::1", "fd00::1"} {
		require.NoError(t, p.permits("x", netip.MustParseAddr(addr)), addr)
	}
	laptop := policy(t, true, "")
	require.NoError(t, laptop.permits("localhost", netip.MustParseAddr("127.0.0.1")))
	require.Error(t, laptop.permits("x", netip.MustParseAddr("169.254.169.254")))
}

func TestPolicyListsHosts(t *testing.T) {
	p := policy(t, true, "oozie, *.Example.org, 10.1.0.0/16, 192.168.7.7, [::1]")
	for host, addr := range map[string]string{"oozie": "127.0.0.1", "OOZIE.": "8.8.8.8", "a.example.org": "8.8.8.8",
		"other": "10.1.2.3", "third": "192.168.7.7", "sixth": "::1"} {
		require.NoError(t, p.permits(host, netip.MustParseAddr(addr)), host)
	}
	for host, addr := range map[string]string{"example.org": "8.8.8.8", "badexample.org": "8.8.8.8", "x": "10.2.0.1",
		"localhost": "127.0.0.1"} {
		require.Error(t, p.permits(host, netip.MustParseAddr(addr)), host)
	}
	for _, bad := range []string{"http://x/", "a:1", "*.*.org", "10.0.0.0/99"} {
		c := conf.New()
		c.Set(conf.JobTrackerNotificationHosts.Name, bad, "test")
		_, err := ReadPolicy(c, false)
		require.True(t, failure.Is(err, failure.Config), "%s: %v", bad, err)
	}
}

func TestCheckAtSubmission(t *testing.T) {
	check := func(p Policy, set ...string) error {
		plan := plan(t, set...)
		return p.Check(&plan)
	}
	open, only := policy(t, false, ""), policy(t, false, "oozie")
	network := policy(t, false, "10.0.0.0/8")
	require.NoError(t, check(open))
	require.NoError(t, check(open, conf.JobEndNotificationURL.Name, "http://anywhere/"))
	require.NoError(t, check(only, conf.JobEndNotificationURL.Name, "http://oozie:11000/x"))
	require.NoError(t, check(network, conf.JobEndNotificationURL.Name, "http://unknown-until-it-is-resolved/"))
	require.NoError(t, check(network, conf.JobEndNotificationURL.Name, "http://10.2.3.4/"))
	for err, why := range map[error]string{
		check(open, conf.JobEndNotificationURL.Name,
			"http://127.0.0.1:50030/"): "local address",
		check(open, conf.JobEndNotificationURL.Name,
			"http://[::1]/"): "local address",
		check(open, conf.JobEndNotificationURL.Name, "http://x/", conf.JobEndNotificationProxy.Name,
			"127.0.0.1:3128"): "local address",
		check(only, conf.JobEndNotificationURL.Name,
			"http://anywhere/"): "may not call",
		check(network, conf.JobEndNotificationURL.Name,
			"http://11.2.3.4/"): "may not call",
		check(network, conf.JobEndNotificationURL.Name, "http://name-of-proxy/", conf.JobEndNotificationProxy.Name,
			"10.0.0.1:3128"): "may not call",
	} {
		require.True(t, failure.Is(err, failure.Permission), "%v", err)
		require.ErrorContains(t, err, why)
		require.ErrorContains(t, err, conf.JobTrackerNotificationHosts.Name)
	}
}

// TestAddressIsCheckedWhenItIsDialed checks that a name does not hide a local address.
func TestAddressIsCheckedWhenItIsDialed(t *testing.T) {
	url, calls := server(t, 0)
	url = strings.Replace(url, "127.0.0.1", "localhost", 1)
	p := plan(t, conf.JobEndNotificationURL.Name, url, conf.JobEndNotificationRetryAttempts.Name, "3",
		conf.JobEndNotificationRetryInterval.Name, "1")
	err := p.Call(t.Context(), policy(t, false, ""), id, job.Succeeded)
	require.True(t, failure.Is(err, failure.Permission), "%v", err)
	require.Empty(t, *calls)
	require.NoError(t, p.Call(t.Context(), policy(t, false, "localhost"), id, job.Succeeded))
	require.NoError(t, p.Call(t.Context(), Anywhere, id, job.Succeeded))
	require.Len(t, *calls, 2)
}

func TestRedirectsStayOnTheHost(t *testing.T) {
	other, calls := server(t, 0)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/away":
			http.Redirect(w, r, other, http.StatusFound)
		case "/loop":
			http.Redirect(w, r, "/loop", http.StatusFound)
		case "/here":
			http.Redirect(w, r, "/end", http.StatusFound)
		case "/header":
			w.Header().Set("X", strings.Repeat("x", 1<<20))
		}
	}))
	defer s.Close()
	call := func(path string) error {
		p := plan(t, conf.JobEndNotificationURL.Name, s.URL+path)
		return p.Call(t.Context(), local, id, job.Succeeded)
	}
	require.NoError(t, call("/here"))
	require.ErrorContains(t, call("/away"), "redirects to another host")
	require.ErrorContains(t, call("/loop"), "too many redirects")
	require.Error(t, call("/header"))
	require.Empty(t, *calls)
}
