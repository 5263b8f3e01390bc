package cli

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"

	urfave "github.com/urfave/cli/v2"

	jobclient "github.com/howdah/howdah/client"
	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/arguments"
	"github.com/howdah/howdah/job/failure"
)

// nameNode is a NameNode and the address of its web pages.
type nameNode struct {
	name string // in dfs.ha.namenodes; "" without HA
	rpc  string // host:port
	web  string // host:port
}

// nameNodesOf returns the NameNodes of the default file system.
func nameNodesOf(c *conf.Config) ([]nameNode, error) {
	u, err := url.Parse(conf.FSDefaultFS.Get(c))
	if err != nil || u.Scheme != "hdfs" {
		return nil, failure.New(failure.Config, "find the NameNode of", conf.FSDefaultFS.Get(c),
			errors.New("the default file system is not an HDFS")).Fix("set fs.defaultFS, or use -fs hdfs://host:port")
	}
	all := []nameNode{{"", u.Host, conf.DFSNameNodeHTTPAddress.Get(c)}}
	if names := conf.DFSHANameNodes.Suffix(u.Host).Get(c); len(names) > 0 {
		all = nil
		for _, name := range names {
			suffix := u.Host + "." + name
			all = append(all, nameNode{name, conf.DFSNameNodeRPCAddress.Suffix(suffix).Get(c),
				cmp.Or(conf.DFSNameNodeHTTPAddress.Suffix(suffix).Get(c), conf.DFSNameNodeHTTPAddress.Get(c))})
		}
	}
	for i := range all {
		host, port, err := net.SplitHostPort(all[i].web)
		if err != nil {
			return nil, failure.New(failure.Config, "read", conf.DFSNameNodeHTTPAddress.Name, err)
		}
		if host == "" || host == "0.0.0.0" {
			host, _, _ = strings.Cut(all[i].rpc, ":")
			all[i].web = net.JoinHostPort(host, port)
		}
	}
	return all, nil
}

// get sends a request to a NameNode's web server. The caller must close the response's body.
func (n *nameNode) get(ctx context.Context, path string, query url.Values) (*http.Response, error) {
	const op = "ask NameNode"
	u := url.URL{Scheme: "http", Host: n.web, Path: path, RawQuery: query.Encode()}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, failure.New(failure.Config, op, n.web, err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, failure.New(failure.Unreachable, op, n.web, err).Fix("check " + conf.DFSNameNodeHTTPAddress.Name)
	}
	if resp.StatusCode == http.StatusOK {
		return resp, nil
	}
	resp.Body.Close()
	e := failure.New(failure.IO, op, n.web, errors.New(resp.Status))
	if resp.StatusCode == http.StatusUnauthorized || resp.StatusCode == http.StatusForbidden {
		e = failure.New(failure.Permission, op, n.web, errors.New(resp.Status)).
			Fix("howdah does not authenticate to the NameNode's web server; use Apache Hadoop's hdfs command")
	}
	return nil, e
}

// state returns the state of a NameNode: active or standby, or observer.
func (n *nameNode) state(ctx context.Context) (string, error) {
	resp, err := n.get(ctx, "/jmx", url.Values{"qry": {"Hadoop:service=NameNode,name=NameNodeStatus"}})
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	var answer struct {
		Beans []struct{ State string }
	}
	err = json.NewDecoder(resp.Body).Decode(&answer)
	if err == nil && (len(answer.Beans) != 1 || answer.Beans[0].State == "") {
		err = errors.New("the answer has no state")
	}
	if err != nil {
		return "", failure.New(failure.Corrupt, "read state of NameNode", n.web, err)
	}
	return answer.Beans[0].State, nil
}

// haAdminCommand returns those commands of `hdfs haadmin` that change nothing.
func (s *session) haAdminCommand() *urfave.Command {
	const others = "howdah only shows states; to change them, use Apache Hadoop's hdfs haadmin"
	return &urfave.Command{
		Name: "haadmin", Usage: "show which NameNode of an HDFS is active", HideHelpCommand: true,
		Description: others + ". A JobTracker has no standby: it restarts from its journal.",
		Action: func(*urfave.Context) error {
			return usageError("use -getServiceState or -getAllServiceState; " + others)
		},
		Subcommands: []*urfave.Command{
			{Name: "getServiceState", Usage: "print the state of one NameNode", ArgsUsage: "NAME", HideHelpCommand: true,
				Action: taking(1, func(c *urfave.Context) error { return s.nameNodeStates(c.Context, c.Args().First()) })},
			{Name: "getAllServiceState", Usage: "print the states of all NameNodes", HideHelpCommand: true,
				Action: taking(0, func(c *urfave.Context) error { return s.nameNodeStates(c.Context, "") })},
		},
	}
}

