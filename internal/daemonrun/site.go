package daemonrun

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
)

// WriteSite writes the settings to mapred-site.xml in dir. It creates dir if necessary.
func WriteSite(dir string, settings []conf.Property) error {
	c := conf.New()
	for _, p := range settings {
		c.Set(p.Name, p.Value, "site")
	}
	err := os.MkdirAll(dir, 0o755)
	if err == nil {
		err = write(filepath.Join(dir, "mapred-site.xml"), c)
	}
	if err != nil {
		return failure.New(failure.KindOf(err), "write configuration", dir, err)
	}
	return nil
}

func write(file string, c *conf.Config) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	return errors.Join(c.WriteXML(f, true), f.Close())
}
