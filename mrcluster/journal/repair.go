package journal

import (
	"bytes"
	"encoding/json"
	"io"
	"iter"
	"slices"

	"github.com/howdah/howdah/internal/factlog"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mrcluster"
	"github.com/howdah/howdah/mrcluster/weight"
)

// Examine looks for damage in the journal in dir (see factlog.Examine). Damage.Lost lists
// MR-clusters and nodes in the order of their first lost facts.
func Examine(dir string) (*factlog.Damage, error) {
	return factlog.Examine(dir, format(""), new(examination).look)
}

// Cut truncates the journal in dir at the point of damage (see factlog.Cut). It also marks the
// numbers of lost deployments as used. Otherwise, a node that still runs a lost deployment could
// mistake it for a new one.
func Cut(dir, key string) (*factlog.Damage, error) {
	var x examination
	return factlog.Cut(dir, format(key), x.look, func(l *factlog.Log, _ *factlog.Damage) error {
		if x.deployments <= x.known {
			return l.Append([]byte(mark)) // marks the end of a snapshot that the cut has shortened
		}
		m, err := mrcluster.New(mrcluster.DefaultConfig(), weight.TD{})
		if err != nil {
			return err
		}
		for i := range x.facts {
			if err := m.Apply(&x.facts[i]); err != nil {
				return err
			}
		}
		snapshot := m.Snapshot()
		snapshot.State.Deployments = x.deployments
		lines, err := Encode(nil, snapshot)
		if err != nil {
			return err
		}
		return (&Journal{Log: l}).Rotate(lines)
	})
}

// examination contains what the look method finds in addition to the damage.
type examination struct {
	facts       []mrcluster.Fact // before the damage
	known       int64            // highest deployment number before the damage
	deployments int64            // highest deployment number
}

func (x *examination) look(file []byte) (good int64, d *factlog.Damage, err error) {
	*x = examination{}
	d = &factlog.Damage{}
	lines := newDecoder(bytes.NewReader(file))
	for {
		var f mrcluster.Fact
		err := lines.next(&f)
		if err == io.EOF {
			return lines.good, nil, nil
		}
		if failure.Is(err, failure.Corrupt) && lines.version > 0 {
			d.Offset, d.Reason = lines.good, err
			break
		}
		if err != nil {
			return 0, nil, err
		}
		d.Facts++
		d.Time = max(d.Time, f.Time)
		x.facts = append(x.facts, f)
		x.known = max(x.known, latest(&f))
	}
	x.deployments = x.known
	for f := range salvage(file[d.Offset:]) {
		x.deployments = max(x.deployments, latest(f))
		d.Lost = note(d.Lost, f)
	}
	return d.Offset, d, nil
}

// latest returns the highest deployment number in a fact.
func latest(f *mrcluster.Fact) int64 {
	if f.State != nil {
		return f.State.Deployments
	}
	return f.Deployment
}

// salvage returns the facts of all readable lines in b.
func salvage(b []byte) iter.Seq[*mrcluster.Fact] {
	return func(yield func(*mrcluster.Fact) bool) {
		for line := range bytes.SplitAfterSeq(b, []byte("\n")) {
			body, _, sealed := unseal(line)
			if sealed {
				line = append(bytes.Clone(body), '}')
			}
			var f mrcluster.Fact
			if json.Unmarshal(line, &f) == nil && f.Kind != 0 && !yield(&f) {
				return
			}
		}
	}
}

// note adds f, a fact that a cut would lose, to the list of affected MR-clusters and nodes.
func note(list []factlog.Lost, f *mrcluster.Fact) []factlog.Lost {
	name := "MR-cluster " + f.Cluster
	switch {
	case f.Spec != nil:
		name = "MR-cluster " + f.Spec.Name
	case f.Cluster == "" && f.Node == "":
		return list // about the whole pool
	case f.Cluster == "":
		name = "node " + f.Node
	}
	i := slices.IndexFunc(list, func(l factlog.Lost) bool { return l.Name == name })
	if i < 0 {
		i = len(list)
		list = append(list, factlog.Lost{Name: name})
	}
	list[i].Facts++
	switch f.Kind {
	case mrcluster.ClusterCreated, mrcluster.ClusterActive, mrcluster.ClusterDoomed, mrcluster.ClusterEnded,
		mrcluster.ClusterRemoved, mrcluster.ClusterSized:
		list[i].Notes = append(list[i].Notes, f.Kind.String())
	}
	return list
}
