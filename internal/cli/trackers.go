package cli

import (
	"fmt"

	urfave "github.com/urfave/cli/v2"

	jobclient "github.com/howdah/howdah/client"
	"github.com/howdah/howdah/internal/jsonout"
)

func (s *session) trackers(blacklisted bool) jobVerb {
	return func(c *urfave.Context, jobs *jobclient.Client) error {
		r, err := jobs.Cluster(c.Context)
		if err != nil {
			return err
		}
		out := []jsonout.Tracker{}
		for _, t := range r.Trackers {
			if t.Blacklisted == blacklisted {
				out = append(out, jsonout.OfTracker(t))
			}
		}
		return s.show(c, out, func() error {
			for _, t := range r.Trackers {
				switch {
				case t.Blacklisted != blacklisted:
				case blacklisted:
					fmt.Fprintf(s.out, "%s\t%s\n", t.Name, t.Why)
				case t.Drain != nil:
					fmt.Fprintf(s.out, "%s\t%s\n", t.Name, drainText(t.Drain))
				default:
					fmt.Fprintln(s.out, t.Name)
				}
			}
			return nil
		})
	}
}
