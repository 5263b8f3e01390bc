package bbp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/howdah/howdah/apps/internal/dir"
	"github.com/howdah/howdah/apps/internal/ranges"
	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
	"github.com/howdah/howdah/mapreduce/jobcontrol"
)

// The settings that the driver passes to its tasks, in addition to keyParts.
const (
	keySkip = "howdah.bbp.skip"
	keyFrom = "howdah.bbp.from"
	keyTo   = "howdah.bbp.to"
)

// Dist returns distbbp, which skips a number of bits of π after the point and prints the next 52.
// Each of its jobs adds up a range of the series. The driver keeps the jobs' sums in a local
// directory, so that a later run can resume the computation.
func Dist() *mapreduce.App {
	j := &mapreduce.Job{
		Name:   "distbbp",
		Input:  ranges.Input{Cut: cutTerms},
		Mapper: mapreduce.MapFunc(addUp),
		Conf:   map[string]string{conf.JobReduces.Name: "0"},
	}
	return &mapreduce.App{
		Name:  "distbbp",
		Short: "computes bits of π from any position in many jobs, and can resume them",
		Usage: "<b> <nThreads> <nJobs> <type> <nPart> <remoteDir> <localDir>",
		Jobs:  []*mapreduce.Job{j},
		Run:   func(ctx context.Context, r mapreduce.Runner, args []string) error { return runDist(ctx, r, j, args) },
	}
}

// dist contains the arguments of distbbp. skip is the number of bits to skip. threads is the
// maximum number of concurrent jobs, jobs is the maximum total number of jobs, and parts is the
// maximum number of maps per job. Jobs write below the remote directory. The local directory keeps
// each job's sum in a file.
type dist struct {
	skip                 uint64
	threads, jobs, parts int
	remote, local        string
}

func parseDist(args []string) (d dist, err error) {
	if len(args) != 7 {
		return d, errors.New("want the number of bits to skip, of threads and of jobs, the type (m, r or " +
			"x), the number of parts of a job, a remote and a local directory")
	}
	number := func(what, text string, least, most int64) int64 {
		n, bad := strconv.ParseInt(strings.ReplaceAll(text, ",", ""), 10, 64)
		if bad != nil || n < least || n > most {
			err = cmp.Or(err, fmt.Errorf("%s %q: want %d to %d", what, text, least, most))
		}
		return n
	}
	d.skip = uint64(number("b", args[0], 0, conf.BBPSkip.Max()))
	d.threads, d.jobs = int(number("nThreads", args[1], 1, 1000)), int(number("nJobs", args[2], 1, 100_000))
	d.parts, d.remote, d.local = int(number("nPart", args[4], 1, conf.BBPParts.Max())), args[5], args[6]
	if !strings.Contains("mrx", args[3]) || len(args[3]) != 1 {
		err = cmp.Or(err, fmt.Errorf("type %q: want m, r or x; maps compute all types", args[3]))
	}
	return d, err
}

func runDist(ctx context.Context, r mapreduce.Runner, j *mapreduce.Job, args []string) error {
	d, err := parseDist(args)
	if err != nil {
		return failure.New(failure.Usage, "distbbp", "", err)
	}
	if err := os.MkdirAll(d.local, 0o755); err != nil {
		return failure.New(failure.KindOf(err), "make directory", d.local, err)
	}
	fmt.Fprintf(r.Stdout(), "\nb = %s (%s skipped)\n\nnThreads  = %d\nnJobs     = %d\n"+
		"nParts    = %d\nremoteDir = %s\nlocalDir  = %s\n",
		commas(d.skip), bitsOf(d.skip), d.threads, d.jobs, d.parts, d.remote, d.local)
	var mu sync.Mutex // guards sum
	sum := fraction{}
	g := jobcontrol.New(d.threads)
	for i, part := range split(0, termsFor(d.skip), d.jobs) {
		g.Add(fmt.Sprintf("job%03d", i), func(ctx context.Context) error {
			f, err := d.part(ctx, r, j, part)
			if err != nil {
				return err
			}
			mu.Lock()
			defer mu.Unlock()
			sum = sum.plus(f)
			return nil
		})
	}
	if err := g.Run(ctx); err != nil {
		return err
	}
	fmt.Fprintf(r.Stdout(), "\nb = %s (%s skipped)\n%s\n", commas(d.skip), bitsOf(d.skip), bitText(sum, d.skip))
	return nil
}

