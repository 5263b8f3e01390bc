package mapreduce_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/mapreduce"
	"github.com/howdah/howdah/mapreduce/mrtest"
	"github.com/howdah/howdah/mapreduce/sequencefile"
)

// This example uses LazyOutput, so that reducers without records create no file.
func ExampleLazyOutput() {
	r := mrtest.NewRunner()
	if err := r.WriteFile("/in/text", "only\n"); err != nil {
		log.Fatal(err)
	}
	lines := func(_ *mapreduce.Context, _ int64, line string, out *mapreduce.Out[string, mapreduce.Null]) error {
		out.Emit(line, mapreduce.Null{})
		return nil
	}
	job := &mapreduce.Job{
		Name:   "lazy",
		Mapper: mapreduce.MapFunc(lines),
		Output: mapreduce.LazyOutput{Of: mapreduce.TextOutput{}},
		Conf:   map[string]string{conf.JobReduces.Name: "3"},
	}
	if err := job.App().Run(context.Background(), r, []string{"/in", "/out"}); err != nil {
		log.Fatal(err)
	}
	fs, dir, err := r.FS().Resolve("/out")
	if err != nil {
		log.Fatal(err)
	}
	files, err := fs.List(context.Background(), dir)
	if err != nil {
		log.Fatal(err)
	}
	for _, f := range files {
		fmt.Println(f.Name(), f.Size)
	}
	// Output:
	// _SUCCESS 0
	// part-r-00001 5
}

// This example creates part files that are sorted when concatenated. Like Hadoop's InputSampler,
// the driver samples the keys and writes the boundaries between reducers to a file.
func ExampleTotalOrder() {
	ctx, r := context.Background(), mrtest.NewRunner()
	if err := r.WriteFile("/in/text", "pear\t1\nfig\t2\napple\t3\nplum\t4\nkiwi\t5\nlime\t6\n"); err != nil {
		log.Fatal(err)
	}
	job := &mapreduce.Job{Name: "ordered", Input: mapreduce.KeyValueTextInput{}, Partitioner: mapreduce.TotalOrder}
	c := r.Conf().Clone()
	c.Set(conf.JobReduces.Name, "2", "example")
	c.Set(conf.TotalOrderPartitionerPath.Name, "/cuts.lst", "example")
	mapreduce.SetInputPaths(c, "/in")
	mapreduce.SetOutputPath(c, "/out")
	sampler := mapreduce.SplitSampler{Samples: 100}
	if err := mapreduce.SampleCutPoints(ctx, &mapreduce.Env{Conf: c, FS: r.FS()}, job, sampler); err != nil {
		log.Fatal(err)
	}
	if _, err := r.Run(ctx, job, c); err != nil {
		log.Fatal(err)
	}
	for _, part := range []string{"part-r-00000", "part-r-00001"} {
		text, err := r.ReadFile("/out/" + part)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s: %q\n", part, text)
	}
	// Output:
	// part-r-00000: "apple\t3\nfig\t2\nkiwi\t5\n"
	// part-r-00001: "lime\t6\npear\t1\nplum\t4\n"
}

// This example reads and writes a SequenceFile without a job, using the codecs of its keys and
// values.
func ExampleCodecOf_sequenceFile() {
	words, err := mapreduce.CodecOf[string]()
	if err != nil {
		log.Fatal(err)
	}
	counts, err := mapreduce.CodecOf[int64]()
	if err != nil {
		log.Fatal(err)
	}
	var file bytes.Buffer
	w, err := sequencefile.NewWriter(&file, sequencefile.Options{
		KeyClass: words.Type.Class(), ValueClass: counts.Type.Class(), Compression: sequencefile.Block,
		Metadata: []sequencefile.Pair{{Key: "made by", Value: "an example"}},
	})
	if err != nil {
		log.Fatal(err)
	}
	for i, word := range []string{"zero", "one"} {
		if err := w.Append(words.Append(nil, word), counts.Append(nil, int64(i))); err != nil {
			log.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		log.Fatal(err)
	}

	r, err := sequencefile.NewReader(&file, sequencefile.ReadOptions{Name: "numbers.seq"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(r.Header().KeyClass, r.Header().ValueClass, r.Header().Metadata)
	for {
		key, value, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			log.Fatal(err)
		}
		word, _ := words.Decode(key)
		n, _ := counts.Decode(value)
		fmt.Println(word, n)
	}
	// Output:
	// org.apache.hadoop.io.Text org.apache.hadoop.io.LongWritable [{made by an example}]
	// zero 0
	// one 1
}
