// Package registered contains the registration of each experiment, in the file ID.yaml.
package registered

import (
	"embed"

	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/job/failure"
)

//go:embed *.yaml
var files embed.FS

// Of returns the registration of the experiment with the given ID. It returns an error of kind
// NotFound if there is none, and an error of kind Corrupt if it is invalid.
func Of(id string) (*lab.Registration, error) {
	document, err := files.ReadFile(id + ".yaml")
	if err != nil {
		return nil, failure.New(failure.NotFound, "read registration", id, err)
	}
	return lab.ParseRegistration(id, document)
}
