// Package dfsadmin implements `howdah dfsadmin`. It has the commands of `hdfs dfsadmin` that a
// compute cluster needs, with the same messages and exit codes.
package dfsadmin

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/dfs/hdfs/admin"
	"github.com/howdah/howdah/dfs/hdfs/namenode"
)

// exitFailed is the exit code of every failure, Hadoop's -1.
const exitFailed = 255

// shell is one execution of a command.
type shell struct {
	ctx      context.Context
	resolver dfs.Resolver
	c        *admin.Client
	pair     bool // whether the file system has a pair of NameNodes
	out      io.Writer
}

// command is an entry in the table of commands.
type command struct {
	name, usage, help string
	min, max          int // number of arguments
	run               func(s *shell, args []string) error
}

func commands() []command {
	return []command{
		{"report", "[-live] [-dead] [-decommissioning]", "shows the state of the cluster and its DataNodes", 0, 3,
			(*shell).report},
		{"safemode", "<enter | leave | get | wait | forceExit>", "shows or changes safe mode, in which the " +
			"file system is read-only", 1, 1, (*shell).safeMode},
		{"saveNamespace", "", "saves the NameNode's image; requires safe mode", 0, 0, (*shell).saveNamespace},
		{"refreshNodes", "", "reloads dfs.hosts and dfs.hosts.exclude", 0, 0, (*shell).refreshNodes},
		{"printTopology", "", "prints the racks and their DataNodes", 0, 0, (*shell).topology},
		{"setQuota", "<quota> <dirname>...<dirname>", "limits the number of names below a directory", 2, 1 << 30,
			(*shell).setQuota},
		{"clrQuota", "<dirname>...<dirname>", "removes the limit on names", 1, 1 << 30, (*shell).clearQuota},
		{"setSpaceQuota", "<quota> <dirname>...<dirname>", "limits the bytes below a directory, including " +
			"all replicas", 2,
			1 << 30, (*shell).setSpaceQuota},
		{"clrSpaceQuota", "<dirname>...<dirname>", "removes the limit on bytes", 1, 1 << 30, (*shell).clearSpaceQuota},
		{"allowSnapshot", "<snapshotDir>", "allows snapshots of a directory", 1, 1, (*shell).allowSnapshot},
		{"disallowSnapshot", "<snapshotDir>", "forbids snapshots of a directory", 1, 1, (*shell).disallowSnapshot},
	}
}

// Run executes one command and returns the exit code of the process. args contains the command's
// name and arguments ("-safemode", "get").
func Run(ctx context.Context, r dfs.Resolver, args []string, stdout, stderr io.Writer) int {
	s := &shell{ctx: ctx, resolver: r, out: stdout}
	if len(args) == 0 {
		fmt.Fprint(stderr, Usage())
		return exitFailed
	}
	name := strings.TrimPrefix(args[0], "-")
	if name == "help" && len(args) == 1 {
		fmt.Fprint(stdout, Usage())
		return 0
	}
	help := name == "help"
	if help {
		name = strings.TrimPrefix(args[1], "-")
	}
	i := slices.IndexFunc(commands(), func(c command) bool { return c.name == name })
	if i < 0 {
		fmt.Fprintf(stderr, "%s: Unknown command\n%s", name, Usage())
		return exitFailed
	}
	c := commands()[i]
	usage := fmt.Sprintf("Usage: hdfs dfsadmin [-%s %s]\n", c.name, c.usage)
	if help {
		fmt.Fprintf(stdout, "%s%s\n", usage, c.help)
		return 0
	}
	if n := len(args) - 1; n < c.min || n > c.max {
		fmt.Fprint(stderr, usage)
		return exitFailed
	}
	err := s.connect()
	if err == nil {
		err = c.run(s, args[1:])
	}
	if err != nil {
		fmt.Fprintf(stderr, "%s: %s\n", name, words(err))
		return exitFailed
	}
	return 0
}

// Verbs returns the names of all commands, with their dashes.
func Verbs() (names []string) {
	for _, c := range commands() {
		names = append(names, "-"+c.name)
	}
	return names
}

// Usage returns the list of commands.
func Usage() string {
	var b strings.Builder
	b.WriteString("Usage: hdfs dfsadmin\n")
	for _, c := range commands() {
		fmt.Fprintf(&b, "\t%-58s %s\n", "["+c.line()+"]", c.help)
	}
	return b.String()
}

func (c *command) line() string { return strings.TrimSpace("-" + c.name + " " + c.usage) }

