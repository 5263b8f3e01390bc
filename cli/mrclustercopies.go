package cli

import (
	"errors"
	"strings"

	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mrcluster"
)

// copies reads FROM=TO; a '=' within a path cannot be written.
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

// outside refuses what an HDFS of its own makes senseless: it is empty before it is loaded, and gone after it was saved.
func outside(spec *mrcluster.Spec) error {
	if !spec.HDFS {
		return nil
	}
	for _, c := range spec.Load {
		if err := notItsOwn(c.From, "it is to be loaded from the HDFS of the MR-cluster, which is empty by then"); err != nil {
			return err
		}
	}
	for _, c := range spec.Save {
		if err := notItsOwn(c.To, "it is to be saved on the HDFS of the MR-cluster, which is removed after that"); err != nil {
			return err
		}
	}
	return nil
}

func notItsOwn(name, why string) error {
	p, err := dfs.ParsePath(name)
	if err == nil && (p.Scheme == "" || p.Scheme == "hdfs" && p.Authority == "") {
		err = failure.New(failure.Usage, "create MR-cluster", name, errors.New(why)).Fix("say where else: file:/... or hdfs://HOST:PORT/...")
	}
	return err
}
