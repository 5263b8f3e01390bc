package kmeans

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/howdah/howdah/apps/internal/dir"
	"github.com/howdah/howdah/apps/internal/steps"
	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/mapreduce"
)

type driver struct{ start, round, assign, gather *mapreduce.Job }

func (d *driver) run(ctx context.Context, r mapreduce.Runner, args []string) error {
	o, err := parseArgs(args)
	if err != nil {
		return err
	}
	if err := steps.NeedReduces(r.Conf()); err != nil {
		return err
	}
	if err := dir.Refuse(ctx, r.FS(), o.out); err != nil {
		return err
	}
	if err := d.job(ctx, r, d.start, o, "", o.out+"/start"); err != nil {
		return err
	}
	at := o.out + "/clusters-0"
	if err := d.begin(ctx, r, o, at); err != nil {
		return err
	}
	for n := 1; n <= o.rounds; n++ {
		next := fmt.Sprintf("%s/clusters-%d", o.out, n)
		moved, err := d.oneRound(ctx, r, o, at, next)
		if err != nil {
			return err
		}
		fmt.Fprintf(r.Stdout(), "round %d: centers moved by at most %g\n", n, moved)
		at = next
		if moved <= o.epsilon {
			break
		}
	}
	fmt.Fprintf(r.Stdout(), "clusters: %s\n", at)
	return d.points(ctx, r, o, at)
}

// points runs the job that assigns each point to a cluster. If -cl=false is set, it does nothing.
func (d *driver) points(ctx context.Context, r mapreduce.Runner, o options, clusters string) error {
	if !o.cluster {
		return nil
	}
	j, out := d.assign, o.out+"/points"
	if o.sorted {
		j = d.gather
	}
	if err := d.job(ctx, r, j, o, clusters, out); err != nil {
		return err
	}
	fmt.Fprintf(r.Stdout(), "points: %s\n", out)
	return nil
}

// begin converts the drawn points in OUT/start to the initial clusters and deletes OUT/start. at is
// the directory of the clusters. If there are fewer than k points, begin deletes OUT and returns an
// error.
func (d *driver) begin(ctx context.Context, r mapreduce.Runner, o options, at string) error {
	var lines []string
	err := dir.Lines(ctx, r.FS(), o.out+"/start", func(line string) error {
		p, err := parsePoint(nil, []byte(line))
		lines = append(lines, fmt.Sprintf("%d\t%s", len(lines), center{at: p}.line()))
		return err
	})
	if err != nil {
		return err
	}
	if err := dir.Delete(ctx, r.FS(), o.out+"/start"); err != nil {
		return err
	}
	if len(lines) < o.k {
		_ = dir.Delete(ctx, r.FS(), o.out)
		return usage(fmt.Errorf("the input has %d distinct points, fewer than the %d requested clusters", len(lines), o.k))
	}
	return dir.Write(ctx, r.FS(), at, "start", lines)
}

// oneRound runs one round and returns the largest distance by which a center moved. A cluster
// without points keeps its center.
func (d *driver) oneRound(ctx context.Context, r mapreduce.Runner, o options, at, next string) (
	moved float64, err error) {
	if err := d.job(ctx, r, d.round, o, at, next); err != nil {
		return 0, err
	}
	env := &mapreduce.Env{Conf: r.Conf(), FS: r.FS()}
	before, err := load(ctx, env, at)
	if err != nil {
		return 0, err
	}
	chosen := map[int32]bool{}
	err = dir.Lines(ctx, r.FS(), next, func(line string) error {
		id, c, err := parseCenter(line)
		if err != nil || int(id) >= len(before) {
			return fmt.Errorf("%q: unknown cluster (%w)", line, err)
		}
		chosen[id] = true
		moved = max(moved, distance2(before[id].at, c.at))
		return nil
	})
	if err != nil {
		return 0, err
	}
	var kept []string
	for i, c := range before {
		if !chosen[int32(i)] {
			kept = append(kept, fmt.Sprintf("%d\t%s", i, center{at: c.at}.line()))
		}
	}
	if len(kept) > 0 {
		if err := dir.Write(ctx, r.FS(), next, "unchosen", kept); err != nil {
			return 0, err
		}
	}
	return math.Sqrt(moved), nil
}

