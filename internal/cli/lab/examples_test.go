package lab

import (
	"io"
	"testing"

	urfave "github.com/urfave/cli/v2"

	"github.com/howdah/howdah/internal/arguments/argumentstest"
)

func TestExamplesOfHelp(t *testing.T) {
	app := func() *urfave.App { return (&session{out: io.Discard, err: io.Discard}).app() }
	argumentstest.Examples(t, app, "sim run", "experiment run", "scenario run", "scenario suite")
}
