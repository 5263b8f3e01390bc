package webui

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/status"
	"github.com/howdah/howdah/jobtracker/history/hadoop"
)

// Confs provides the configurations of jobs, without secrets. It must be safe for concurrent use.
type Confs interface {
	// Conf returns the configuration of a job and the path of its file.
	Conf(ctx context.Context, id job.ID) (path string, list []hadoop.Property, err error)
}

// confData is the data for the page with a job's configuration.
type confData struct {
	*status.Job
	Path   string
	Text   string // part of the names or values to show, in any case; "" means all
	Shown  []setting
	Number int // number of all settings
}

// setting is a setting of a job. Default is "" if the key has none.
type setting struct{ Name, Value, Source, Default string }

func confPage(ctx context.Context, confs Confs, j *status.Job, r *http.Request) (*confData, error) {
	path, list, err := confs.Conf(ctx, j.ID)
	if err != nil {
		return nil, err
	}
	d := &confData{Job: j, Path: path, Text: r.FormValue("q"), Number: len(list)}
	text := strings.ToLower(strings.TrimSpace(d.Text))
	for _, p := range list {
		s := setting{Name: p.Name, Value: p.Value}
		if len(p.Source) > 0 {
			s.Source = p.Source[len(p.Source)-1]
		}
		if key := conf.Find(p.Name); key != nil && key.Default != p.Value {
			s.Default = key.Default
		}
		if strings.Contains(strings.ToLower(s.Name+"\n"+s.Value), text) {
			d.Shown = append(d.Shown, s)
		}
	}
	slices.SortFunc(d.Shown, func(a, b setting) int { return cmp.Compare(a.Name, b.Name) })
	return d, nil
}
