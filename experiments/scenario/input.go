package scenario

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"

	"github.com/howdah/howdah/job/failure"
)

// Average numbers of bytes of an article of datagen, and of a row of teragen or a scrape of
// btworld-generate.
const (
	articleBytes = 560
	rowBytes     = 100
)

// inputKinds lists the kinds of generated inputs.
func inputKinds() []string { return []string{"articles", "links", "points", "rows", "scrapes"} }

// Make creates the input in the directory to, as one file for each part. howdah runs a howdah
// command in one process, without a cluster.
func (in *Input) Make(ctx context.Context, to string, howdah func(ctx context.Context, args ...string) error) error {
	parts := strconv.Itoa(in.Parts)
	number := func(bytes int64) string { return strconv.FormatInt(max(int64(in.Parts), in.Bytes/bytes), 10) }
	switch in.Kind {
	case "articles":
		return howdah(ctx, "run", "-q", "datagen", "-records", number(articleBytes), "-m", parts, "articles", to)
	case "rows":
		return howdah(ctx, "run", "-q", "teragen", "-D", "mapreduce.job.maps="+parts, number(rowBytes), to)
	case "scrapes":
		return howdah(ctx, "run", "-q", "btworld-generate", "-scrapes", number(rowBytes), "-m", parts, to)
	}
	if err := os.MkdirAll(to, 0o755); err != nil {
		return failure.New(failure.KindOf(err), "generate input", to, err)
	}
	for i := range in.Parts {
		if err := ctx.Err(); err != nil {
			return failure.New(failure.Interrupted, "generate input", to, err)
		}
		if err := in.write(filepath.Join(to, fmt.Sprintf("part-%05d", i)), i); err != nil {
			return err
		}
	}
	return nil
}

// write writes lines of random points or links to a file.
func (in *Input) write(path string, part int) error {
	f, err := os.Create(path)
	if err != nil {
		return failure.New(failure.KindOf(err), "generate input", path, err)
	}
	defer f.Close()
	w := bufio.NewWriterSize(f, 1<<20)
	r := rand.New(rand.NewPCG(1, uint64(part)))
	pages := max(16, in.Bytes/200)
	var line []byte
	for left := in.Bytes / int64(in.Parts); left > 0; left -= int64(len(line)) {
		if line = line[:0]; in.Kind == "points" {
			line = point(line, r)
		} else {
			line = links(line, r, pages)
		}
		if _, err := w.Write(line); err != nil {
			return failure.New(failure.KindOf(err), "generate input", path, err)
		}
	}
	if err := w.Flush(); err != nil {
		return failure.New(failure.KindOf(err), "generate input", path, err)
	}
	return f.Close()
}

// point appends a point of four dimensions near one of eight centers.
func point(line []byte, r *rand.Rand) []byte {
	center := r.IntN(8)
	for i := range 4 {
		if i > 0 {
			line = append(line, ',')
		}
		line = strconv.AppendFloat(line, float64((center>>min(i, 2)&1)*100)+r.NormFloat64()*10, 'f', 3, 64)
	}
	return append(line, '\n')
}

// links appends a page and the pages to which it links. Pages with low numbers are more popular.
func links(line []byte, r *rand.Rand, pages int64) []byte {
	line = append(strconv.AppendInt(append(line, 'p'), r.Int64N(pages), 10), '\t')
	for i := range 1 + r.IntN(12) {
		if i > 0 {
			line = append(line, ' ')
		}
		u := r.Float64()
		line = strconv.AppendInt(append(line, 'p'), int64(u*u*float64(pages)), 10)
	}
	return append(line, '\n')
}
