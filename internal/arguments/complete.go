package arguments

import (
	"fmt"
	"io"
	"strings"

	urfave "github.com/urfave/cli/v2"
)

// Values returns the possible values of an argument. command is the command, such as "job status",
// or a command and its option, such as "jobtracker --scheduler". args are the arguments that
// precede the value, without options. word is the start of the value.
type Values func(command string, args []string, word string) []string

// Completes reports whether a shell wants to complete a command line.
func Completes(args []string) bool { return len(args) > 1 && args[len(args)-1] == CompletionFlag }

// Complete prints the words that can replace the last of words, one a line. words is a command line
// without generic options. A word that describes itself is followed by a tab and its description.
func Complete(w io.Writer, cmds []*urfave.Command, words []string, values Values) {
	last := len(words) - 1
	word, before := words[last], words[:last]
	if len(before) == 0 {
		offer(w, word, commandsLike(cmds, ""))
		return
	}
	cmd := Find(cmds, before[0])
	if cmd == nil {
		return
	}
	path, rest := cmd.Name, before[1:]
	if len(cmd.Subcommands) > 0 {
		i := 0
		for i < len(rest) && flagOf(cmd, rest[i], true) != nil {
			i++
		}
		if i == len(rest) {
			offerVerbs(w, cmd, word)
			return
		}
		if cmd = subcommand(cmd, rest[i]); cmd == nil {
			return
		}
		path, rest = path+" "+cmd.Name, rest[i+1:]
	}
	var args []string
	for i := 0; i < len(rest); i++ {
		f := flagOf(cmd, rest[i], false)
		switch {
		case f == nil:
			args = append(args, rest[i])
		case !isBool(f) && !strings.Contains(rest[i], "=") && i == len(rest)-1:
			offer(w, word, values(path+" --"+f.Names()[0], nil, word))
			return
		case !isBool(f) && !strings.Contains(rest[i], "="):
			i++
		}
	}
	if strings.HasPrefix(word, "-") && !cmd.SkipFlagParsing {
		offer(w, word, flagsLike(cmd))
		return
	}
	offer(w, word, values(path, args, word))
}

// offerVerbs prints the sub-commands of cmd, in Hadoop's spelling if word begins with a dash, or
// the options of the sub-commands if word begins with two.
func offerVerbs(w io.Writer, cmd *urfave.Command, word string) {
	switch {
	case strings.HasPrefix(word, "--"):
		seen := map[string]bool{}
		for _, sub := range cmd.Subcommands {
			for _, f := range flagsLike(sub) {
				if !seen[f] {
					offer(w, word, []string{f})
				}
				seen[f] = true
			}
		}
	case strings.HasPrefix(word, "-"):
		offer(w, word, commandsLike(cmd.Subcommands, "-"))
	default:
		offer(w, word, commandsLike(cmd.Subcommands, ""))
	}
}

func commandsLike(cmds []*urfave.Command, dash string) (words []string) {
	for _, c := range cmds {
		words = append(words, dash+c.Name+"\t"+c.Usage)
	}
	return words
}

func flagsLike(cmd *urfave.Command) (words []string) {
	for _, f := range cmd.Flags {
		usage := ""
		if d, ok := f.(urfave.DocGenerationFlag); ok {
			usage = strings.ReplaceAll(d.GetUsage(), "`", "")
		}
		words = append(words, "--"+f.Names()[0]+"\t"+usage)
	}
	return words
}

// offer prints those words that begin with start.
func offer(w io.Writer, start string, words []string) {
	for _, x := range words {
		if strings.HasPrefix(x, start) {
			fmt.Fprintln(w, x)
		}
	}
}
