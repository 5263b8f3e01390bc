// Package bbp computes hexadecimal digits of π, starting at a given place, using the formula of
// Bailey, Borwein, and Plouffe. App returns Hadoop's bbp example, in which each map computes a
// range of digits, four at a time, and one reducer joins them. Dist returns distbbp, which computes
// bits.
package bbp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"time"

	"github.com/howdah/howdah/apps/internal/dir"
	"github.com/howdah/howdah/apps/internal/ranges"
	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
)

// The settings that the driver passes to its tasks.
const (
	keyStart = "howdah.bbp.start"
	keySize  = "howdah.bbp.size"
	keyParts = "howdah.bbp.parts"
)

const blockDigits = 4 // number of digits that are computed together

// App returns Hadoop's bbp example.
func App() *mapreduce.App {
	j := &mapreduce.Job{
		Name:    "bbp",
		Input:   ranges.Input{Cut: cut},
		Mapper:  mapreduce.MapFunc(compute),
		Reducer: mapreduce.ReduceOf(func() *assembler { return &assembler{} }),
		Conf:    map[string]string{conf.JobReduces.Name: "1"},
	}
	return &mapreduce.App{
		Name:  "bbp",
		Short: "computes hexadecimal digits of π from any position (Bailey, Borwein, Plouffe)",
		Usage: "<startDigit> <nDigits> <nMaps> <workingDir>",
		Jobs:  []*mapreduce.Job{j},
		Run:   func(ctx context.Context, r mapreduce.Runner, args []string) error { return run(ctx, r, j, args) },
	}
}

// digits is a request for size digits of π starting at place start, computed by at most parts maps.
// Place 1 is the first hexadecimal digit after the point.
type digits struct{ start, size, parts int64 }

func (d digits) file() string { return fmt.Sprintf("pi_%d_%d.hex", d.start, d.size) }

const textFile = "pi.txt"

func run(ctx context.Context, r mapreduce.Runner, j *mapreduce.Job, args []string) error {
	d, err := parseArgs(args)
	if err != nil {
		return failure.New(failure.Usage, "bbp", "", err)
	}
	at := args[3]
	if err := dir.Refuse(ctx, r.FS(), at); err != nil {
		return err
	}
	fmt.Fprintf(r.Stdout(), "Working Directory = %s\n\n", at)
	fmt.Fprintf(r.Stdout(), "Start Digit      = %d\nNumber of Digits = %d\nNumber of Maps   = %d\n\nStarting Job ...\n",
		d.start, d.size, d.parts)
	c := r.Conf().Clone()
	for key, n := range map[string]int64{keyStart: d.start, keySize: d.size, keyParts: d.parts, conf.JobReduces.Name: 1} {
		c.Set(key, strconv.FormatInt(n, 10), "bbp")
	}
	mapreduce.SetOutputPath(c, at+"/out")
	begin := time.Now()
	if _, err := r.Run(ctx, j, c); err != nil {
		return err
	}
	fmt.Fprintf(r.Stdout(), "Duration is %.3f seconds.\n", time.Since(begin).Seconds())
	fs, name, err := r.FS().Resolve(at)
	if err != nil {
		return err
	}
	if err := publish(ctx, fs, name, d); err != nil {
		return err
	}
	fmt.Fprintf(r.Stdout(), "Output file: %s\n", fs.URI()+name+"/"+d.file())
	return nil
}

// publish moves the side files that the reducer has written from the output directory to the
// working directory, where Hadoop's example puts them.
func publish(ctx context.Context, fs dfs.FileSystem, at string, d digits) error {
	files := []string{d.file()}
	if d.start == 1 {
		files = append(files, textFile)
	}
	for _, f := range files {
		if err := fs.Rename(ctx, at+"/out/"+f, at+"/"+f); err != nil {
			return err
		}
	}
	return nil
}

