// Package notify calls the URL in mapreduce.job.end-notification.url when a job ends.
package notify

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"time"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/redact"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
)

// Plan contains the settings for the call at the end of a job.
type Plan struct {
	url      string // can contain $jobId and $jobStatus; "" means no call
	tries    int
	interval time.Duration
	timeout  time.Duration // timeout of one call
	proxy    *url.URL      // nil means no proxy
}

// Read reads a job's plan from its configuration. For an invalid value the error is of kind Config.
func Read(c *conf.Config) (Plan, error) {
	p := Plan{url: conf.JobEndNotificationURL.Get(c)}
	retries, err := conf.JobEndNotificationRetryAttempts.Get(c)
	if err != nil {
		return p, err
	}
	most, err := conf.JobEndNotificationMaxAttempts.Get(c)
	if err != nil {
		return p, err
	}
	p.tries = int(min(retries+1, most))
	longest, err := conf.JobEndNotificationMaxRetryInterval.Get(c)
	if err != nil {
		return p, err
	}
	interval, err := conf.JobEndNotificationRetryInterval.Get(c)
	if err != nil {
		return p, err
	}
	p.interval = min(interval, longest)
	if p.timeout, err = conf.JobEndNotificationTimeout.Get(c); err != nil {
		return p, err
	}
	p.proxy, err = readProxy(c)
	if err == nil && p.url != "" {
		_, err = p.target(job.ID{Cluster: "x", Seq: 1}, job.Succeeded)
		if err != nil {
			err = c.Refuse(conf.JobEndNotificationURL.Name, err).Fix("write http://HOST:PORT/PATH?id=$jobId&status=$jobStatus")
		}
	}
	return p, err
}

// readProxy parses Hadoop's forms TYPE@HOST:PORT and HOST:PORT.
func readProxy(c *conf.Config) (*url.URL, error) {
	text := conf.JobEndNotificationProxy.Get(c)
	if text == "" {
		return nil, nil
	}
	scheme, host, typed := strings.Cut(text, "@")
	if !typed {
		scheme, host = "http", text
	}
	switch scheme {
	case "socks":
		scheme = "socks5"
	case "http":
	default:
		return nil, c.Refuse(conf.JobEndNotificationProxy.Name, errors.New("want http@HOST:PORT or socks@HOST:PORT"))
	}
	u := &url.URL{Scheme: scheme, Host: host}
	if u.Hostname() == "" || u.Port() == "" {
		return nil, c.Refuse(conf.JobEndNotificationProxy.Name, errors.New("want http@HOST:PORT or socks@HOST:PORT"))
	}
	return u, nil
}

// target returns the URL to call for the job whose ID is id and whose final state is state.
func (p *Plan) target(id job.ID, state job.State) (string, error) {
	text := strings.NewReplacer("$jobId", id.String(), "$jobStatus", state.String()).Replace(p.url)
	u, err := url.Parse(text)
	if err == nil && (u.Host == "" || u.Scheme != "http" && u.Scheme != "https") {
		err = errors.New("the URL is not an HTTP URL")
	}
	return text, err
}

const (
	// maxTime is the time limit for all attempts of a call together. It is needed because other
	// jobs wait for the call, but the job itself chooses the timeout and the number of attempts.
	maxTime      = 10 * time.Minute
	maxHeader    = 64 << 10 // bytes of a response; the body is ignored
	maxRedirects = 3
)

// Call calls the URL. If the policy forbids the host, the error is of kind Permission. Call retries
// until the status is 200, the attempts are used up, 10 minutes have passed, or ctx is done. If the
// plan has no URL, Call does nothing.
func (p *Plan) Call(ctx context.Context, policy Policy, id job.ID, state job.State) error {
	if p.url == "" {
		return nil
	}
	target, err := p.target(id, state)
	if err != nil {
		return failure.New(failure.Config, "notify", redact.URL(p.url), err)
	}
	ctx, cancel := context.WithTimeout(ctx, maxTime)
	defer cancel()
	client := p.client(&policy)
	for n := 1; ; n++ {
		err := get(ctx, client, target)
		if err == nil || failure.Is(err, failure.Permission) {
			return err
		}
		if n >= p.tries || ctx.Err() != nil {
			return failure.New(failure.Unreachable, "notify", redact.URL(target),
				fmt.Errorf("%s has ended; attempt %d: %w", id, n, err))
		}
		select {
		case <-time.After(p.interval):
		case <-ctx.Done():
		}
	}
}

// client returns an HTTP client for the call. It connects only to addresses that the policy
// permits, and does not follow redirects to other hosts.
func (p *Plan) client(policy *Policy) *http.Client {
	dial := func(ctx context.Context, network, target string) (net.Conn, error) {
		host, _, err := net.SplitHostPort(target)
		if err != nil {
			return nil, err
		}
		d := net.Dialer{Control: func(_, address string, _ syscall.RawConn) error { return policy.checkDial(host, address) }}
		return d.DialContext(ctx, network, target)
	}
	transport := &http.Transport{Proxy: http.ProxyURL(p.proxy), DisableKeepAlives: true, DialContext: dial,
		MaxResponseHeaderBytes: maxHeader}
	return &http.Client{Transport: transport, Timeout: p.timeout, CheckRedirect: sameHost}
}

func sameHost(next *http.Request, before []*http.Request) error {
	switch first := before[0].URL; {
	case next.URL.Host != first.Host || next.URL.Scheme != first.Scheme:
		return errors.New("the response redirects to another host: " + next.URL.Host)
	case len(before) > maxRedirects:
		return errors.New("too many redirects")
	}
	return nil
}

func get(ctx context.Context, client *http.Client, target string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, target, nil)
	if err != nil {
		return err
	}
	response, err := client.Do(request)
	if err != nil {
		if e := (*url.Error)(nil); errors.As(err, &e) {
			e.URL = redact.URL(e.URL)
		}
		return err
	}
	response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return errors.New(response.Status)
	}
	return nil
}
