// Package apps lists the applications that are part of the binary. Start with All.
package apps

import (
	"github.com/howdah/howdah/apps/aggregatewords"
	"github.com/howdah/howdah/apps/bayes"
	"github.com/howdah/howdah/apps/bbp"
	"github.com/howdah/howdah/apps/btworld"
	"github.com/howdah/howdah/apps/datagen"
	"github.com/howdah/howdah/apps/dfsio"
	"github.com/howdah/howdah/apps/distcp"
	"github.com/howdah/howdah/apps/grep"
	"github.com/howdah/howdah/apps/join"
	"github.com/howdah/howdah/apps/kmeans"
	"github.com/howdah/howdah/apps/loadgen"
	"github.com/howdah/howdah/apps/mrbench"
	"github.com/howdah/howdah/apps/multifilewc"
	"github.com/howdah/howdah/apps/pagerank"
	"github.com/howdah/howdah/apps/pentomino"
	"github.com/howdah/howdah/apps/pi"
	"github.com/howdah/howdah/apps/randomtext"
	"github.com/howdah/howdah/apps/randomwriter"
	"github.com/howdah/howdah/apps/secondarysort"
	"github.com/howdah/howdah/apps/sleep"
	"github.com/howdah/howdah/apps/sort"
	"github.com/howdah/howdah/apps/sortvalidator"
	"github.com/howdah/howdah/apps/sudoku"
	"github.com/howdah/howdah/apps/tera"
	"github.com/howdah/howdah/apps/tfidf"
	"github.com/howdah/howdah/apps/twitter"
	"github.com/howdah/howdah/apps/wikitrends"
	"github.com/howdah/howdah/apps/wordcount"
	"github.com/howdah/howdah/apps/wordlength"
	"github.com/howdah/howdah/mapreduce"
)

// All returns the applications in the order in which howdah lists them.
func All() []mapreduce.Program {
	return []mapreduce.Program{
		aggregatewords.Count(),
		aggregatewords.Histogram(),
		bayes.Job(),
		bbp.App(),
		btworld.App(),
		btworld.ActiveHashes(),
		btworld.Generate(),
		btworld.TrackerOverTime(),
		datagen.App(),
		dfsio.App(),
		bbp.Dist(),
		distcp.App(),
		grep.App(),
		join.App(),
		kmeans.App(),
		loadgen.App(),
		mrbench.App(),
		multifilewc.Job(),
		pagerank.App(),
		pentomino.App(),
		pi.App(),
		randomtext.App(),
		randomwriter.App(),
		secondarysort.Job(),
		sleep.App(),
		sort.App(),
		sudoku.App(),
		tera.Gen(),
		tera.Sort(),
		tera.Validate(),
		sortvalidator.App(),
		tfidf.App(),
		twitter.Links(),
		twitter.Rank(),
		wikitrends.Job(),
		wordcount.Job(),
		wordlength.Mean(),
		wordlength.Median(),
		wordlength.StandardDeviation(),
	}
}
