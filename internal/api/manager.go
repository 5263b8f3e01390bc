package api

import (
	"context"
	"net/http"
	"slices"

	"github.com/howdah/howdah/internal/jsonout"
	"github.com/howdah/howdah/internal/trend"
	"github.com/howdah/howdah/mrcluster/status"
)

// Pool is a pool of nodes. Status shows its state or, if cluster is not "", the part that concerns that
// MR-cluster. Grow sets the operator size of an MR-cluster. It must be safe for concurrent use.
type Pool interface {
	Status(ctx context.Context, cluster string) (*status.Pool, error)
	Grow(ctx context.Context, cluster string, nodes int) error
}

// Manager returns the handler of a manager's addresses below /api/v1/. sizes returns the record of
// the sizes of the MR-clusters.
func Manager(p Pool, sizes func() trend.Record) http.Handler { return handler(managerRoutes(p, sizes)) }

type decision struct {
	TimeMs  int64       `json:"time_ms" doc:"time of the decision"`
	What    string      `json:"decision" doc:"decision"`
	Cluster string      `json:"cluster,omitempty" doc:"MR-cluster"`
	Node    string      `json:"node,omitempty" doc:"node"`
	Kind    string      `json:"kind,omitempty" doc:"kind of the node in the MR-cluster"`
	Why     string      `json:"why,omitempty" doc:"reason"`
	Shares  []nodeShare `json:"shares,omitempty" doc:"nodes that a reconfiguration assigns"`
}

type nodeShare struct {
	Cluster        string  `json:"cluster" doc:"MR-cluster"`
	Nodes          int     `json:"nodes" doc:"nodes"`
	Weight         float64 `json:"weight" doc:"weight"`
	Discrimination float64 `json:"discrimination_s" doc:"discrimination in s"`
}

type sizeChange struct {
	Size *int `json:"operator_size" doc:"minimum number of nodes while active; 0 leaves the number to the weights"`
}

func managerRoutes(p Pool, sizes func() trend.Record) []route {
	return []route{
		get("/pool", "Show the pool with its MR-clusters and nodes", func(c *call) (jsonout.Pool, error) {
			s, err := p.Status(c.Context(), "")
			if err != nil {
				return jsonout.Pool{}, err
			}
			return jsonout.OfPool(s), nil
		}),
		get("/mrclusters/{cluster}", "Show an MR-cluster with its nodes", func(c *call) (jsonout.Pool, error) {
			s, err := p.Status(c.Context(), c.PathValue("cluster"))
			if err != nil {
				return jsonout.Pool{}, err
			}
			return jsonout.OfPool(s), nil
		}),
		with[sizeChange](change(http.MethodPatch, "/mrclusters/{cluster}", "Change the minimum size of an MR-cluster",
			func(c *call) error {
				var x sizeChange
				if err := c.read(&x); err != nil {
					return err
				}
				if x.Size == nil {
					return usage("body", "operator_size is missing")
				}
				return p.Grow(c.Context(), c.PathValue("cluster"), *x.Size)
			})),
		get("/decisions", "List recent decisions, the latest first", func(c *call) ([]decision, error) {
			s, err := p.Status(c.Context(), c.param("cluster"))
			if err != nil {
				return nil, err
			}
			out := []decision{}
			for _, e := range s.Events {
				d := decision{TimeMs: e.TimeMs, What: jsonout.State(e.Fact.String()), Cluster: e.Cluster, Node: e.Node,
					Kind: e.Kind.String(), Why: e.Reason}
				for _, x := range e.Shares {
					d.Shares = append(d.Shares, nodeShare(x))
				}
				out = append(out, d)
			}
			return out, nil
		}, param{"cluster", "", "decisions about this MR-cluster only"}),
		get("/sizes", "Show the sizes of the MR-clusters over time", func(c *call) (use, error) {
			s, err := p.Status(c.Context(), "")
			if err != nil {
				return use{}, err
			}
			return ofRecord(sizes(), func(name string) bool {
				return slices.ContainsFunc(s.Clusters, func(x *status.Cluster) bool { return x.Spec.Name == name })
			}), nil
		}),
	}
}
