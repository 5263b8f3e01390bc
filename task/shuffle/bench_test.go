package shuffle

import (
	"context"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/howdah/howdah/internal/auth"
	"github.com/howdah/howdah/internal/auth/certs"
	"github.com/howdah/howdah/task/sortio"
)

// BenchmarkFetch fetches the outputs of 16 maps, 8 MB of rows each, to one reducer over loopback
// and merges them in memory.
func BenchmarkFetch(b *testing.B) { benchFetch(b, nil) }

// BenchmarkFetchTLS shows what TLS costs.
func BenchmarkFetchTLS(b *testing.B) { benchFetch(b, trackerTLS(b, auth.NewSecret())) }

func benchFetch(b *testing.B, secure *certs.TLS) {
	root := b.TempDir()
	addr := serveMaps(b, root, secure)
	const maps, rows = 16, 80_000
	rnd := rand.NewChaCha8([32]byte{})
	row := make([]byte, 100)
	var list []Completion
	for m := range int32(maps) {
		dir := OutputDir(root, attempt(m, 0))
		if err := os.MkdirAll(dir, 0o755); err != nil {
			b.Fatal(err)
		}
		c, err := sortio.NewCollector(sortio.Config{Dir: dir, Partitions: 1, Cmp: bytesOrder{}, Buffer: 16 << 20})
		if err != nil {
			b.Fatal(err)
		}
		for range rows {
			_, _ = rnd.Read(row)
			if err := c.Collect(0, row[:10], row[10:]); err != nil {
				b.Fatal(err)
			}
		}
		if _, err := c.Close(context.Background()); err != nil {
			b.Fatal(err)
		}
		list = append(list, Completion{Map: m, Addr: addr, Host: "n1"})
	}
	b.SetBytes(maps * rows * 100)
	b.ReportAllocs()
	for b.Loop() {
		res, err := Run(context.Background(), Config{Job: testJob, Maps: maps, Token: testToken, Cmp: bytesOrder{},
			Dir:    b.TempDir(),
			Memory: 400 << 20, InputBuffer: 0.9, MergePercent: 1, Retain: 1, Events: feed(list), TLS: secure})
		if err != nil {
			b.Fatal(err)
		}
		n := 0
		for res.Next() {
			n++
		}
		if res.Err() != nil || n != maps*rows {
			b.Fatal(res.Err(), n)
		}
		res.Close()
	}
}
