package webui

import (
	"context"
	"net/http"

	"github.com/howdah/howdah/internal/wire/pool"
)

const managerHome = "MR-clusters"

// Pool is what the manager's pages ask for: a part of the service that agents and people use (pool.PoolServer). It may be called
// concurrently.
type Pool interface {
	Status(context.Context, *pool.StatusRequest) (*pool.PoolStatus, error)
}

// Manager makes the pages of the manager of MR-clusters: "/" the pool, "/clusters/NAME" one MR-cluster.
func Manager(p Pool) http.Handler {
	m := http.NewServeMux()
	m.Handle("GET /static/", static())
	show := func(title string, w http.ResponseWriter, r *http.Request) {
		s, err := p.Status(r.Context(), &pool.StatusRequest{Cluster: r.PathValue("name")})
		if err != nil {
			fail(w, managerHome, err)
			return
		}
		render(w, "manager", http.StatusOK, page{Title: title, Home: managerHome, Live: true, Data: &poolData{s, r.PathValue("name")}})
	}
	m.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) { show("MR-clusters", w, r) })
	m.HandleFunc("GET /clusters/{name}", func(w http.ResponseWriter, r *http.Request) { show(r.PathValue("name"), w, r) })
	m.HandleFunc("GET /", notFound(managerHome))
	return m
}

// poolData is what the page shows: the whole pool, or what concerns one MR-cluster.
type poolData struct {
	*pool.PoolStatus
	Only string // name of the MR-cluster, "" = all
}

// One is the MR-cluster that the page is about; nil = none.
func (d *poolData) One() *pool.Cluster {
	if d.Only == "" || len(d.Cluster) == 0 {
		return nil
	}
	return d.Cluster[0]
}

// Draining lists the nodes that are on their way out.
func (d *poolData) Draining() (out []*pool.Node) {
	for _, n := range d.Node {
		if n.State == "draining" {
			out = append(out, n)
		}
	}
	return out
}

// In counts the nodes in a state.
func (d *poolData) In(state string) (n int) {
	for _, x := range d.Node {
		if x.State == state {
			n++
		}
	}
	return n
}

// Usable counts the nodes that are not lost.
func (d *poolData) Usable() int { return len(d.Node) - d.In("lost") }

// InUse counts the nodes that MR-clusters have.
func (d *poolData) InUse() (n int) {
	for _, c := range d.Cluster {
		n += int(c.Held + c.Leaving)
	}
	return n
}
