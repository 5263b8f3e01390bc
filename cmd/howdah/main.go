// Command howdah is the whole runtime in one binary: the daemons, the clients' commands, the bundled applications, and the
// child process that a TaskTracker starts for each task.
package main

import (
	"os"

	"github.com/howdah/howdah"
	"github.com/howdah/howdah/apps"
	"github.com/howdah/howdah/cli"
	"github.com/howdah/howdah/streaming"
)

func main() {
	// A child knows neither options nor commands: it starts in milliseconds because nothing else does first.
	if code, ok := howdah.Child(append(apps.All(), streaming.App())...); ok {
		os.Exit(code)
	}
	os.Exit(cli.MainAs(os.Args[0], os.Args[1:]))
}
