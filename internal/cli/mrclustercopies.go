package cli

import (
	"errors"
	"strings"

	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mrcluster"
)

// copies parses the values of an option, which have the form FROM=TO. Paths cannot contain '='.
func copies(option string, list []string) (out []mrcluster.Copy, err error) {
	for _, text := range list {
		from, to, _ := strings.Cut(text, "=")
		if from == "" || to == "" || strings.Contains(to, "=") {
			return nil, usageError("howdah mrcluster create: --%s %s: want FROM=TO", option, text)
		}
		out = append(out, mrcluster.Copy{From: from, To: to})
	}
	return out, nil
}

// outside returns an error if spec loads data from the MR-cluster's own HDFS or saves data to it.
// That HDFS is empty before loading, and is removed after saving.
func outside(spec *mrcluster.Spec) error {
	if !spec.HDFS {
		return nil
	}
	for _, c := range spec.Load {
		err := notItsOwn(c.From, "the source is the MR-cluster's own HDFS, which is empty at that time")
		if err != nil {
			return err
		}
	}
	for _, c := range spec.Save {
		err := notItsOwn(c.To, "the target is the MR-cluster's own HDFS, which is removed afterward")
		if err != nil {
			return err
		}
	}
	return nil
}

func notItsOwn(name, why string) error {
	p, err := dfs.ParsePath(name)
	if err == nil && (p.Scheme == "" || p.Scheme == "hdfs" && p.Authority == "") {
		err = failure.New(failure.Usage, "create MR-cluster", name,
			errors.New(why)).Fix("use file:/... or hdfs://HOST:PORT/...")
	}
	return err
}
