// Command howdah is the whole runtime in one binary. It contains the daemons, the client commands,
// the bundled applications, and the child processes in which TaskTrackers run tasks.
package main

import "github.com/howdah/howdah/howdahmain"

func main() { howdahmain.Main() }
