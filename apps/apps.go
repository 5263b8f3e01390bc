// Package apps lists the applications that come with the binary.
package apps

import (
	"github.com/howdah/howdah/apps/grep"
	"github.com/howdah/howdah/apps/kmeans"
	"github.com/howdah/howdah/apps/pagerank"
	"github.com/howdah/howdah/apps/pi"
	"github.com/howdah/howdah/apps/randomtext"
	"github.com/howdah/howdah/apps/secondarysort"
	"github.com/howdah/howdah/apps/sleep"
	"github.com/howdah/howdah/apps/sort"
	"github.com/howdah/howdah/apps/tera"
	"github.com/howdah/howdah/apps/wordcount"
	"github.com/howdah/howdah/mapreduce"
)

// All gives the applications in the order in which they are listed.
func All() []mapreduce.Program {
	return []mapreduce.Program{
		grep.App(),
		kmeans.App(),
		pagerank.App(),
		pi.App(),
		randomtext.App(),
		secondarysort.Job(),
		sleep.App(),
		sort.App(),
		tera.Gen(),
		tera.Sort(),
		tera.Validate(),
		wordcount.Job(),
	}
}
