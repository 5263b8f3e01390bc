// Command howdah is the whole runtime in one binary. It contains the daemons, the client commands,
// the bundled applications, and the child processes in which TaskTrackers run tasks.
package main

import (
	"os"

	"github.com/howdah/howdah"
	"github.com/howdah/howdah/apps"
	"github.com/howdah/howdah/internal/cli"
	"github.com/howdah/howdah/mapreduce/streaming"
	"github.com/howdah/howdah/task/child"
	"github.com/howdah/howdah/task/piped"
)

func main() {
	// A child parses neither options nor commands. This check comes first, so that the child starts
	// in milliseconds. Other processes need not construct the applications.
	if child.Wanted() || piped.Wanted() {
		code, _ := howdah.Child(append(apps.All(), streaming.App())...)
		os.Exit(code)
	}
	os.Exit(cli.MainAs(os.Args[0], os.Args[1:]))
}