// part returns the sum of the terms in s. It reads the sum from the local directory if an earlier
// run stored it there. Otherwise, part runs a job and stores the sum.
func (d *dist) part(ctx context.Context, r mapreduce.Runner, j *mapreduce.Job, s span) (sum fraction, err error) {
	name := fmt.Sprintf("b%d_%d_%d", d.skip, s.from, s.to)
	kept := filepath.Join(d.local, name+".txt")
	switch b, err := os.ReadFile(kept); {
	case err == nil:
		if sum, err = parseFraction(strings.TrimSpace(string(b))); err != nil {
			return sum, failure.New(failure.Corrupt, "read", kept, err).Fix("remove the file to compute it again")
		}
		return sum, nil
	case !errors.Is(err, os.ErrNotExist):
		return sum, failure.New(failure.KindOf(err), "read", kept, err)
	}
	c := r.Conf().Clone()
	for key, n := range map[string]uint64{keySkip: d.skip, keyFrom: s.from, keyTo: s.to, keyParts: uint64(d.parts),
		conf.JobReduces.Name: 0} {
		c.Set(key, strconv.FormatUint(n, 10), "distbbp")
	}
	out := d.remote + "/" + name
	mapreduce.SetOutputPath(c, out)
	if _, err := r.Run(ctx, j, c); err != nil {
		return sum, err
	}
	err = dir.Lines(ctx, r.FS(), out, func(line string) error {
		_, text, _ := strings.Cut(line, "\t")
		f, err := parseFraction(text)
		sum = sum.plus(f)
		return err
	})
	if err != nil {
		return sum, err
	}
	if err := os.WriteFile(kept+"._COPYING_", []byte(sum.String()+"\n"), 0o644); err != nil {
		return sum, failure.New(failure.KindOf(err), "write", kept, err)
	}
	return sum, os.Rename(kept+"._COPYING_", kept)
}

// span is the half-open range [from, to) of terms in the series.
type span struct{ from, to uint64 }

// split cuts the range [from, to), which must not be empty, into at most parts spans. No span is
// empty.
func split(from, to uint64, parts int) []span {
	n := min(uint64(parts), to-from)
	out := make([]span, n)
	size, more := (to-from)/n, (to-from)%n
	for i := range out {
		out[i].from = from
		if from += size; uint64(i) < more {
			from++
		}
		out[i].to = from
	}
	return out
}

func readSpans(c *conf.Config) (skip uint64, all []span, err error) {
	r := conf.Reader{Conf: c}
	bits, from, to := conf.BBPSkip.From(&r), conf.BBPFrom.From(&r), conf.BBPTo.From(&r)
	parts, err := conf.BBPParts.Get(c)
	r.Note(err)
	if r.Err == nil && from >= to {
		r.Err = c.Refuse(keyTo, errors.New("no such terms"))
	}
	if r.Err != nil {
		return 0, nil, r.Err
	}
	return uint64(bits), split(uint64(from), uint64(to), int(parts)), nil
}

// cutTerms assigns each map one record that contains the number of the map's first term.
func cutTerms(c *conf.Config) ([]ranges.Range, error) {
	_, all, err := readSpans(c)
	out := make([]ranges.Range, len(all))
	for i, s := range all {
		out[i] = ranges.Range{First: int64(s.from), Count: 1}
	}
	return out, err
}

// chunk is the number of terms computed between two checks for cancellation.
const chunk = 1 << 14

func addUp(c *mapreduce.Context, first int64, _ mapreduce.Null, out *mapreduce.Out[int64, string]) error {
	skip, all, err := readSpans(c.Conf)
	if err != nil {
		return err
	}
	s, sum := all[c.Partition()], fraction{}
	for k := s.from; k < s.to; k += chunk {
		if err := c.Context().Err(); err != nil {
			return err
		}
		sum = sum.plus(terms(skip, k, min(k+chunk, s.to)))
		c.SetStatus(fmt.Sprintf("Added up %d of %d terms.", min(k+chunk, s.to)-s.from, s.to-s.from))
	}
	out.Emit(first, sum.String())
	return out.Err()
}
