package cli

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	urfave "github.com/urfave/cli/v2"

	jobclient "github.com/howdah/howdah/client"
	"github.com/howdah/howdah/dfs/schemes"
	"github.com/howdah/howdah/internal/arguments"
	"github.com/howdah/howdah/internal/cli/dfsadmin"
	"github.com/howdah/howdah/internal/cli/fs"
	"github.com/howdah/howdah/job/status"
	"github.com/howdah/howdah/scheduler/catalog"
)

// The completion scripts pass all words up to the cursor to the program, which prints the words
// that can replace the last one, each with an optional tab and description. Bash splits words at
// colons, so its script splits the line itself and removes what precedes the last colon.
const bashCompletion = `# bash completion for howdah: source <(howdah completion bash)
_howdah_complete() {
	local line="${COMP_LINE:0:COMP_POINT}" before
	local -a words
	read -ra words <<< "$line"
	if [[ "$line" == *[[:space:]] ]]; then words+=(""); fi
	local cur="${words[-1]}"
	mapfile -t COMPREPLY < <("${words[@]}" --generate-bash-completion 2>/dev/null | cut -f1)
	before="${cur%"${cur##*:}"}"
	COMPREPLY=("${COMPREPLY[@]#"$before"}")
	if [[ "${COMPREPLY[0]}" == */ ]]; then compopt -o nospace; fi
}
complete -o bashdefault -o default -F _howdah_complete howdah
`

const zshCompletion = `#compdef howdah
# zsh completion for howdah: source <(howdah completion zsh)
_howdah() {
	local -a found
	found=("${(@f)$("${(@)words[1,CURRENT]}" --generate-bash-completion 2>/dev/null)}")
	found=("${(@)${(@)found//:/\\:}/$'\t'/:}")
	if [[ -n "${found[1]}" ]]; then _describe 'howdah' found; else _files; fi
}
if [[ "${funcstack[1]}" == _howdah ]]; then _howdah; else compdef _howdah howdah; fi
`

const fishCompletion = `# fish completion for howdah: howdah completion fish | source
function __howdah_complete
	set -l words (commandline -opc) (commandline -ct)
	$words --generate-bash-completion 2>/dev/null
end
complete -c howdah -a '(__howdah_complete)'
`

func (s *session) completionCommand() *urfave.Command {
	shell := func(name, usage, script string) *urfave.Command {
		return &urfave.Command{Name: name, Usage: usage, Action: func(*urfave.Context) error {
			_, err := io.WriteString(s.out, script)
			return err
		}}
	}
	return &urfave.Command{
		Name: "completion", Usage: "print shell completion code for howdah's commands",
		ArgsUsage: "bash|zsh|fish", HideHelpCommand: true,
		Action: func(*urfave.Context) error { return usageError("use howdah completion bash|zsh|fish") },
		Subcommands: []*urfave.Command{
			shell("bash", "for bash: source <(howdah completion bash)", bashCompletion),
			shell("zsh", "for zsh: source <(howdah completion zsh)", zshCompletion),
			shell("fish", "for fish: howdah completion fish | source", fishCompletion),
		},
	}
}

// completionTime is the time after which a completion gives up on a JobTracker or a file system.
const completionTime = 2 * time.Second

// complete prints the words that can replace the last of words, a command line that a shell wants
// to complete. It prints no errors.
func (s *session) complete(ctx context.Context, words []string) {
	ctx, cancel := context.WithTimeout(ctx, completionTime)
	defer cancel()
	s.err = io.Discard
	last := len(words) - 1
	before := slices.Clone(words[:last])
	for i := 0; i < len(before); i++ { // generic options may also follow the command
		rest, err := s.takeGeneric(before[i:])
		if err != nil {
			return
		}
		before = append(before[:i], rest...)
	}
	arguments.Complete(s.out, s.app().Commands, append(before, words[last]),
		func(command string, args []string, word string) []string { return s.values(ctx, command, args, word) })
}

