package tera

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/mapreduce"
)

func TestSimplePartitioner(t *testing.T) {
	c := conf.New()
	c.Set("mapreduce.terasort.simplepartitioner", "true", "-D")
	p, err := partitioner(&mapreduce.Env{Conf: c}, mapreduce.TextWritable)
	require.NoError(t, err)
	for _, x := range []struct {
		key  string
		n    int
		want int
	}{
		{"\x00\x00\x00", 4, 0}, {"\x3f\xff\xff", 4, 0}, {"\x40\x00\x00", 4, 1}, {"\xff\xff\xff", 4, 3},
		{"\xff\xff\xff", 3, 2}, {"\xff\xff\xff", 1, 0}, {"\xff\xff\xff", 100_000, 99_864},
	} {
		require.Equal(t, x.want, p.Partition([]byte("\x0a"+x.key+"1234567"), nil, x.n), "%q %d", x.key, x.n)
	}
	c.Set("mapreduce.terasort.simplepartitioner", "perhaps", "-D")
	_, err = partitioner(&mapreduce.Env{Conf: c}, mapreduce.TextWritable)
	require.Error(t, err)
}
