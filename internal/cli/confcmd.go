package cli

import (
	"fmt"
	"slices"
	"text/tabwriter"

	urfave "github.com/urfave/cli/v2"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/arguments"
	"github.com/howdah/howdah/internal/redact"
	"github.com/howdah/howdah/job/failure"
)

// confCommand returns the command that prints the configuration of this machine's commands and
// daemons.
func (s *session) confCommand() *urfave.Command {
	return &urfave.Command{
		Name: "conf", Usage: "print the configuration that is in effect, and where each value comes from",
		ArgsUsage: "[KEY...]", HideHelpCommand: true,
		Description: "Values of secrets are hidden. An example:\n" +
			"howdah conf -D mapreduce.job.reduces=4 mapreduce.job.reduces",
		Flags: []urfave.Flag{arguments.JSONFlag(),
			&urfave.BoolFlag{Name: "changed", Usage: "leave out keys that have their built-in defaults"},
			&urfave.BoolFlag{Name: "xml", Usage: "print a configuration file"}},
		Action: s.conf,
	}
}

// settingObject is a setting in the output of --json.
type settingObject struct {
	Name   string `json:"name"`
	Value  string `json:"value"`
	Source string `json:"source"`
}

func (s *session) conf(c *urfave.Context) error {
	if c.Bool("xml") && (c.Bool("json") || c.Args().Present()) {
		return usageError("--xml excludes --json and KEY")
	}
	cfg, err := s.config()
	if err != nil {
		return err
	}
	mask, err := redact.New(cfg)
	if err != nil {
		return err
	}
	shown := cfg.Properties(c.Bool("changed"))
	for i, p := range shown {
		shown[i].Value = mask.Value(p.Name, p.Value)
	}
	if c.Bool("xml") {
		out := conf.New()
		for _, p := range shown {
			out.Set(p.Name, p.Value, p.Source)
		}
		return out.WriteXML(s.out, true)
	}
	if shown, err = chosenSettings(shown, c.Args().Slice()); err != nil {
		return err
	}
	objects := []settingObject{}
	for _, p := range shown {
		objects = append(objects, settingObject(p))
	}
	return s.show(c, objects, func() error {
		w := tabwriter.NewWriter(s.out, 0, 8, 2, ' ', 0)
		fmt.Fprintln(w, "KEY\tVALUE\tSOURCE")
		for _, o := range objects {
			fmt.Fprintf(w, "%s\t%s\t%s\n", o.Name, oneLine(o.Value), o.Source)
		}
		return w.Flush()
	})
}

// chosenSettings returns the settings with the given keys, or all without keys. A key that has no
// value is an error of kind NotFound.
func chosenSettings(all []conf.Property, keys []string) (out []conf.Property, err error) {
	if len(keys) == 0 {
		return all, nil
	}
	for _, key := range keys {
		key = conf.Canonical(key)
		i := slices.IndexFunc(all, func(p conf.Property) bool { return p.Name == key })
		if i < 0 {
			return nil, failure.New(failure.NotFound, "find the value of", key, nil).Fix("howdah conf lists all keys that " +
				"have a value")
		}
		out = append(out, all[i])
	}
	return out, nil
}
