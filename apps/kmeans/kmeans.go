// Package kmeans clusters points using Lloyd's algorithm, with one job per round. Start with App.
//
// A point is a line of decimal numbers separated by commas, spaces, or tabs. OUT/clusters-N
// contains the result of round N, with one line "CLUSTER TAB POINTS TAB x,y,…" for each cluster.
// OUT/clusters-0 contains the initial clusters. Sums are exact, so the result does not depend on
// splits or combiners.
//
// After the rounds, one more job assigns points to clusters, like Mahout's -cl option. For every
// point, it writes "CLUSTER TAB point" to OUT/points, using the last round's clusters. Like
// Mahout's, this job has no reduces. With -sorted, it has reduces that group the points of a
// cluster, so it moves all data, like a sort. -cl=false skips the job. The job's output exceeds its
// input by the size of the cluster numbers, which is 3% with 63-byte points, as in table 1 of the
// Fawkes paper (70 GB to 72 GB).
package kmeans

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"iter"
	"strings"

	"github.com/howdah/howdah/apps/internal/dir"
	"github.com/howdah/howdah/apps/internal/fixed"
	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
)

// The settings that the driver passes to its tasks.
const (
	keyCenters  = "howdah.kmeans.centers" // directory of the previous round's clusters
	keySeed     = "howdah.kmeans.seed"
	keyClusters = "howdah.kmeans.clusters"
)

// App returns the kmeans application.
func App() *mapreduce.App {
	k := &driver{start: startJob(), round: roundJob(), assign: assignJob(), gather: gatherJob()}
	return &mapreduce.App{
		Name:  "kmeans",
		Short: "clusters points of any dimension (k-means, iterative)",
		Usage: "[-k CLUSTERS] [-rounds N] [-epsilon DISTANCE] [-seed S] [-cl=false] [-sorted] <in>… <out>",
		Jobs:  []*mapreduce.Job{k.start, k.round, k.assign, k.gather},
		Run:   k.run,
	}
}

func roundJob() *mapreduce.Job {
	return &mapreduce.Job{
		Name:     "kmeans-round",
		Mapper:   mapreduce.MapOf(func() *assigner { return &assigner{} }),
		Combiner: mapreduce.ReduceFunc(combine),
		Reducer:  mapreduce.ReduceFunc(middle),
	}
}

func assignJob() *mapreduce.Job {
	return &mapreduce.Job{
		Name:   "kmeans-points",
		Mapper: mapreduce.MapOf(func() *labeler { return &labeler{} }),
		Conf:   map[string]string{conf.JobReduces.Name: "0"},
	}
}

// gatherJob returns a variant of assignJob's job that writes all points of a cluster to the same
// part file, in any order.
func gatherJob() *mapreduce.Job {
	j := assignJob()
	j.Name, j.Conf = "kmeans-points-sorted", nil
	return j
}

// known contains the centers with which a task compares points.
type known struct {
	centers []center
	find    *finder
	buf     point
}

func (k *known) Setup(c *mapreduce.Context) (err error) {
	if k.centers, err = load(c.Context(), &c.Env, conf.KMeansCenters.Get(c.Conf)); err == nil {
		k.find, err = newFinder(k.centers)
	}
	return err
}

// place parses a point and finds its cluster. ok is false for blank lines.
func (k *known) place(line []byte) (cluster int32, ok bool, err error) {
	if isBlank(line) {
		return 0, false, nil
	}
	if k.buf, err = parsePoint(k.buf, line); err != nil {
		return 0, false, err
	}
	if want := len(k.centers[0].at); len(k.buf) != want {
		return 0, false, fmt.Errorf("point %q has %d dimensions, the first cluster has %d", line, len(k.buf), want)
	}
	return k.find.nearest(k.buf), true, nil
}

func isBlank(line []byte) bool {
	for _, c := range line {
		if c != ' ' && c != '\t' && c != '\r' {
			return false
		}
	}
	return true
}

// assigner adds up the points that are nearest to each cluster. Because there are few clusters, it
// keeps a partial sum for each cluster in memory and emits the partial sums at the end.
type assigner struct {
	known
	sums []partial
}

func (a *assigner) Map(_ *mapreduce.Context, _ int64, line mapreduce.Text, _ *mapreduce.Out[int32, []byte]) error {
	cluster, ok, err := a.place(line)
	if !ok {
		return err
	}
	if a.sums == nil {
		a.sums = make([]partial, len(a.centers))
	}
	s := &a.sums[cluster]
	if s.sums == nil {
		s.reset(len(a.buf))
	}
	s.add(a.buf)
	return nil
}

