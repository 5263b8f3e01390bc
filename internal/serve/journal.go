package serve

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/jobtracker/daemon"
	"github.com/howdah/howdah/webui"
)

// ReadJournal reads the journal in a file: a simulation's, or what GET /journal gave. torn tells that it ends in the middle of a
// record.
func ReadJournal(file string) (v *daemon.Viewer, torn bool, err error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, false, failure.New(failure.KindOf(err), "read journal", file, err)
	}
	defer f.Close()
	v, torn, err = daemon.ReadJournal(f)
	if err != nil {
		return nil, false, failure.New(failure.KindOf(err), "read journal", file, err)
	}
	return v, torn, nil
}

// Pages serves the web pages of the journal in a file until ctx ends. Where they are is written to out.
func Pages(ctx context.Context, file, addr string, out io.Writer) error {
	v, _, err := ReadJournal(file)
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return failure.New(failure.Config, "listen at "+daemon.KeyHTTPAddr, addr, err).Fix("choose another address or port 0")
	}
	fmt.Fprintf(out, "http://%s\n", l.Addr())
	server := &http.Server{Handler: webui.JobTracker(v), ReadHeaderTimeout: 10 * time.Second}
	stop := context.AfterFunc(ctx, func() { server.Close() })
	defer stop()
	if err := server.Serve(l); ctx.Err() == nil {
		return failure.New(failure.IO, "serve", addr, err)
	}
	return nil
}