// job runs one job over the input. The job reads the centers directory unless centers is "".
func (d *driver) job(ctx context.Context, r mapreduce.Runner, j *mapreduce.Job, o options, centers, out string) error {
	c := r.Conf().Clone()
	mapreduce.SetInputPaths(c, strings.Join(o.in, ","))
	mapreduce.SetOutputPath(c, out)
	c.Set(keyCenters, centers, "kmeans")
	c.Set(keySeed, strconv.FormatInt(o.seed, 10), "kmeans")
	c.Set(keyClusters, strconv.Itoa(o.k), "kmeans")
	if n, fixed := j.Conf[conf.JobReduces.Name]; fixed { // users cannot change the number of reduces
		c.Set(conf.JobReduces.Name, n, "kmeans")
	}
	_, err := r.Run(ctx, j, c)
	return err
}

// startJob returns the job that draws k distinct points. Each point has a lot, and the job draws
// the points with the lowest lots. A lot is a hash of the seed and the point, so the result does
// not depend on the splits.
func startJob() *mapreduce.Job {
	return &mapreduce.Job{
		Name:    "kmeans-start",
		Mapper:  mapreduce.MapOf(func() *drawer { return &drawer{} }),
		Reducer: mapreduce.ReduceOf(func() *chooser { return &chooser{} }),
		Conf:    map[string]string{conf.JobReduces.Name: "1"},
	}
}

// drawn is a point with its lot; see startJob.
type drawn struct {
	lot  uint64
	text string
}

func (a drawn) compare(b drawn) int {
	return cmp.Or(cmp.Compare(a.lot, b.lot), strings.Compare(a.text, b.text))
}

// drawer keeps the k points with the lowest lots among the points that a map reads.
type drawer struct {
	k     int
	seed  uint64
	buf   point
	text  []byte
	best  []drawn // sorted
	limit uint64
}

func (d *drawer) Setup(c *mapreduce.Context) error {
	k, err := conf.KMeansClusters.Get(c.Conf)
	if err != nil {
		return err
	}
	seed, err := conf.KMeansSeed.Get(c.Conf)
	d.k, d.seed, d.limit = int(k), uint64(seed), math.MaxUint64
	return err
}

func (d *drawer) Map(_ *mapreduce.Context, _ int64, line mapreduce.Text, _ *mapreduce.Out[int64, string]) (err error) {
	if isBlank(line) {
		return nil
	}
	if d.buf, err = parsePoint(d.buf, line); err != nil {
		return err
	}
	d.text = d.buf.append(d.text[:0]) // equal points count once, regardless of their spelling in the input
	lot := d.lot(d.text)
	if lot > d.limit {
		return nil
	}
	x := drawn{lot, string(d.text)}
	i, found := slices.BinarySearchFunc(d.best, x, drawn.compare)
	if found {
		return nil
	}
	d.best = slices.Insert(d.best, i, x)
	if len(d.best) > d.k {
		d.best = d.best[:d.k]
	}
	if len(d.best) == d.k {
		d.limit = d.best[d.k-1].lot
	}
	return nil
}

// lot returns the hash of the seed and a point.
func (d *drawer) lot(text []byte) uint64 {
	h := fnv.New64a()
	var seed [8]byte
	binary.BigEndian.PutUint64(seed[:], d.seed)
	_, _ = h.Write(seed[:])
	_, _ = h.Write(text)
	return h.Sum64()
}

func (d *drawer) Cleanup(_ *mapreduce.Context, out *mapreduce.Out[int64, string]) error {
	for _, x := range d.best {
		out.Emit(int64(x.lot>>1), x.text) // the shift makes keys positive, so that they have the same order as lots
	}
	return out.Err()
}

// chooser passes on the first k distinct points.
type chooser struct {
	k    int
	seen map[string]bool
}

func (s *chooser) Setup(c *mapreduce.Context) error {
	k, err := conf.KMeansClusters.Get(c.Conf)
	s.k, s.seen = int(k), map[string]bool{}
	return err
}

func (s *chooser) Reduce(_ *mapreduce.Context, _ int64, points iter.Seq[string],
	out *mapreduce.Out[string, mapreduce.Null]) error {
	all := slices.Compact(slices.Sorted(points))
	for _, p := range all {
		if len(s.seen) < s.k && !s.seen[p] {
			s.seen[p] = true
			out.Emit(p, mapreduce.Null{})
		}
	}
	return nil
}
