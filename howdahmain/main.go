// Package howdahmain is the howdah command as a library. A program of a few lines is a howdah with
// file systems of its own:
//
//	func main() {
//		howdah.WithFileSystem("store", open)
//		howdahmain.Main()
//	}
//
// The program has all of howdah's commands and daemons. To read and write such a file system on a
// cluster, run this program instead of howdah on its hosts.
package howdahmain

import (
	"os"

	"github.com/howdah/howdah"
	"github.com/howdah/howdah/apps"
	"github.com/howdah/howdah/internal/cli"
	"github.com/howdah/howdah/mapreduce/streaming"
	"github.com/howdah/howdah/task/child"
	"github.com/howdah/howdah/task/piped"
)

// Main runs the command in the program's arguments, or a task, and exits.
func Main() {
	// A child parses neither options nor commands. This check comes first, so that the child starts
	// in milliseconds. Other processes need not construct the applications.
	if child.Wanted() || piped.Wanted() {
		code, _ := howdah.Child(append(apps.All(), streaming.App())...)
		os.Exit(code)
	}
	os.Exit(cli.MainAs(os.Args[0], os.Args[1:]))
}