// nameNodeStates prints the state of the named NameNode, or of all NameNodes if only is "".
func (s *session) nameNodeStates(ctx context.Context, only string) error {
	cfg, err := s.filesConfig(ctx)
	if err != nil {
		return err
	}
	all, err := nameNodesOf(cfg)
	if err != nil {
		return err
	}
	found := false
	for i := range all {
		n := &all[i]
		if only != "" && n.name != only {
			continue
		}
		found = true
		state, err := n.state(ctx)
		switch {
		case only != "" && err == nil:
			fmt.Fprintln(s.out, state)
		case only != "":
			return err
		case err != nil: // Hadoop lists the others, too
			fmt.Fprintf(s.out, "%-50s %-10s\n", n.rpc, "Failed to connect: "+err.Error())
			s.code = 1
		default:
			fmt.Fprintf(s.out, "%-50s %-10s\n", n.rpc, state)
		}
	}
	if !found {
		return failure.New(failure.NotFound, "find NameNode", only, nil).
			Fix(conf.DFSHANameNodes.Name + ".SERVICE lists the names")
	}
	return nil
}

// fsckOptions lists the options of fsck. In lower case, they are the parameters of the NameNode's
// page, except includeSnapshots.
var fsckOptions = []string{"-files", "-blocks", "-locations", "-racks", "-replicaDetails", "-openforwrite",
	"-includeSnapshots", "-storagepolicies", "-move", "-delete"}

// fsckCommand returns the counterpart of `hdfs fsck`. The NameNode makes the report.
func (s *session) fsckCommand() *urfave.Command {
	return &urfave.Command{
		Name: "fsck", Usage: "check the files and blocks of an HDFS", ArgsUsage: "PATH [OPTIONS]", HideHelpCommand: true,
		SkipFlagParsing: true, // -files is also a generic option
		Description: "-files, -blocks, -locations, -racks, and -replicaDetails list these. -openforwrite includes files " +
			"that are being written, and -includeSnapshots snapshots. -storagepolicies counts the storage policies. -move " +
			"moves corrupt files to /lost+found, and -delete deletes them.\nThe exit code is 0 if all files are " +
			"healthy, and 1 if a " +
			"file is corrupt. An example:\nhowdah fsck /data -files -blocks",
		Action: s.fsck,
	}
}

// fsckQuery returns the query for the NameNode's page.
func fsckQuery(args []string, user string) (url.Values, error) {
	query := url.Values{"ugi": {user}}
	for _, arg := range args {
		parameter := strings.ToLower(strings.TrimPrefix(arg, "-"))
		switch {
		case arg == "-includeSnapshots":
			query.Set("includeSnapshots", "1")
		case slices.Contains(fsckOptions, arg):
			query.Set(parameter, "1")
		case strings.HasPrefix(arg, "-"):
			return nil, arguments.Unknown("option", arg, fsckOptions, "howdah fsck --help")
		case query.Has("path"):
			return nil, usageError("howdah fsck needs one path")
		default:
			path, err := url.Parse(arg) // a URI names the same file system
			if err != nil || path.Path == "" {
				return nil, usageError("%q is not a path", arg)
			}
			query.Set("path", path.Path)
		}
	}
	if !query.Has("path") {
		return nil, usageError("howdah fsck needs a path")
	}
	return query, nil
}

func (s *session) fsck(c *urfave.Context) error {
	if arguments.AsksForHelp(c.Args().First()) {
		return urfave.ShowCommandHelp(c, "fsck")
	}
	cfg, err := s.filesConfig(c.Context)
	if err != nil {
		return err
	}
	query, err := fsckQuery(c.Args().Slice(), jobclient.User(cfg))
	if err != nil {
		return err
	}
	all, err := nameNodesOf(cfg)
	if err != nil {
		return err
	}
	n := &all[0]
	for i := 0; i < len(all) && len(all) > 1; i++ {
		state, err := all[i].state(c.Context)
		if err == nil && state == "active" {
			n = &all[i]
		}
	}
	resp, err := n.get(c.Context, "/fsck", query)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	last := ""
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		last = cmp.Or(lines.Text(), last)
		fmt.Fprintln(s.out, lines.Text())
	}
	if err := lines.Err(); err != nil {
		return failure.New(failure.IO, "read answer of NameNode", n.web, err)
	}
	s.code = fsckCode(last)
	return nil
}

// fsckCode returns the exit code for the last line of the NameNode's answer, as Hadoop's DFSck
// does.
func fsckCode(last string) int {
	switch {
	case strings.HasSuffix(last, "is HEALTHY"), strings.HasSuffix(last, "does not exist"):
		return 0
	case strings.HasSuffix(last, "is CORRUPT"):
		return 1
	}
	return 255
}

// archiveCommand returns a command that says what to use instead of `hadoop archive`.
func archiveCommand() *urfave.Command {
	const why = "howdah neither writes nor reads Hadoop archives (.har)"
	const instead = "for many small files, let a map read several of them " +
		"(-D mapreduce.job.inputformat.class=CombineTextInputFormat), or use Apache Hadoop's hadoop archive"
	return &urfave.Command{
		Name: "archive", Usage: "say what to use instead of hadoop archive", ArgsUsage: "ARGS...", SkipFlagParsing: true,
		HideHelpCommand: true, Description: why + "; " + instead + ".",
		Action: func(c *urfave.Context) error {
			if arguments.AsksForHelp(c.Args().First()) {
				return urfave.ShowCommandHelp(c, "archive")
			}
			return failure.New(failure.Usage, "run archive", strings.Join(c.Args().Slice(), " "), errors.New(why)).Fix(instead)
		},
	}
}
