//go:build integration

package fsshell

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// generator generates random commands on a few names, so that commands often use the same files.
type generator struct{ *rand.Rand }

func (g generator) one(all ...string) string { return all[g.IntN(len(all))] }

// path returns a random HDFS path. A few of the paths are unusual.
func (g generator) path() string {
	name := g.one("a", "b", "c", "d", "e")
	switch g.IntN(10) {
	case 0:
		return "$D"
	case 1:
		return "$D/" + g.one("*", "?", "[ab]", "[^a]", "{a,b}", "{a,c/*}", "*/*", "a*", "nothing*", `\a`, "{a,b}/{c,d}")
	case 2, 3, 4:
		return "$D/" + name + "/" + g.one("a", "b", "x")
	case 5:
		return "$URI$D/" + name
	}
	return "$D/" + name
}

func (g generator) paths() string {
	var all []string
	for range 1 + g.IntN(2) {
		all = append(all, g.path())
	}
	return strings.Join(all, " ")
}

func (g generator) local() string {
	return "$L/" + g.one("a", "none", "long", "tree", "tree/x", "nosuch")
}

// flags returns a random selection of the letters, each as an option.
func (g generator) flags(letters string) string {
	var b strings.Builder
	for _, l := range letters {
		if g.IntN(4) == 0 {
			fmt.Fprintf(&b, "-%c ", l)
		}
	}
	return b.String()
}

// command returns a random command. Most commands change files.
func (g generator) command() string {
	switch g.IntN(22) {
	case 0, 1, 2:
		return "-put " + g.flags("fp") + g.local() + " " + g.path()
	case 3, 4:
		return "-mkdir " + g.flags("p") + g.paths()
	case 5, 6:
		return "-cp " + g.flags("fpd") + g.paths() + " " + g.path()
	case 7, 8:
		return "-mv " + g.paths() + " " + g.path()
	case 9:
		return "-rm " + g.flags("rf") + g.paths()
	case 10:
		return "-rmdir " + g.paths()
	case 11:
		return "-touchz " + g.paths()
	case 12:
		return "-chmod " + g.flags("R") + g.one("644", "u+x", "go-rwx", "1755", "a=r", "o+t", "+w",
			"u=rwx,g=rX") + " " + g.path()
	case 13:
		return "-appendToFile $L/a " + g.path()
	case 14:
		return "-setrep " + g.one("1", "2", "0") + " " + g.path()
	case 15:
		return "-test -" + g.one("d", "e", "f", "s", "z", "r", "w") + " " + g.path()
	case 16:
		return "-" + g.one("cat", "text", "checksum", "head", "tail") + " " + g.path()
	case 17:
		return "-du " + g.flags("shvx") + g.paths()
	case 18:
		return "-count " + g.flags("qhvxues") + g.paths()
	case 19:
		return "-stat %n,%b,%F,%a,%A,%r,%u,%g " + g.paths()
	case 20:
		return "-find " + g.path() + g.one("", " -name a", " -name [ab]*", " -iname A -print0")
	}
	return "-ls " + g.flags("RdhSCrqe") + g.paths()
}
