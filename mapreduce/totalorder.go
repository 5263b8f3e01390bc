package mapreduce

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sort"

	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/job/failure"
)

// KeyPartitionFile names the file with the cut points of TotalOrder; default _partition.lst.
const KeyPartitionFile = "mapreduce.totalorderpartitioner.path"

// TotalOrder sends keys to reducers by ranges, so that the part files one after the other are sorted. The cut points come
// from a file (see WriteCutPoints); a key equal to a cut point goes to the right of it. Fewer cut points than needed leave
// the last reducers without keys. It is Hadoop's TotalOrderPartitioner.
func TotalOrder(env *Env, keys Type) (Partitioner, error) {
	name := partitionFile(env)
	cuts, err := readCutPoints(context.Background(), env, name, keys)
	if err != nil {
		return nil, err
	}
	n, err := Reduces(env.Conf)
	if err != nil {
		return nil, err
	}
	if len(cuts) >= max(n, 1) {
		return nil, failure.New(failure.Config, "partition by", name, fmt.Errorf("%d cut points for %d reducers", len(cuts), n)).
			Fix("write the cut points with the same " + KeyReduces)
	}
	return newRanges(keys, cuts), nil
}

func partitionFile(env *Env) string {
	if name := env.Conf.Get(KeyPartitionFile); name != "" {
		return name
	}
	return "_partition.lst"
}

// ranges finds keys among sorted cut points.
type ranges struct {
	order    Comparator
	cuts     [][]byte
	prefixes []uint64 // of the cuts
}

func newRanges(order Comparator, cuts [][]byte) *ranges {
	r := &ranges{order: order, cuts: cuts}
	for _, c := range cuts {
		r.prefixes = append(r.prefixes, order.Prefix(c))
	}
	return r
}

// Partition gives the number of cut points that are not above the key.
func (r *ranges) Partition(key, _ []byte, _ int) int {
	p := r.order.Prefix(key)
	lo, hi := 0, len(r.prefixes)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if q := r.prefixes[mid]; q < p || q == p && r.order.Compare(r.cuts[mid], key) <= 0 {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// cutMagic starts a file of cut points; then come, each with its length before it as a uvarint, the key's class and the keys.
const cutMagic = "howdah cut points 1\n"

// maxCutFile bounds the size of a file of cut points.
const maxCutFile = 256 << 20

// WriteCutPoints writes a file for TotalOrder; an existing one is replaced. cuts must be sorted.
func WriteCutPoints(ctx context.Context, env *Env, name string, keys Type, cuts [][]byte) error {
	b := appendCounted([]byte(cutMagic), keys.Class())
	for _, c := range cuts {
		b = appendCounted(b, c)
	}
	fs, p, err := env.FS.Resolve(name)
	if err != nil {
		return err
	}
	w, err := fs.Create(ctx, p, dfs.CreateOptions{Overwrite: true})
	if err != nil {
		return err
	}
	if _, err := w.Write(b); err != nil {
		w.Abort()
		return err
	}
	return w.Close()
}

func readCutPoints(ctx context.Context, env *Env, name string, keys Type) ([][]byte, error) {
	fs, p, err := env.FS.Resolve(name)
	if err != nil {
		return nil, err
	}
	f, err := fs.Open(ctx, p)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if f.Size() > maxCutFile {
		return nil, failure.New(failure.Limit, "read cut points", name, fmt.Errorf("%d bytes are more than %d", f.Size(), maxCutFile))
	}
	b := make([]byte, f.Size())
	if _, err := io.ReadFull(f, b); err != nil {
		return nil, failure.New(failure.KindOf(err), "read cut points", name, err)
	}
	cuts, err := decodeCutPoints(b, keys)
	if err != nil {
		return nil, failure.New(failure.KindOf(err), "read cut points", name, err)
	}
	return cuts, nil
}

func decodeCutPoints(b []byte, keys Type) ([][]byte, error) {
	if len(b) < len(cutMagic) || string(b[:len(cutMagic)]) != cutMagic {
		return nil, corrupt("cut points", errors.New("not a file of cut points"))
	}
	b = b[len(cutMagic):]
	var cuts [][]byte
	for first := true; first || len(b) > 0; first = false {
		n, w := binary.Uvarint(b)
		if w <= 0 || n > uint64(len(b)-w) {
			return nil, corrupt("cut points", errors.New("malformed bytes"))
		}
		item := b[w : w+int(n)]
		b = b[w+int(n):]
		if !first {
			cuts = append(cuts, item)
		} else if string(item) != keys.Class() {
			return nil, failure.New(failure.Config, "", "", fmt.Errorf("the cut points are of type %s, the keys of type %s", item, keys.Class()))
		}
	}
	if !sort.SliceIsSorted(cuts, func(i, j int) bool { return keys.Compare(cuts[i], cuts[j]) < 0 }) {
		return nil, corrupt("cut points", errors.New("Split points are out of order"))
	}
	return cuts, nil
}
