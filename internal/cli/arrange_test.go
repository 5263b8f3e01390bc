package cli

import (
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	urfave "github.com/urfave/cli/v2"

	"github.com/howdah/howdah/internal/arguments/argumentstest"
	"github.com/howdah/howdah/job/failure"
)

func TestArrange(t *testing.T) {
	for in, want := range map[string]string{
		"job -list":                                                  "job list",
		"job list all":                                               "job list all",
		"job -list all --json":                                       "job list --json all",
		"job --json -status job_1_0001":                              "job status --json job_1_0001",
		"job -status job_1_0001 --json":                              "job status --json job_1_0001",
		"job -jt h:1 -D a=1,2 -kill -D b=2 job_1_0001":               "job kill job_1_0001",
		"-D a=b job -list":                                           "job list",
		"queue --json -info q":                                       "queue info --json q",
		"queue -info q -showJobs":                                    "queue info -showJobs q",
		"run -q wordcount -D a=b in out":                             "run -q wordcount -D a=b in out",
		"run -D a=b --json wordcount --json":                         "run --json wordcount --json",
		"minicluster --dir d --tasktrackers 3 -D a=b -- x -D y=z -q": "minicluster --dir d --tasktrackers 3 -- x -D y=z -q",
		"minicluster --tasktrackers=3":                               "minicluster --tasktrackers=3",
		"doctor job_1_0001 --json":                                   "doctor --json job_1_0001",
		"job -help":                                                  "job --help",
		"":                                                           "",
		"nonsense -x":                                                "nonsense -x",
	} {
		s := &session{}
		got, err := s.arrange(s.app().Commands, strings.Fields(in))
		require.NoError(t, err, in)
		require.Equal(t, want, strings.Join(got, " "), in)
	}
}

func TestArrangeKeepsGenericOptions(t *testing.T) {
	s := &session{}
	_, err := s.arrange(s.app().Commands, strings.Fields("--config dir job -conf a.xml -D x=1,2 -list -Dy=3"))
	require.NoError(t, err)
	require.Equal(t, "dir", s.generic.ConfigDir)
	require.Equal(t, []string{"a.xml"}, s.generic.Files)
	require.Len(t, s.generic.Set, 2)
	require.Equal(t, "1,2", s.generic.Set[0].Value)
	require.Equal(t, "y", s.generic.Set[1].Name)
}

func TestArrangeRefuses(t *testing.T) {
	for in, want := range map[string]string{
		"job -lits":                   "did you mean -list",
		"run --killl-on-interrupt x":  "did you mean --kill-on-interrupt",
		"minicluster --tasktracker 2": "did you mean --tasktrackers",
		"minicluster --dir":           "value is missing",
		"job -D":                      "give a value",
		"mrcluster create a --core":   "howdah mrcluster create --help explains the option",
	} {
		s := &session{}
		_, err := s.arrange(s.app().Commands, strings.Fields(in))
		require.True(t, failure.Is(err, failure.Usage), "%s: %v", in, err)
		require.ErrorContains(t, err, want, in)
	}
}

// The error for a wrong option contains the command's full name and a help command that exists.
func TestUsageErrorsNameTheWholeCommand(t *testing.T) {
	s := &session{}
	for _, c := range s.app().Commands {
		for _, sub := range c.Subcommands {
			name := c.Name + " " + sub.Name
			_, err := s.arrange(s.app().Commands, strings.Fields(name+" --zzz"))
			require.ErrorContains(t, err, "howdah "+name+" has no such option; howdah "+name+" --help lists all")
		}
	}
	code, _, said := call(t, "mrcluster", "create", "a", "--core", "x")
	require.Equal(t, failure.Usage.ExitCode(), code)
	require.Contains(t, said, `howdah mrcluster create: invalid value "x"`)
	code, help, _ := call(t, "mrcluster", "create", "--help")
	require.Zero(t, code)
	require.Contains(t, help, "howdah mrcluster create")
}

func TestExamplesOfHelp(t *testing.T) {
	app := func() *urfave.App { return (&session{out: io.Discard, err: io.Discard}).app() }
	argumentstest.Examples(t, app, "job", "mrcluster create", "run", "distcp", "token ca")
	code, help, _ := call(t, "distcp", "--help")
	require.Zero(t, code)
	require.Contains(t, help, "-update copies only files that differ")
}
