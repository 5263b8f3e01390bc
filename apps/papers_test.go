package apps_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job/failure"
)

// generated generates a data set and returns its file and lines. It checks that the lines do not
// depend on the number of maps.
func generated(t *testing.T, kind string, records int) (file string, lines []string) {
	t.Helper()
	var texts []string
	for _, maps := range []string{"3", "1"} {
		out := filepath.Join(t.TempDir(), "data")
		_, err := run(t, nil, "datagen", "-records", strconv.Itoa(records), "-m", maps, "-seed", "7", kind, out)
		require.NoError(t, err)
		texts = append(texts, parts(t, out))
	}
	require.Equal(t, texts[1], texts[0], "the number of maps shows in the data")
	lines = strings.Split(strings.TrimSuffix(texts[0], "\n"), "\n")
	require.Len(t, lines, records)
	return write(t, texts[0]), lines
}

func sortedLines(text string) []string {
	l := strings.Split(strings.TrimSpace(text), "\n")
	sort.Strings(l)
	return l
}

func TestDatagenSeedsDiffer(t *testing.T) {
	var texts [2]string
	for i := range texts {
		out := filepath.Join(t.TempDir(), "data")
		_, err := run(t, nil, "datagen", "-records", "50", "-seed", strconv.Itoa(i), "follows", out)
		require.NoError(t, err)
		texts[i] = parts(t, out)
	}
	require.NotEqual(t, texts[0], texts[1])
	for _, args := range [][]string{{"songs", "out"}, {"articles"}, {"-records", "-1", "articles", "out"},
		{"-m", "0", "articles", "out"}} {
		_, err := run(t, nil, "datagen", args...)
		require.True(t, failure.Is(err, failure.Usage), "%v: %v", args, err)
	}
}

func TestWikiTrends(t *testing.T) {
	file, lines := generated(t, "traffic", 3000)
	want := map[string]int64{}
	for _, l := range lines {
		f := strings.Fields(l)
		n, err := strconv.ParseInt(f[2], 10, 64)
		require.NoError(t, err)
		want[f[0]+" "+f[1]] += n
	}
	got := sortedLines(everyWay(t, "", "wikitrends", file))
	require.Len(t, got, len(want))
	for _, l := range got {
		title, n, _ := strings.Cut(l, "\t")
		require.Equal(t, strconv.FormatInt(want[title], 10), n, title)
	}
}

func TestWikiTrendsCountsDamage(t *testing.T) {
	got := everyWay(t, "", "wikitrends", write(t, "en a 3 100\nen a\nen b x 1\nen a 4 1\nen c -1 1\n"))
	require.Equal(t, "en a\t7\n", got)
}

func TestTwitter(t *testing.T) {
	file, lines := generated(t, "follows", 4000)
	links := map[string]bool{}
	for _, l := range lines {
		links[l] = true
	}
	asymmetric := 0
	for l := range links {
		i, j, _ := strings.Cut(l, " ")
		require.NotEqual(t, i, j)
		if !links[j+" "+i] {
			asymmetric++
		}
	}
	require.Less(t, asymmetric, len(links)*95/100, "hardly any link is returned")
	require.Equal(t, fmt.Sprintf("asymmetric\t%d\nlinks\t%d\n", asymmetric, len(links)), everyWay(t, "", "twitter", file))
}

func TestTwitterRank(t *testing.T) {
	file, lines := generated(t, "follows", 500)
	tweets, more := generated(t, "tweets", 300)
	followers, wrote, users := map[string]int{}, map[string]int{}, map[string]bool{}
	for _, l := range lines {
		i, j, _ := strings.Cut(l, " ")
		followers[j]++
		users[i], users[j] = true, true
	}
	for _, l := range more {
		u := strings.Fields(l)[1]
		wrote[u]++
		users[u] = true
	}
	got := strings.Split(strings.TrimSpace(everyWay(t, "", "twitter-rank", file, tweets)), "\n")
	require.Len(t, got, len(users))
	last := math.MaxInt
	for _, l := range got {
		f := strings.Split(l, "\t")
		score, err := strconv.Atoi(f[0])
		require.NoError(t, err)
		require.LessOrEqual(t, score, last)
		last = score
		require.Equal(t, []string{strconv.Itoa(followers[f[1]] * (1 + wrote[f[1]])), strconv.Itoa(followers[f[1]]),
			strconv.Itoa(wrote[f[1]])}, []string{f[0], f[2], f[3]}, l)
	}
}

func TestTFIDF(t *testing.T) {
	file, lines := generated(t, "articles", 40)
	counts, in := map[string]map[string]int{}, map[string]int{}
	for _, l := range lines {
		f := strings.SplitN(l, "\t", 3)
		for _, w := range strings.Fields(f[2]) {
			if counts[w] == nil {
				counts[w] = map[string]int{}
			}
			counts[w][f[0]]++
		}
	}
	n := 0
	for w, docs := range counts {
		in[w] = len(docs)
		n += len(docs)
	}
	got := strings.Split(strings.TrimSpace(everyWay(t, "", "tfidf", file)), "\n")
	require.Len(t, got, n)
	for _, l := range got {
		f := strings.Split(l, "\t")
		require.InDelta(t, float64(counts[f[0]][f[1]])*math.Log(float64(len(lines))/float64(in[f[0]])),
			number(t, f[2]), 1e-6, l)
	}
}

func TestNothingGivesNothing(t *testing.T) {
	for _, app := range []string{"tfidf", "bayes", "wikitrends", "twitter-rank"} {
		in := []string{write(t, "")}
		if app == "twitter-rank" {
			in = append(in, in[0])
		}
		out := filepath.Join(t.TempDir(), "out")
		_, err := run(t, nil, app, append(in, out)...)
		require.NoError(t, err, app)
		require.DirExists(t, out)
		require.Empty(t, parts(t, out), app)
	}
}

func TestBayes(t *testing.T) {
	file, lines := generated(t, "articles", 60)
	want := map[string]float64{}
	for _, l := range lines {
		f := strings.SplitN(l, "\t", 3)
		words, norm := map[string]float64{}, 0.0
		for _, w := range strings.Fields(f[2]) {
			words[w]++
		}
		for w, n := range words {
			words[w] = math.Log(1 + n)
			norm += words[w] * words[w]
		}
		for w, x := range words {
			want[f[1]+","+w] += x / math.Sqrt(norm)
		}
		want[f[1]]++
	}
	got := strings.Split(strings.TrimSpace(everyWay(t, "", "bayes", file)), "\n")
	require.Len(t, got, len(want))
	for _, l := range got {
		k, x, _ := strings.Cut(l, "\t")
		require.InDelta(t, want[k], number(t, x), 1e-6, k)
	}
}

func TestPaperApplicationsRefuse(t *testing.T) {
	taken := t.TempDir()
	for _, app := range []string{"tfidf", "twitter", "twitter-rank"} {
		_, err := run(t, nil, app, "in")
		require.True(t, failure.Is(err, failure.Usage), "%s: %v", app, err)
		_, err = run(t, nil, app, write(t, "x"), taken)
		require.True(t, failure.Is(err, failure.Exists), "%s: %v", app, err)
	}
	bad := write(t, "this is no input of any of them\n")
	for _, app := range []string{"tfidf", "twitter", "twitter-rank", "bayes"} {
		out := filepath.Join(t.TempDir(), "out")
		_, err := run(t, nil, app, bad, out)
		require.ErrorContains(t, err, "this is no input", app)
		left, _ := os.ReadDir(filepath.Dir(out))
		for _, f := range left {
			require.NotContains(t, f.Name(), "_"+app, "what lay in between stayed")
		}
	}
}