func parseArgs(args []string) (d digits, err error) {
	if len(args) != 4 {
		return d, errors.New("want the first digit, the number of digits, the number of maps, and a " +
			"working directory")
	}
	for i, x := range []struct {
		what string
		n    *int64
		most int64
	}{
		{"startDigit", &d.start, conf.BBPStart.Max()}, {"nDigits", &d.size, conf.BBPSize.Max()},
		{"nMaps", &d.parts, conf.BBPParts.Max()},
	} {
		if *x.n, err = strconv.ParseInt(args[i], 10, 64); err != nil || *x.n < 1 || *x.n > x.most {
			return d, fmt.Errorf("%s %q: want 1 to %d", x.what, args[i], x.most)
		}
	}
	most := conf.BBPStart.Max() + blockDigits
	switch last := d.start - 1 + d.size; {
	case d.size%blockDigits != 0:
		return d, fmt.Errorf("nDigits = %d is not a multiple of %d", d.size, blockDigits)
	case last > most:
		return d, fmt.Errorf("the number of the last digit is %d; the limit is %d", last, most)
	}
	return d, nil
}

// split divides the digits about evenly, in whole blocks, into at most d.parts ranges, none of them
// empty.
func (d digits) split() []ranges.Range {
	blocks := d.size / blockDigits
	n := min(d.parts, blocks)
	out := make([]ranges.Range, n)
	for i := range n {
		from, to := blocks*i/n, blocks*(i+1)/n
		out[i] = ranges.Range{First: d.start + from*blockDigits, Count: (to - from) * blockDigits}
	}
	return out
}

func readDigits(c *conf.Config) (d digits, err error) {
	var errs [3]error
	d.start, errs[0] = conf.BBPStart.Get(c)
	d.size, errs[1] = conf.BBPSize.Get(c)
	d.parts, errs[2] = conf.BBPParts.Get(c)
	return d, cmp.Or(errs[0], errs[1], errs[2])
}

// cut assigns each map one record that contains the place of the map's first digit.
func cut(c *conf.Config) ([]ranges.Range, error) {
	d, err := readDigits(c)
	if err != nil {
		return nil, err
	}
	all := d.split()
	for i := range all {
		all[i].Count = 1
	}
	return all, nil
}

func compute(c *mapreduce.Context, first int64, _ mapreduce.Null, out *mapreduce.Out[int64, []byte]) error {
	d, err := readDigits(c.Conf)
	if err != nil {
		return err
	}
	mine := d.split()[c.Partition()]
	hex := make([]byte, 0, mine.Count/2)
	for done := int64(0); done < mine.Count; done += blockDigits {
		if err := c.Context().Err(); err != nil {
			return err
		}
		block := piDigits(first + done)
		hex = append(hex, byte(block>>8), byte(block))
		c.SetStatus(fmt.Sprintf("Computed %d of %d digits.", done+blockDigits, mine.Count))
	}
	out.Emit(first, hex)
	return out.Err()
}

// assembler joins the digits, which arrive in the order of their places, and writes them to side
// files in the output directory.
type assembler struct{ hex []byte }

// Reduce implements mapreduce.TypedReducer.
func (a *assembler) Reduce(_ *mapreduce.Context, _ int64, parts iter.Seq[[]byte],
	_ *mapreduce.Out[int64, []byte]) error {
	for p := range parts {
		a.hex = append(a.hex, p...)
	}
	return nil
}

// Cleanup writes the joined digits to a side file. If they start at place 1, it also writes
// textFile.
func (a *assembler) Cleanup(c *mapreduce.Context, _ *mapreduce.Out[int64, []byte]) error {
	d, err := readDigits(c.Conf)
	if err != nil {
		return err
	}
	if err := write(c, d.file(), a.hex); err != nil || d.start != 1 {
		return err
	}
	return write(c, textFile, piText(a.hex))
}

func write(c *mapreduce.Context, name string, b []byte) error {
	w, err := c.CreateOutput(name)
	if err != nil {
		return err
	}
	if _, err := w.Write(b); err != nil {
		return errors.Join(err, w.Close())
	}
	return w.Close()
}
