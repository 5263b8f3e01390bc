package webui

import (
	"context"
	"net/http"
	"slices"

	"github.com/howdah/howdah/internal/trend"
	"github.com/howdah/howdah/mrcluster"
	"github.com/howdah/howdah/mrcluster/status"
)

const managerHome = "MR-clusters"

// Pool provides the data for the manager's pages. Status returns the state of the pool or, if
// cluster is not "", the part that concerns that MR-cluster. Status must be safe for concurrent
// use.
type Pool interface {
	Status(ctx context.Context, cluster string) (*status.Pool, error)
}

// Manager returns the handler of the manager's pages. "/" is the pool, and "/clusters/NAME" is an
// MR-cluster.
//
// record returns the record of the sizes of the MR-clusters. It must be safe for concurrent use. nil
// means that there is no record.
func Manager(p Pool, record func() trend.Record) http.Handler {
	record = orNone(record)
	m := http.NewServeMux()
	m.Handle("GET /static/", Static())
	show := func(title string, w http.ResponseWriter, r *http.Request) {
		s, err := p.Status(r.Context(), r.PathValue("name"))
		if err != nil {
			fail(w, managerHome, err)
			return
		}
		d := newPoolData(s, r.PathValue("name"), record())
		d.Actions = clusterActions(d.One())
		render(w, "manager", http.StatusOK,
			page{Title: title, Home: managerHome, Live: true, Data: d, Actions: d.Actions})
	}
	m.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) { show("MR-clusters", w, r) })
	m.HandleFunc("GET /clusters/{name}", func(w http.ResponseWriter, r *http.Request) { show(r.PathValue("name"), w, r) })
	m.HandleFunc("GET /visit", visit(managerHome, func(ctx context.Context, host string) (bool, bool, error) {
		s, err := p.Status(ctx, "")
		if err != nil {
			return false, false, err
		}
		i := slices.IndexFunc(s.Clusters, func(c *status.Cluster) bool { return c.Endpoints.JobTrackerWeb == host })
		return i >= 0, i >= 0 && s.Clusters[i].Endpoints.Trusted, nil
	}))
	m.HandleFunc("GET /", notFound(managerHome))
	return m
}

// poolData is the data for the page of the pool or of one MR-cluster.
type poolData struct {
	*status.Pool
	Only    string // name of the MR-cluster; "" means all
	Chart   *chart
	Actions []action
}

// newPoolData returns the data of the page of an MR-cluster or, if only is "", of the pool. It shows
// only MR-clusters in s, which contains those that the caller can see.
func newPoolData(s *status.Pool, only string, record trend.Record) *poolData {
	record.Series = slices.DeleteFunc(record.Series, func(x trend.Series) bool {
		return !slices.ContainsFunc(s.Clusters, func(c *status.Cluster) bool { return c.Spec.Name == x.Name })
	})
	d := &poolData{Pool: s, Only: only, Chart: newStack(record)}
	if only != "" {
		d.Chart = newChart(record)
	}
	return d
}

// One returns the MR-cluster that the page shows, or nil if the page shows the whole pool.
func (d *poolData) One() *status.Cluster {
	if d.Only == "" || len(d.Clusters) == 0 {
		return nil
	}
	return d.Clusters[0]
}

// Draining returns the nodes that are draining.
func (d *poolData) Draining() (out []*mrcluster.NodeView) {
	for _, n := range d.Nodes {
		if n.State == mrcluster.Draining {
			out = append(out, n)
		}
	}
	return out
}

// In returns the number of nodes in the given state.
func (d *poolData) In(state string) (n int) {
	for _, x := range d.Nodes {
		if x.State.String() == state {
			n++
		}
	}
	return n
}

// Usable returns the number of nodes that are not lost.
func (d *poolData) Usable() int { return len(d.Nodes) - d.In("lost") }

// InUse returns the number of nodes that belong to MR-clusters.
func (d *poolData) InUse() (n int) {
	for _, c := range d.Clusters {
		n += c.Held + c.Leaving
	}
	return n
}
