package record

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job"
)

func BenchmarkDecodeSpec(b *testing.B) {
	s := &job.Spec{Name: "word count", User: "alice", Reduces: 4, TaskTimeout: 600_000}
	for range 100 {
		s.Splits = append(s.Splits, job.SplitMeta{Hosts: []string{"a", "b", "c"}, Length: 1 << 27, Offset: 1 << 30})
		s.Conf = append(s.Conf, job.Property{Name: "key", Value: strings.Repeat("v", 40)})
	}
	text := appendSpec(s)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		_, err := readSpec(text)
		require.NoError(b, err)
	}
}
