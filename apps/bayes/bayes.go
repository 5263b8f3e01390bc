// Package bayes contains one step of training a naive Bayes classifier. Job adds up the weight of
// each word for each label (SimMR, section IV-C).
package bayes

import (
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/howdah/howdah/apps/internal/fixed"
	"github.com/howdah/howdah/mapreduce"
)

// Job returns the bayes job. A line of input is a document, "ID TAB LABEL TAB TEXT". The output has
// a line "LABEL,WORD TAB WEIGHT" for each word of a label and "LABEL TAB DOCUMENTS" for each label.
//
// In a document, the weight of a word that occurs n times is ln(1+n), divided by the square root of
// the sum of the squares of these logarithms, so that long documents do not dominate. Each weight
// is rounded to nine decimal places and the sums are exact, so the result does not depend on splits
// or combiners.
func Job() *mapreduce.Job {
	return &mapreduce.Job{
		Name:     "bayes",
		Short:    "adds up the weights of words for each label (a step of naive Bayes)",
		Usage:    "<in>… <out>",
		Mapper:   mapreduce.MapFunc(features),
		Combiner: mapreduce.ReduceFunc(sum),
		Reducer:  mapreduce.ReduceFunc(sum),
	}
}

func features(_ *mapreduce.Context, _ int64, line string, out *mapreduce.Out[string, string]) error {
	if strings.TrimSpace(line) == "" {
		return nil
	}
	f := strings.SplitN(line, "\t", 3)
	if len(f) != 3 || f[1] == "" {
		return fmt.Errorf("%.80q is not a labeled document: want ID, tab, label, tab, text", line)
	}
	words := strings.FieldsFunc(strings.ToLower(f[2]),
		func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	slices.Sort(words)
	norm := 0.0
	each(words, func(_ string, n int) { norm += float64(weight(n) * weight(n)) })
	norm = math.Sqrt(norm)
	label := f[1]
	each(words, func(word string, n int) {
		w := fixed.Number(math.Round(float64(weight(n) / norm * float64(fixed.One))))
		out.Emit(label+","+word, w.String())
	})
	out.Emit(label, "1")
	return out.Err()
}

func weight(n int) float64 { return math.Log1p(float64(n)) }

// each calls f for each distinct word in sorted, a sorted list. n is the number of the word's
// occurrences.
func each(sorted []string, f func(word string, n int)) {
	for i := 0; i < len(sorted); {
		k := i
		for k < len(sorted) && sorted[k] == sorted[i] {
			k++
		}
		f(sorted[i], k-i)
		i = k
	}
}

// sum adds up the decimal values of a key without rounding. It returns an error if the total
// overflows.
func sum(_ *mapreduce.Context, key string, values iter.Seq[string], out *mapreduce.Out[string, string]) error {
	total := fixed.Number(0)
	for v := range values {
		n, err := fixed.Parse(v)
		if err != nil {
			return err
		}
		if total > math.MaxInt64-n {
			return fmt.Errorf("the weights of %s add up to more than 9.2e9", key)
		}
		total += n
	}
	out.Emit(key, total.String())
	return nil
}