func (a *assigner) Cleanup(_ *mapreduce.Context, out *mapreduce.Out[int32, []byte]) error {
	for i := range a.sums {
		if a.sums[i].count > 0 {
			out.Emit(int32(i), a.sums[i].append(nil))
		}
	}
	return out.Err()
}

func combine(_ *mapreduce.Context, cluster int32, values iter.Seq[[]byte], out *mapreduce.Out[int32, []byte]) error {
	total, err := addUp(values)
	if err == nil {
		out.Emit(cluster, total.append(nil))
	}
	return err
}

func middle(_ *mapreduce.Context, cluster int32, values iter.Seq[[]byte], out *mapreduce.Out[int32, string]) error {
	total, err := addUp(values)
	if err == nil {
		out.Emit(cluster, total.center().line())
	}
	return err
}

func addUp(values iter.Seq[[]byte]) (total partial, err error) {
	for v := range values {
		if total.sums == nil {
			total.reset((len(v) - 8) / fixed.SumLen)
		}
		if err := total.merge(v); err != nil {
			return total, err
		}
	}
	return total, nil
}

// labeler emits each point's line with the number of the point's cluster as the key.
type labeler struct{ known }

func (l *labeler) Map(_ *mapreduce.Context, _ int64, line mapreduce.Text,
	out *mapreduce.Out[int32, mapreduce.Text]) error {
	cluster, ok, err := l.place(line)
	if ok {
		out.Emit(cluster, line)
	}
	return err
}

// load reads a clusters directory. The clusters must be numbered from 0 without gaps.
func load(ctx context.Context, env *mapreduce.Env, path string) ([]center, error) {
	byID := map[int32]center{}
	err := dir.Lines(ctx, env.FS, path, func(line string) error {
		id, c, err := parseCenter(line)
		byID[id] = c
		return err
	})
	if err != nil {
		return nil, err
	}
	centers := make([]center, len(byID))
	for i := range centers {
		c, ok := byID[int32(i)]
		if !ok {
			return nil, failure.New(failure.Corrupt, "read clusters", path, fmt.Errorf("cluster %d is missing", i))
		}
		centers[i] = c
	}
	if len(centers) == 0 {
		return nil, failure.New(failure.NotFound, "read clusters", path, errors.New("the input has no points"))
	}
	return centers, nil
}

type options struct {
	k, rounds int
	epsilon   float64
	seed      int64
	cluster   bool // assign points to clusters after the rounds
	sorted    bool
	in        []string
	out       string
}

func parseArgs(args []string) (o options, err error) {
	f := flag.NewFlagSet("kmeans", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.IntVar(&o.k, "k", int(conf.KMeansClusters.BuiltIn()), "number of clusters, 1 to 100000")
	f.IntVar(&o.rounds, "rounds", 10, "maximum number of rounds, 1 to 1000")
	f.Float64Var(&o.epsilon, "epsilon", 0, "stop when no center moves farther than this")
	f.Int64Var(&o.seed, "seed", conf.KMeansSeed.BuiltIn(), "seed of the initial clusters")
	f.BoolVar(&o.cluster, "cl", true, "write the cluster of each point after the last round")
	f.BoolVar(&o.sorted, "sorted", false, "write the points of a cluster together")
	if err := f.Parse(args); err != nil {
		return o, usage(err)
	}
	rest := f.Args()
	switch {
	case o.sorted && !o.cluster:
		return o, usage(errors.New("-sorted has no effect with -cl=false, which omits the points"))
	case len(rest) < 2:
		return o, usage(errors.New("want at least one input and an output"))
	case o.k < 1 || o.k > 100000:
		return o, usage(fmt.Errorf("-k %d: want 1 to 100000", o.k))
	case o.rounds < 1 || o.rounds > 1000:
		return o, usage(fmt.Errorf("-rounds %d: want 1 to 1000", o.rounds))
	case !(o.epsilon >= 0):
		return o, usage(fmt.Errorf("-epsilon %g: want 0 or more", o.epsilon))
	}
	o.in, o.out = rest[:len(rest)-1], strings.TrimRight(rest[len(rest)-1], "/")
	return o, nil
}

func usage(err error) error { return failure.New(failure.Usage, "kmeans", "", err) }
