package task

import (
	"context"
	"testing"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/mapreduce"
	"github.com/stretchr/testify/require"
)

func TestBytesOfInputAndOutputAreCounted(t *testing.T) {
	b := newBench(t, &mapreduce.Job{Name: "j", Mapper: mapper(emitLine)}, "b\na\n")
	out, err := b.runMap(context.Background(), 0)
	require.NoError(t, err)
	c := out.Counters.Builtin
	require.EqualValues(t, len("b\na\n"), c[job.FileBytesRead])
	require.EqualValues(t, len("b\t1\na\t1\n"), c[job.FileBytesWritten])
	require.Zero(t, c[job.FileReadOps], "as in Hadoop")
	require.Zero(t, c[job.HDFSBytesRead])
}
