// Package pi estimates π from the fraction of a square's points that are in the inscribed circle.
package pi

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/big"
	"strconv"
	"time"

	"github.com/howdah/howdah/apps/internal/ranges"
	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
)

// The tasks' settings and the reducer's counter.
const (
	keyMaps    = "howdah.pi.maps"
	keySamples = "howdah.pi.samples"

	group         = "QuasiMonteCarlo"
	counterInside = "INSIDE"
)

// places is the number of decimal places to print.
const places = 20

// App returns the pi application.
func App() *mapreduce.App {
	j := &mapreduce.Job{
		Name:     "pi",
		Input:    ranges.Input{Cut: cut},
		Output:   mapreduce.NullOutput{},
		Mapper:   mapreduce.MapFunc(sample),
		Combiner: mapreduce.Sum[int64](),
		Reducer:  mapreduce.ReduceFunc(count),
		// The tasks keep no state, and most are shorter than the start of a process.
		Conf: map[string]string{conf.JobReduces.Name: "1", conf.JobJVMNumTasks.Name: "-1"},
	}
	return &mapreduce.App{
		Name:  "pi",
		Short: "estimates π with a quasi-Monte Carlo method",
		Usage: "<maps> <samples per map>",
		Jobs:  []*mapreduce.Job{j},
		Run:   func(ctx context.Context, r mapreduce.Runner, args []string) error { return run(ctx, r, j, args) },
	}
}

func run(ctx context.Context, r mapreduce.Runner, j *mapreduce.Job, args []string) error {
	maps, samples, err := parseArgs(args)
	if err != nil {
		return failure.New(failure.Usage, "pi", "", err)
	}
	fmt.Fprintf(r.Stdout(), "Number of Maps  = %d\nSamples per Map = %d\n", maps, samples)
	c := r.Conf().Clone()
	c.Set(keyMaps, args[0], "pi")
	c.Set(keySamples, args[1], "pi")
	c.Set(conf.JobReduces.Name, "1", "pi")
	fmt.Fprintln(r.Stdout(), "Starting Job")
	start := time.Now()
	result, err := r.Run(ctx, j, c)
	if err != nil {
		return err
	}
	inside, _ := result.Counters.Get(group, counterInside)
	fmt.Fprintf(r.Stdout(), "Job Finished in %.3f seconds\n", time.Since(start).Seconds())
	fmt.Fprintf(r.Stdout(), "Estimated value of Pi is %s\n", estimate(inside, maps, samples))
	return nil
}

func parseArgs(args []string) (maps, samples int64, err error) {
	if len(args) != 2 {
		return 0, 0, errors.New("want the number of maps and the number of samples per map")
	}
	maps, err = strconv.ParseInt(args[0], 10, 64)
	if err != nil || maps < 1 || maps > 100000 {
		return 0, 0, fmt.Errorf("maps %q: want 1 to 100000", args[0])
	}
	samples, err = strconv.ParseInt(args[1], 10, 64)
	if err != nil || samples < 1 || samples > 1<<52/maps {
		return 0, 0, fmt.Errorf("samples %q: want 1 to %d", args[1], int64(1<<52)/maps)
	}
	return maps, samples, nil
}

// estimate returns 4*inside/(maps*samples) with 20 decimal places, the last one rounded half up.
func estimate(inside, maps, samples int64) string {
	scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(places), nil)
	points := new(big.Int).Mul(big.NewInt(maps), big.NewInt(samples))
	n := new(big.Int).Mul(big.NewInt(4*2), new(big.Int).Mul(big.NewInt(inside), scale))
	n.Add(n, points).Div(n, points.Mul(points, big.NewInt(2)))
	whole, frac := n.DivMod(n, scale, new(big.Int))
	return fmt.Sprintf("%d.%0*d", whole, places, frac)
}

// cut assigns the same number of points (samples) to each map. The points of map i start at number
// i*samples. A map gets one record, the number of its first point.
func cut(c *conf.Config) ([]ranges.Range, error) {
	maps, err := conf.PiMaps.Get(c)
	if err != nil {
		return nil, err
	}
	samples, err := conf.PiSamples.Get(c)
	if err != nil {
		return nil, err
	}
	out := make([]ranges.Range, maps)
	for i := range out {
		out[i] = ranges.Range{First: int64(i) * samples, Count: 1}
	}
	return out, nil
}

// checkEvery is the number of points between two checks for cancellation.
const checkEvery = 1 << 16

func sample(c *mapreduce.Context, first int64, _ mapreduce.Null, out *mapreduce.Out[bool, int64]) error {
	samples, err := conf.PiSamples.Get(c.Conf)
	if err != nil {
		return err
	}
	h := newHalton(first)
	inside := int64(0)
	for i := range samples {
		if i%checkEvery == checkEvery-1 {
			if err := c.Context().Err(); err != nil {
				return err
			}
			c.SetStatus(fmt.Sprintf("Generated %d samples.", i+1))
		}
		x, y := h.next()
		x, y = x-0.5, y-0.5
		if float64(x*x)+float64(y*y) <= 0.25 {
			inside++
		}
	}
	out.Emit(true, inside)
	out.Emit(false, samples-inside)
	return nil
}

func count(c *mapreduce.Context, inside bool, values iter.Seq[int64],
	_ *mapreduce.Out[mapreduce.Null, mapreduce.Null]) error {
	if !inside {
		return nil
	}
	n, err := c.Counter(group, counterInside)
	for v := range values {
		n.Add(v)
	}
	return err
}
