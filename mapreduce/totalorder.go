package mapreduce

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sort"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce/sequencefile"
)

// TotalOrder returns a partitioner that divides keys into ranges, so that the concatenated part
// files are sorted. It is Hadoop's TotalOrderPartitioner. TotalOrder reads the cut points from a
// file (see WriteCutPoints). They must be in the job's sort order. A key equal to a cut point
// belongs to the range after it. With too few cut points, the last reducers receive no keys.
//
// The partitioner searches in the job's sort order. However, it compares Text and BytesWritable by
// their bytes unless conf.TotalOrderPartitionerNaturalOrder is false. A job that sorts such keys in
// a different order must set that key to false.
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
		return nil, failure.New(failure.Config, "partition by", name,
			fmt.Errorf("%d cut points for %d reducers", len(cuts), n)).
			Fix("write the cut points again with the same " + conf.JobReduces.Name)
	}
	natural, err := conf.TotalOrderPartitionerNaturalOrder.Get(env.Conf)
	if err != nil {
		return nil, err
	}
	if t := unordered(keys); natural && (t == TextWritable || t == BytesWritable) {
		keys = t
	}
	return newRanges(keys, cuts), nil
}

func partitionFile(env *Env) string {
	if name := conf.TotalOrderPartitionerPath.Get(env.Conf); name != "" {
		return name
	}
	return "_partition.lst"
}

// ranges is a partitioner that looks up keys in a sorted list of cut points.
type ranges struct {
	order    Comparator
	cuts     [][]byte
	prefixes []uint64 // prefixes of the cut points
}

func newRanges(order Comparator, cuts [][]byte) *ranges {
	r := &ranges{order: order, cuts: cuts}
	for _, c := range cuts {
		r.prefixes = append(r.prefixes, order.Prefix(c))
	}
	return r
}

// Partition returns the number of cut points that are less than or equal to the key.
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

// maxCutFile is the maximum size of a cut point file, in bytes.
const maxCutFile = 256 << 20

// WriteCutPoints writes the file called name for TotalOrder. It replaces any existing file. cuts
// must be sorted. The format is that of Hadoop's InputSampler, a SequenceFile whose keys are the
// cut points.
func WriteCutPoints(ctx context.Context, env *Env, name string, keys Type, cuts [][]byte) error {
	fs, p, err := env.FS.Resolve(name)
	if err != nil {
		return err
	}
	w, err := fs.Create(ctx, p, dfs.CreateOptions{Overwrite: true})
	if err != nil {
		return err
	}
	if err := encodeCutPoints(w, keys, cuts); err != nil {
		w.Abort()
		return err
	}
	return w.Close()
}

func encodeCutPoints(to io.Writer, keys Type, cuts [][]byte) error {
	w, err := sequencefile.NewWriter(to, sequencefile.Options{KeyClass: keys.Class(), ValueClass: NullWritable.Class(),
		Compression: sequencefile.Record})
	if err != nil {
		return err
	}
	for _, c := range cuts {
		if err := w.Append(c, nil); err != nil {
			return err
		}
	}
	return w.Close()
}

// readCutPoints reads a file of cut points and checks that the cut points are sorted.
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
		return nil, failure.New(failure.Limit, "read cut points", name, fmt.Errorf("the file has %d bytes; the "+
			"limit is %d", f.Size(),
			maxCutFile))
	}
	return decodeCutPoints(f, name, keys)
}

func decodeCutPoints(from io.Reader, name string, keys Type) (cuts [][]byte, err error) {
	r, err := sequencefile.NewReader(from, sequencefile.ReadOptions{Name: name, MaxRecord: maxCutFile})
	if err != nil {
		return nil, err
	}
	if class := r.Header().KeyClass; class != keys.Class() {
		return nil, failure.New(failure.Config, "read cut points", name,
			fmt.Errorf("the cut points have type %s, but the keys have type %s", class, keys.Class()))
	}
	for size := 0; ; {
		key, _, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		if size += len(key); size > maxCutFile {
			return nil, failure.New(failure.Limit, "read cut points", name, fmt.Errorf("the keys have more than %d "+
				"bytes", maxCutFile))
		}
		cuts = append(cuts, bytes.Clone(key))
	}
	if !sort.SliceIsSorted(cuts, func(i, j int) bool { return keys.Compare(cuts[i], cuts[j]) < 0 }) {
		return nil, failure.New(failure.Corrupt, "read cut points", name, errors.New("Split points are out of order"))
	}
	return cuts, nil
}
