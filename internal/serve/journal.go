package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/auth"
	"github.com/howdah/howdah/internal/auth/certs"
	"github.com/howdah/howdah/internal/port"
	"github.com/howdah/howdah/internal/webguard"
	"github.com/howdah/howdah/internal/webui"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/jobtracker/history"
	"github.com/howdah/howdah/jobtracker/view"
)

// ReadJournal reads a journal file, such as the output of a simulation or of GET /journal. torn
// reports whether the file ends in the middle of a record. If the file is not a journal, the error
// is of kind Usage.
func ReadJournal(file string) (v *view.Journal, torn bool, err error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, false, failure.New(failure.KindOf(err), "read journal", file, err)
	}
	defer f.Close()
	v, torn, err = view.ReadJournal(f)
	switch {
	case errors.Is(err, history.ErrNoJournal):
		return nil, false, failure.New(failure.Usage, "read journal", file, err)
	case err != nil:
		return nil, false, failure.New(failure.KindOf(err), "read journal", file, err)
	}
	return v, torn, nil
}

// Pages serves web pages about a journal file at the configured address of the JobTracker, until
// ctx is done. It writes the address of the pages to out.
func Pages(ctx context.Context, c *conf.Config, file string, out io.Writer) error {
	v, _, err := ReadJournal(file)
	if err != nil {
		return err
	}
	secret, err := auth.Load(c)
	if err != nil {
		return err
	}
	addr := conf.JobTrackerHTTPAddress.Get(c)
	if err := auth.CheckBind(c, conf.JobTrackerHTTPAddress.Name, addr); err != nil {
		return err
	}
	l, err := port.Listen(conf.JobTrackerHTTPAddress.Name, addr, port.Half)
	if err != nil {
		return err
	}
	secure, err := certs.Open(c, secret, certs.Holder{Roles: []certs.Role{certs.JobTracker},
		Hosts: certs.Addresses(append(conf.SecurityWebHosts.Get(c), addr)...)})
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%s://%s\n", secure.Scheme(), l.Addr())
	routes := http.NewServeMux()
	routes.Handle("/", webui.JobTracker(v, webui.Parts{}))
	guard := webguard.New(secret, append(conf.SecurityWebHosts.Get(c), addr)...)
	guard.TLS = secure
	return guard.Serve(ctx, l, routes)
}