// Lines returns the commands with their arguments, such as "-setQuota <quota>
// <dirname>...<dirname>".
func Lines() (lines []string) {
	for _, c := range commands() {
		lines = append(lines, c.line())
	}
	return lines
}

// words returns the NameNode's own message if the NameNode rejected the call, and err's message
// otherwise.
func words(err error) string {
	var r interface{ Refusal() string }
	if errors.As(err, &r) && r.Refusal() != "" {
		return r.Refusal()
	}
	return err.Error()
}

// connect connects to the NameNode of the default file system.
func (s *shell) connect() error {
	fs, _, err := s.resolver.Resolve("/")
	if err != nil {
		return err
	}
	h, ok := fs.(interface{ NameNode() *namenode.Client })
	if !ok {
		return fmt.Errorf("FileSystem %s/ is not an HDFS file system; set fs.defaultFS or use -fs hdfs://host:port",
			fs.URI())
	}
	s.c, s.pair = admin.New(h.NameNode()), len(h.NameNode().Addrs()) > 1
	return nil
}

func (s *shell) printf(format string, args ...any) { fmt.Fprintf(s.out, format, args...) }

// safeModePause is the time that -safemode wait waits between two checks.
const safeModePause = time.Second

func (s *shell) safeMode(args []string) error {
	action, ok := map[string]admin.SafeMode{"enter": admin.EnterSafeMode, "leave": admin.LeaveSafeMode,
		"get":  admin.GetSafeMode,
		"wait": admin.GetSafeMode, "forceExit": admin.ForceExitSafeMode}[args[0]]
	if !ok {
		return fmt.Errorf("unknown action %s: want enter, leave, get, wait or forceExit", args[0])
	}
	return s.each(func(c *admin.Client, where string) error {
		on, err := c.SafeMode(s.ctx, action)
		for ; err == nil && on && args[0] == "wait"; on, err = c.SafeMode(s.ctx, action) {
			select {
			case <-time.After(safeModePause):
			case <-s.ctx.Done():
				return s.ctx.Err()
			}
		}
		if err != nil {
			return err
		}
		state := "OFF"
		if on {
			state = "ON"
		}
		if where != "" {
			state += " in " + where
		}
		s.printf("Safe mode is %s\n", state)
		return nil
	})
}

// each calls do for each NameNode. For a pair of NameNodes, it passes the NameNode's address in
// Java's notation, "host/ip:port", as where. Otherwise, where is empty.
func (s *shell) each(do func(c *admin.Client, where string) error) error {
	if !s.pair {
		return do(s.c, "")
	}
	return s.c.Each(func(addr string, one *admin.Client) error { return do(one, s.place(addr)) })
}

func (s *shell) place(addr string) string {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return addr
	}
	ip := host
	if net.ParseIP(host) == nil {
		if ips, err := net.DefaultResolver.LookupHost(s.ctx, host); err == nil && len(ips) > 0 {
			ip = ips[0]
		}
	} else if names, err := net.DefaultResolver.LookupAddr(s.ctx, host); err == nil && len(names) > 0 {
		host = strings.TrimSuffix(names[0], ".")
	}
	return host + "/" + net.JoinHostPort(ip, port)
}

func (s *shell) saveNamespace([]string) error {
	return s.each(func(c *admin.Client, where string) error {
		return s.tell("Save namespace successful", where, c.SaveNamespace(s.ctx))
	})
}

func (s *shell) refreshNodes([]string) error {
	return s.each(func(c *admin.Client, where string) error {
		return s.tell("Refresh nodes successful", where, c.RefreshNodes(s.ctx))
	})
}

// tell returns err, the result of an operation. If err is nil, it first prints done, followed by
// the NameNode's address in where unless that is empty.
func (s *shell) tell(done, where string, err error) error {
	if where != "" {
		done += " for " + where
	}
	if err == nil {
		s.printf("%s\n", done)
	}
	return err
}

func (s *shell) allowSnapshot(args []string) error {
	return s.snapshots(args[0], true, "Allowing snapshot on %s succeeded\n")
}

func (s *shell) disallowSnapshot(args []string) error {
	return s.snapshots(args[0], false, "Disallowing snapshot on %s succeeded\n")
}

func (s *shell) snapshots(arg string, allow bool, done string) error {
	_, dir, err := s.resolver.Resolve(arg)
	if err == nil {
		err = s.c.AllowSnapshots(s.ctx, dir, allow)
	}
	if err == nil {
		s.printf(done, arg)
	}
	return err
}