// values returns the possible values of a command's next argument; see arguments.Values.
func (s *session) values(ctx context.Context, command string, args []string, word string) (list []string) {
	noun := func(at int) bool { return len(args) == at }
	switch verb := strings.TrimPrefix(command, "job "); {
	case command == "run" && noun(0):
		for _, a := range applications() {
			list = append(list, a.Name+"\t"+a.Short)
		}
	case command == "fs":
		return s.pathsLike(ctx, args, word)
	case command == "dfsadmin" && noun(0):
		return dfsadmin.Verbs()
	case slices.Contains(laboratory, command):
		_ = s.startLab(command, append(slices.Clone(args), word, arguments.CompletionFlag)) // it does not return
	case command == "admin setScheduler" && noun(0), command == "jobtracker --scheduler":
		return catalog.Builtin().Names()
	case command == "admin drainTracker" && noun(1):
		return []string{"delayed", "rerun", "immediate", "wait", "off"}
	case command == "admin safemode" && noun(0):
		return []string{"get", "wait"}
	case verb == "set-priority" && noun(1):
		return priorities
	case verb == "set-deadline" && noun(1):
		return []string{status.NoDeadline}
	case verb == "list-attempt-ids" && noun(1):
		return attemptKinds
	case verb == "list-attempt-ids" && noun(2):
		return attemptStates
	default:
		_ = s.withJobs(ctx, func(ctx context.Context, jobs *jobclient.Client) (err error) {
			list, err = liveValues(ctx, jobs, command, args)
			return err
		})
	}
	return list
}

// liveValues returns those values that a JobTracker knows.
func liveValues(ctx context.Context, jobs *jobclient.Client, command string, args []string) (list []string, err error) {
	verb, ofJob := strings.CutPrefix(command, "job ")
	switch {
	case len(args) == 0 && (verb == "kill-task" || verb == "fail-task"):
		running, err := jobs.List(ctx, status.Filter{})
		for _, j := range running {
			list = append(list, attemptsOf(ctx, jobs, j.ID.String(), true)...)
		}
		return list, err
	case verb == "logs" && len(args) == 1:
		return attemptsOf(ctx, jobs, args[0], false), nil
	case len(args) == 0 && (ofJob || command == "doctor"):
		ended := slices.Contains([]string{"status", "counter", "events", "logs", "history", "list-attempt-ids"}, verb)
		all, err := jobs.List(ctx, status.Filter{All: ended})
		for _, j := range all {
			list = append(list, fmt.Sprintf("%s\t%s, %s", j.ID, j.Name, j.State.Shown()))
		}
		return list, err
	case len(args) == 0 && command == "queue info", len(args) == 1 && verb == "move":
		queues, err := jobs.Queues(ctx)
		for _, q := range queues {
			list = append(list, q.Name)
		}
		return list, err
	case len(args) == 0 && command == "admin drainTracker":
		r, err := jobs.Cluster(ctx)
		if err != nil {
			return nil, err
		}
		for _, t := range r.Trackers {
			list = append(list, t.Name)
		}
	}
	return list, nil
}

// attemptsOf returns the IDs of a job's attempts, or only of the running ones.
func attemptsOf(ctx context.Context, jobs *jobclient.Client, id string, running bool) (list []string) {
	j, err := ask(ctx, jobs, id, true)
	if err != nil {
		return nil
	}
	for _, a := range j.Attempts {
		if !running || !a.State.Terminal() {
			list = append(list, a.ID.String()+"\t"+a.State.String())
		}
	}
	return list
}

// pathsLike returns the sub-commands of howdah fs, or the files whose names begin with word. For a
// file on this machine, it returns nothing, because the shell completes those itself.
func (s *session) pathsLike(ctx context.Context, args []string, word string) (list []string) {
	if len(args) == 0 {
		return fs.Verbs()
	}
	verb := strings.TrimPrefix(args[0], "-")
	uploads := verb == "put" || verb == "appendToFile" || strings.HasSuffix(verb, "FromLocal")
	if strings.HasPrefix(word, "-") || uploads && len(args) == 1 {
		return nil
	}
	cfg, err := s.terminalConfig(ctx)
	if err != nil {
		return nil
	}
	files, err := schemes.Resolver(cfg, nil)
	if err != nil {
		return nil
	}
	defer files.Close()
	dir := word[:strings.LastIndexByte(word, '/')+1]
	where := dir
	if where == "" {
		where = "."
	}
	store, name, err := files.Resolve(where)
	if err != nil {
		return nil
	}
	infos, err := store.List(ctx, name)
	if err != nil {
		return nil
	}
	for _, f := range infos {
		entry := dir + f.Name()
		if f.Dir {
			entry += "/"
		}
		list = append(list, entry)
	}
	return list
}
