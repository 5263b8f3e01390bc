package serve

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/howdah/howdah/internal/webui"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/jobtracker/daemon"
	"github.com/howdah/howdah/jobtracker/view"
)

// ReadJournal reads a journal from a file that a simulation or GET /journal wrote. torn reports
// whether the file ends in the middle of a record.
func ReadJournal(file string) (v *view.Journal, torn bool, err error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, false, failure.New(failure.KindOf(err), "read journal", file, err)
	}
	defer f.Close()
	v, torn, err = view.ReadJournal(f)
	if err != nil {
		return nil, false, failure.New(failure.KindOf(err), "read journal", file, err)
	}
	return v, torn, nil
}

// Pages serves the web pages of a journal file until ctx ends. It writes the address of the pages
// to out.
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
