// Package tfidf weights each word in each document by its frequency in the document and the number
// of documents that contain it (SimMR, section IV-C). If a word occurs n times in a document, and d
// of all N documents contain it, its weight in that document is n * ln(N/d).
package tfidf

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"strconv"
	"strings"
	"unicode"

	"github.com/howdah/howdah/apps/internal/steps"
	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
)

const (
	group            = "TFIDF"
	counterDocuments = "DOCUMENTS"
	keyDocuments     = "howdah.tfidf.documents" // N, which the first job counts and the last job reads
)

// App returns the tfidf application. A line of input is a document, "ID TAB LABEL TAB TEXT" or "ID
// TAB TEXT". IDs must be unique. A word is a run of letters and digits, converted to lower case.
// The output is "WORD TAB ID TAB WEIGHT".
func App() *mapreduce.App {
	count := &mapreduce.Job{
		Name:     "tfidf-count",
		Mapper:   mapreduce.MapFunc(words),
		Combiner: mapreduce.Sum[int64](),
		Reducer:  mapreduce.Sum[int64](),
	}
	spread := &mapreduce.Job{
		Name:     "tfidf-documents",
		Mapper:   mapreduce.MapFunc(once),
		Combiner: mapreduce.Sum[int64](),
		Reducer:  mapreduce.Sum[int64](),
	}
	weigh := &mapreduce.Job{
		Name:        "tfidf-weigh",
		Mapper:      mapreduce.MapFunc(side),
		Reducer:     mapreduce.ReduceOf(func() *weigher { return &weigher{} }),
		Partitioner: termPartition,
		Group:       byTerm{},
	}
	return &mapreduce.App{
		Name:  "tfidf",
		Short: "computes the importance of words in documents (TF-IDF)",
		Usage: "<in>… <out>",
		Jobs:  []*mapreduce.Job{count, spread, weigh},
		Run: func(ctx context.Context, r mapreduce.Runner, args []string) error {
			if len(args) < 2 {
				return failure.New(failure.Usage, "tfidf", "", errors.New("want at least one input and an output"))
			}
			in := strings.Join(args[:len(args)-1], ",")
			s, err := steps.Begin(ctx, r, "tfidf", args[len(args)-1])
			if err != nil {
				return err
			}
			defer s.End()
			counts, res, err := s.Middle(ctx, count, in, nil)
			if err != nil {
				return err
			}
			documents, _, err := s.Middle(ctx, spread, counts, nil)
			if err != nil {
				return err
			}
			n, _ := res.Counters.Get(group, counterDocuments)
			_, err = s.Final(ctx, weigh, documents+","+counts, map[string]string{keyDocuments: strconv.FormatInt(n, 10)})
			return err
		},
	}
}

// words emits "WORD TAB ID" with 1 for each occurrence of a word in a document.
func words(c *mapreduce.Context, _ int64, line string, out *mapreduce.Out[string, int64]) error {
	if strings.TrimSpace(line) == "" {
		return nil
	}
	id, text, ok := strings.Cut(line, "\t")
	if !ok || id == "" {
		return fmt.Errorf("%.80q is not a document: want ID, tab, text", line)
	}
	if _, rest, labeled := strings.Cut(text, "\t"); labeled {
		text = rest
	}
	n, err := c.Counter(group, counterDocuments)
	if err != nil {
		return err
	}
	n.Add(1)
	for w := range strings.FieldsFuncSeq(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		out.Emit(strings.ToLower(w)+"\t"+id, 1)
	}
	return out.Err()
}

// once emits each word once for each document that contains it.
func once(_ *mapreduce.Context, _ int64, line string, out *mapreduce.Out[string, int64]) error {
	word, _, _ := strings.Cut(line, "\t")
	out.Emit(word, 1)
	return nil
}

// side reads the output lines of the first two jobs, which it distinguishes by their number of
// fields. Its keys make the number of documents the first record of each word. The documents
// follow, sorted by ID, so the result does not depend on the splits.
func side(_ *mapreduce.Context, _ int64, line string, out *mapreduce.Out[termKey, string]) error {
	word, rest, _ := strings.Cut(line, "\t")
	if id, _, counts := strings.Cut(rest, "\t"); counts {
		out.Emit(termKey{word, "1" + id}, rest)
	} else {
		out.Emit(termKey{word, "0"}, rest)
	}
	return nil
}

// weigher computes the weights of a word.
type weigher struct{ documents float64 }

func (w *weigher) Setup(c *mapreduce.Context) error {
	n, err := conf.TFIDFDocuments.Get(c.Conf) // 0 means that there are no documents
	w.documents = float64(n)
	return err
}

func (w *weigher) Reduce(_ *mapreduce.Context, key termKey, values iter.Seq[string],
	out *mapreduce.Out[string, string]) error {
	rarity := -1.0
	for v := range values {
		id, n, ok := strings.Cut(v, "\t")
		if !ok {
			d, err := strconv.ParseFloat(v, 64)
			if err != nil {
				return err
			}
			rarity = math.Log(w.documents / d)
			continue
		}
		times, err := strconv.ParseFloat(n, 64)
		if err != nil || rarity < 0 {
			return fmt.Errorf("word %q: %q is not a number, or the number of documents is missing",
				key.Term, v)
		}
		out.Emit(key.Term, id+"\t"+strconv.FormatFloat(float64(times*rarity), 'f', 6, 64))
	}
	return out.Err()
}
