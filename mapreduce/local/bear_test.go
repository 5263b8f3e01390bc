package local

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/mapreduce"
)

// The limit on the number of counters also applies to all tasks together.
func TestTooManyCountersFailTheJob(t *testing.T) {
	j := mapWith(func(c *mapreduce.Context, _ mapreduce.Text) error {
		_, err := c.Counter("g", fmt.Sprint("of map ", c.Partition()))
		return err
	})
	for max, succeeds := range map[string]bool{"5": true, "4": false} {
		dir, c := input(t, 5)
		c.Set("mapreduce.job.counters.max", max, "test")
		_, err := Run(context.Background(), Options{FS: newFS(t, c)}, j, c)
		if succeeds {
			require.NoError(t, err)
			continue
		}
		require.ErrorContains(t, err, "Too many counters: 5 max=4")
		nothingLeft(t, dir, c)
	}
}

// A job succeeds if the number of failed maps is within the configured tolerance and fails
// otherwise.
func TestFailedMapsWithinTheJobsTolerance(t *testing.T) {
	j := mapWith(func(c *mapreduce.Context, _ mapreduce.Text) error {
		if p := c.Partition(); p == 1 || p == 3 {
			return errors.New("no luck")
		}
		return nil
	})
	for percent, succeeds := range map[string]bool{"40": true, "39": false} {
		dir, c := input(t, 5)
		c.Set("mapred.max.map.failures.percent", percent, "test")
		var log strings.Builder
		res, err := Run(context.Background(), Options{FS: newFS(t, c), Log: &log}, j, c)
		if !succeeds {
			require.ErrorContains(t, err, "no luck")
			nothingLeft(t, dir, c)
			continue
		}
		require.NoError(t, err)
		require.EqualValues(t, 2, res.Counters.Builtin[job.FailedMaps])
		require.EqualValues(t, 3, res.Counters.Builtin[job.MapInputRecords])
		b, err := os.ReadFile(dir + "/out/part-r-00000")
		require.NoError(t, err)
		require.Equal(t, 3, strings.Count(string(b), "\n"), string(b))
		require.Contains(t, log.String(), "the job continues without task_")
	}
}

// The error of a panic says where its stack is, because an in-process run has no task logs.
func TestWhereTheStackIs(t *testing.T) {
	_, c := input(t, 1)
	j := &mapreduce.Job{Name: "panics", Mapper: mapreduce.MapFunc(func(*mapreduce.Context, int64, mapreduce.Text,
		*mapreduce.Out[mapreduce.Text, int32]) error {
		panic("oh no")
	})}
	var log strings.Builder
	_, err := Run(context.Background(), Options{FS: newFS(t, c), Log: &log}, j, c)
	require.ErrorContains(t, err, "panic: oh no; the stack is printed above")
	require.Contains(t, log.String(), "TestWhereTheStackIs")
	_, err = Run(context.Background(), Options{FS: newFS(t, c)}, j, c)
	require.ErrorContains(t, err, "the stack is lost, because local.Options.Log is not set")
}
