// Package wikitrends adds up the visits to each article in Wikipedia's hourly traffic logs (SimMR,
// section IV-C).
package wikitrends

import (
	"bytes"
	"fmt"
	"strconv"

	"github.com/howdah/howdah/mapreduce"
)

// Job returns the wikitrends job. A line of input is "PROJECT TITLE VISITS BYTES". The output is
// "PROJECT TITLE TAB VISITS".
func Job() *mapreduce.Job {
	return &mapreduce.Job{
		Name:     "wikitrends",
		Short:    "adds up the visits of each article in Wikipedia's traffic logs",
		Usage:    "<in>… <out>",
		Mapper:   mapreduce.MapFunc(visits),
		Combiner: mapreduce.Sum[int64](),
		Reducer:  mapreduce.Sum[int64](),
	}
}

// visits emits the visits to an article. Titles contain no spaces in these logs. The real logs
// contain some lines without exactly four fields or with an invalid number of visits, so visits
// counts and skips such lines.
func visits(c *mapreduce.Context, _ int64, line mapreduce.Text, out *mapreduce.Out[mapreduce.Text, int64]) error {
	f := bytes.Split(line, []byte{' '})
	if len(f) != 4 {
		return damaged(c)
	}
	n, err := strconv.ParseInt(string(f[2]), 10, 64)
	if err != nil || n < 0 {
		return damaged(c)
	}
	out.Emit(line[:len(f[0])+1+len(f[1])], n)
	return nil
}

func damaged(c *mapreduce.Context) error {
	n, err := c.Counter("WikiTrends", "DAMAGED_LINES")
	if err != nil {
		return fmt.Errorf("count damaged lines: %w", err)
	}
	n.Add(1)
	return nil
}
