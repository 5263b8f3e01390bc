package serve

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/factlog"
	"github.com/howdah/howdah/internal/plural"
	"github.com/howdah/howdah/job/failure"
	jtjournal "github.com/howdah/howdah/jobtracker/daemon/journal"
	mrjournal "github.com/howdah/howdah/mrcluster/journal"
)

// RepairJobTracker writes to out whether the JobTracker's journal in dir is damaged, and what would
// be lost if the journal were cut at the damage. If cut is set, it also cuts the journal there.
// Otherwise, it changes nothing, and returns an error of kind Corrupt if the journal is damaged.
func RepairJobTracker(dir string, cut bool, out io.Writer) error {
	look := jtjournal.Examine
	if cut {
		look = jtjournal.Cut
	}
	d, err := look(dir)
	return repair(dir, "job", d, err, cut, out)
}

// RepairManager is like RepairJobTracker, but for the journal of a manager of MR-clusters.
func RepairManager(dir string, cut bool, out io.Writer) error {
	look := mrjournal.Examine
	if cut {
		look = func(dir string) (*factlog.Damage, error) { return mrjournal.Cut(dir, conf.MRClusterManagerDir.Name) }
	}
	d, err := look(dir)
	return repair(dir, "object", d, err, cut, out)
}

func repair(dir, noun string, d *factlog.Damage, err error, cut bool, out io.Writer) error {
	if d == nil {
		if err == nil {
			fmt.Fprintf(out, "the journal in %s is not damaged\n", dir)
		}
		return err
	}
	fmt.Fprintf(out, "journal        %s\n", d.File)
	fmt.Fprintf(out, "damage         %v\n", d.Reason)
	fmt.Fprintf(out, "before it      %s, until %s\n", plural.Of(d.Facts, "fact"),
		time.UnixMilli(d.Time).Format(time.RFC3339))
	fmt.Fprintf(out, "from there on  %s with readable facts about %s\n", plural.Of(d.Bytes, "byte"),
		plural.Of(len(d.Lost), noun))
	for _, l := range d.Lost {
		fmt.Fprintf(out, "  %s  %s\n", l.Name, strings.Join(append([]string{plural.Of(l.Facts, "fact")}, l.Notes...), ", "))
	}
	if err != nil {
		return err
	}
	if !cut {
		return failure.New(failure.Corrupt, "start with journal", d.File, errors.New("it is damaged")).
			Fix("restore the file from a copy; if there is none, add --cut, which keeps the facts before the damage " +
				"and moves the rest to another file")
	}
	fmt.Fprintf(out, "cut            the rest is now in %s\n", d.Kept)
	return nil
}
