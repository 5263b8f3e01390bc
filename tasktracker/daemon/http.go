package daemon

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/port"
	"github.com/howdah/howdah/internal/webguard"
	"github.com/howdah/howdah/task/shuffle"
)

// listen opens the HTTP port and adds the handlers for map outputs and logs. The port also
// determines the tracker's name.
func (d *Daemon) listen() (err error) {
	if d.listener, err = port.Listen(conf.TaskTrackerHTTPAddress.Name, d.cfg.HTTPAddr, port.Half); err != nil {
		return err
	}
	host, number, _ := net.SplitHostPort(d.listener.Addr().String())
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		host = d.cfg.Host // other hosts cannot connect to the unspecified address
	}
	d.addr = net.JoinHostPort(host, number)
	d.name = "tracker_" + strings.NewReplacer("[", "", "]", "").Replace(d.cfg.Host) + ":" + number
	d.outputs = shuffle.NewServer(shuffle.ServerConfig{Addr: d.addr, Root: d.served.root, Token: d.served.token,
		Requests: d.cfg.HTTPThreads, Rate: d.cfg.ShuffleRate})
	d.fetches = newFetches()
	d.mux.Handle("/mapOutput", webguard.Open(timed(d.outputs, d.fetches.WithLabelValues()))) // requires the job's token
	d.mux.Handle("/tasklog", webguard.Users(http.HandlerFunc(d.taskLog)))
	return nil
}

// serveHTTP serves until ctx is canceled. It then waits briefly for running requests to finish.
func (d *Daemon) serveHTTP(ctx context.Context) error {
	server := d.cfg.Guard.Server(d.mux)
	server.MaxHeaderBytes = 256 << 10 // a reducer's request names many maps
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := server.Serve(d.cfg.Guard.Listener(d.listener)); !errors.Is(err, http.ErrServerClosed) {
			d.log.Error("HTTP server ended", "err", err)
		}
	}()
	<-ctx.Done()
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 500*time.Millisecond)
	defer cancel()
	if server.Shutdown(last) != nil {
		server.Close()
	}
	<-done
	return nil
}
