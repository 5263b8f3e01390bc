package cli

import (
	"fmt"
	"io"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/howdah/howdah/internal/arguments"
)

// The completion scripts for bash and zsh call the program, which lists commands and options if the
// last argument is --generate-bash-completion.
const bashCompletion = `# bash completion for howdah: source <(howdah completion bash)
_howdah_complete() {
	local cur="${COMP_WORDS[COMP_CWORD]}"
	local -a words=("${COMP_WORDS[@]:0:COMP_CWORD}")
	if [[ "$cur" == -* ]]; then words+=("$cur"); fi
	COMPREPLY=($(compgen -W "$("${words[@]}" --generate-bash-completion 2>/dev/null | cut -d: -f1)" -- "$cur"))
}
complete -o bashdefault -o default -F _howdah_complete howdah
`

const zshCompletion = `#compdef howdah
# zsh completion for howdah: source <(howdah completion zsh)
_howdah() {
	local cur="${words[CURRENT]}"
	local -a call=("${words[@]:0:$((CURRENT-1))}") found
	if [[ "$cur" == -* ]]; then call+=("$cur"); fi
	found=("${(@f)$("${call[@]}" --generate-bash-completion 2>/dev/null)}")
	if [[ -n "${found[1]}" ]]; then _describe 'howdah' found; else _files; fi
}
compdef _howdah howdah
`

func (s *session) completionCommand() *urfave.Command {
	print := func(text func(*urfave.Context) (string, error)) urfave.ActionFunc {
		return func(c *urfave.Context) error {
			t, err := text(c)
			if err != nil {
				return err
			}
			_, err = io.WriteString(s.out, t)
			return err
		}
	}
	constant := func(t string) func(*urfave.Context) (string, error) {
		return func(*urfave.Context) (string, error) { return t, nil }
	}
	return &urfave.Command{
		Name: "completion", Usage: "print shell completion code for howdah's commands",
		ArgsUsage: "bash|zsh|fish", HideHelpCommand: true,
		Action: func(*urfave.Context) error { return usageError("use howdah completion bash|zsh|fish") },
		Subcommands: []*urfave.Command{
			{Name: "bash", Usage: "for bash: source <(howdah completion bash)", Action: print(constant(bashCompletion))},
			{Name: "zsh", Usage: "for zsh: source <(howdah completion zsh)", Action: print(constant(zshCompletion))},
			{Name: "fish", Usage: "for fish: howdah completion fish | source",
				Action: print(func(c *urfave.Context) (string, error) { return c.App.ToFishCompletion() })},
		},
	}
}

// completeDashes completes a sub-command in Hadoop's spelling, such as "job -li", because
// urfave/cli completes only plain words. It returns false if args do not ask for such a completion.
func (s *session) completeDashes(cmds []*urfave.Command, args []string) bool {
	if len(args) != 3 || args[2] != arguments.CompletionFlag || !strings.HasPrefix(args[1], "-") ||
		strings.HasPrefix(args[1], "--") {
		return false
	}
	cmd := arguments.Find(cmds, args[0])
	if cmd == nil || len(cmd.Subcommands) == 0 {
		return false
	}
	for _, n := range arguments.Names(cmd.Subcommands, "-") {
		if strings.HasPrefix(n, args[1]) {
			fmt.Fprintln(s.out, n)
		}
	}
	return true
}
