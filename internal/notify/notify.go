// Package notify calls the address that a job wants to be called when it has ended: mapreduce.job.end-notification.url.
package notify

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
)

// The keys, and what bounds how often and how long it is tried whatever a job says.
const (
	KeyURL      = "mapreduce.job.end-notification.url"
	KeyRetries  = "mapreduce.job.end-notification.retry.attempts"
	KeyInterval = "mapreduce.job.end-notification.retry.interval"
	keyMost     = "mapreduce.job.end-notification.max.attempts"
	keyLongest  = "mapreduce.job.end-notification.max.retry.interval"
	keyTimeout  = "mapreduce.job.end-notification.timeout"
	keyProxy    = "mapreduce.job.end-notification.proxy"
)

// Plan is a call to make.
type Plan struct {
	url      string // with $jobId and $jobStatus; "" = none
	tries    int
	interval time.Duration
	timeout  time.Duration // of one call
	proxy    *url.URL      // nil = none
}

// Read reads what a job wants. A value that cannot be used is kind Config.
func Read(c *conf.Config) (Plan, error) {
	p := Plan{url: c.Get(KeyURL)}
	retries, err := c.Int(KeyRetries, 0, 0, math.MaxInt32)
	if err != nil {
		return p, err
	}
	most, err := c.Int(keyMost, 5, 1, 100)
	if err != nil {
		return p, err
	}
	p.tries = int(min(retries+1, most))
	longest, err := c.Duration(keyLongest, 5*time.Second, time.Millisecond, 0, time.Hour)
	if err != nil {
		return p, err
	}
	interval, err := c.Duration(KeyInterval, time.Second, time.Millisecond, 0, 24*time.Hour)
	if err != nil {
		return p, err
	}
	p.interval = min(interval, longest)
	if p.timeout, err = c.Duration(keyTimeout, 5*time.Second, time.Millisecond, time.Millisecond, time.Hour); err != nil {
		return p, err
	}
	p.proxy, err = readProxy(c)
	if err == nil && p.url != "" {
		_, err = p.target(job.ID{Cluster: "x", Seq: 1}, job.Succeeded)
		if err != nil {
			err = c.Refuse(KeyURL, err).Fix("write http://HOST:PORT/PATH?id=$jobId&status=$jobStatus")
		}
	}
	return p, err
}

// readProxy reads TYPE@HOST:PORT or HOST:PORT, as Hadoop writes it.
func readProxy(c *conf.Config) (*url.URL, error) {
	text := c.Get(keyProxy)
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
		return nil, c.Refuse(keyProxy, errors.New("want http@HOST:PORT or socks@HOST:PORT"))
	}
	u := &url.URL{Scheme: scheme, Host: host}
	if u.Hostname() == "" || u.Port() == "" {
		return nil, c.Refuse(keyProxy, errors.New("want http@HOST:PORT or socks@HOST:PORT"))
	}
	return u, nil
}

// target is the address for one job.
func (p *Plan) target(id job.ID, state job.State) (string, error) {
	text := strings.NewReplacer("$jobId", id.String(), "$jobStatus", state.String()).Replace(p.url)
	u, err := url.Parse(text)
	if err == nil && (u.Host == "" || u.Scheme != "http" && u.Scheme != "https") {
		err = errors.New("it is no http address")
	}
	return text, err
}

// Call makes the call, and makes it again until it is answered with 200 or was made often enough. A job that wants none is done at
// once.
func (p *Plan) Call(ctx context.Context, id job.ID, state job.State) error {
	if p.url == "" {
		return nil
	}
	target, err := p.target(id, state)
	if err != nil {
		return failure.New(failure.Config, "notify", p.url, err)
	}
	transport := &http.Transport{Proxy: http.ProxyURL(p.proxy), DisableKeepAlives: true}
	client := &http.Client{Transport: transport, Timeout: p.timeout}
	for n := 1; ; n++ {
		err := get(ctx, client, target)
		if err == nil {
			return nil
		}
		if n >= p.tries || ctx.Err() != nil {
			return failure.New(failure.Unreachable, "notify", target, fmt.Errorf("of the end of %s, %d times: %w", id, n, err))
		}
		select {
		case <-time.After(p.interval):
		case <-ctx.Done():
		}
	}
}

func get(ctx context.Context, client *http.Client, target string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, target, nil)
	if err != nil {
		return err
	}
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return errors.New(response.Status)
	}
	return nil
}
