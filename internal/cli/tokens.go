package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	urfave "github.com/urfave/cli/v2"
	"google.golang.org/grpc"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/arguments"
	"github.com/howdah/howdah/internal/auth"
	"github.com/howdah/howdah/internal/auth/certs"
	"github.com/howdah/howdah/internal/rpc"
	"github.com/howdah/howdah/internal/transport/tokens"
	"github.com/howdah/howdah/job/failure"
)

// tokenCommand returns the command that manages the tokens of users and nodes.
func (s *session) tokenCommand() *urfave.Command {
	return &urfave.Command{
		Name: "token", Usage: "create, list, and revoke tokens, and print the CA certificate", HideHelpCommand: true,
		Description: "A token proves its holder's identity to the JobTracker and to the manager of MR-clusters. The holder " +
			"sets " + auth.KeyTokenFile + " to the file with the token. Without this key, commands that cannot read " +
			auth.KeySecretFile + " present the token in howdah/token in the user's configuration directory, which is " +
			"~/.config on Linux. Only administrators, who have the cluster's secret or an administrator's token, can " +
			"create, list, and revoke tokens.",
		Action: func(c *urfave.Context) error { return usageError("use one of the commands in howdah token --help") },
		Subcommands: append([]*urfave.Command{
			{Name: "create", Usage: "create and print a token for a user, a node, or an administrator", ArgsUsage: "[USER]",
				HideHelpCommand: true, Action: s.createToken,
				Flags: []urfave.Flag{
					&urfave.StringFlag{Name: "node", Usage: "create a token for the TaskTracker or agent on `HOST`"},
					&urfave.BoolFlag{Name: "admin", Usage: "create a token for an administrator"},
					&urfave.IntFlag{Name: "days", Value: 30, Usage: "the token is valid for `N` days"},
					&urfave.StringFlag{Name: "o", Usage: "write the token to `FILE`, which only this user can read"},
					&urfave.BoolFlag{Name: "force", Usage: "replace FILE even if it contains no token"},
				}},
			{Name: "list", Usage: "list the tokens that have not expired", HideHelpCommand: true,
				Action: taking(0, s.listTokens), Flags: []urfave.Flag{arguments.JSONFlag()}},
			{Name: "revoke", Usage: "revoke a token", ArgsUsage: "ID", HideHelpCommand: true, Action: taking(1, s.revokeToken)},
		}, s.webTokenCommands()...),
	}
}

// tokenDaemon is a daemon that has a list of tokens.
type tokenDaemon struct {
	name string
	conn *grpc.ClientConn
	tokens.Client
}

// withTokens calls f with the configured daemons that have lists of tokens: the JobTracker, the
// manager of MR-clusters, or both in this order.
func (s *session) withTokens(ctx context.Context, f func(context.Context, []tokenDaemon) error) error {
	c, err := s.config()
	if err != nil {
		return err
	}
	addresses := map[string]string{"manager": conf.MRClusterManagerAddress.Get(c)}
	if jt, err := jobTracker(c); err == nil {
		addresses["JobTracker"] = jt
	} else if addresses["manager"] == "" {
		return err
	}
	roles := map[string]certs.Role{"manager": certs.Manager, "JobTracker": certs.JobTracker}
	var daemons []tokenDaemon
	for _, name := range []string{"JobTracker", "manager"} {
		if addresses[name] == "" {
			continue
		}
		options, err := rpc.ClientOptions(c, roles[name])
		if err != nil {
			return err
		}
		conn, err := rpc.Dial(addresses[name], options)
		if err != nil {
			return err
		}
		defer func(conn *grpc.ClientConn) { conn.Close() }(conn)
		daemons = append(daemons, tokenDaemon{name, conn, tokens.NewClient(conn)})
	}
	return f(ctx, daemons)
}

func (s *session) createToken(c *urfave.Context) error {
	claims := auth.Claims{User: c.Args().First(), Node: strings.ToLower(c.String("node")), Admin: c.Bool("admin")}
	kinds := 0
	for _, set := range []bool{claims.User != "", claims.Node != "", claims.Admin} {
		if set {
			kinds++
		}
	}
	if kinds != 1 || c.Args().Len() > 1 {
		return usageError("howdah token create needs USER, --node HOST, or --admin")
	}
	user, err := s.user()
	if err != nil {
		return err
	}
	file, out := c.String("o"), (*os.File)(nil)
	if file != "" { // create the file first, so that the text of a new token cannot be lost
		if out, err = newTokenFile(file, c.Bool("force")); err != nil {
			return err
		}
		defer os.Remove(out.Name()) // does nothing if the file has been renamed
		defer out.Close()
	}
	return s.withTokens(c.Context, func(ctx context.Context, daemons []tokenDaemon) error {
		text, err := daemons[0].Create(ctx, claims, c.Int("days"), user)
		if err != nil {
			return err
		}
		proof, err := auth.ParseToken(text, "")
		if err != nil {
			return err
		}
		made := proof.Claims()
		if out != nil {
			_, err = fmt.Fprintln(out, text)
			if err = errors.Join(err, out.Close()); err == nil {
				err = os.Rename(out.Name(), file)
			}
			if err != nil {
				return failure.New(failure.KindOf(err), "write token", file, err).
					Fix("the token was created; make it void: howdah token revoke " + made.ID)
			}
		} else if _, err := fmt.Fprintln(s.out, text); err != nil {
			return err
		}
		fmt.Fprintf(s.err, "Token %s of %s is valid until %s.\n", made.ID, made.Principal(), day(made.Expires))
		return nil
	})
}

// newTokenFile creates a file that only this user can read. The caller later renames it to the
// given name. Unless force is set, newTokenFile returns an error if a file of that name exists and
// contains no token.
func newTokenFile(file string, force bool) (*os.File, error) {
	const op = "write token"
	if !force && !replaceable(file) {
		return nil, failure.New(failure.Exists, op, file, errors.New("the file exists and holds no token")).
			Fix("choose another name, or replace the file with --force")
	}
	f, err := os.CreateTemp(filepath.Dir(file), ".token-*") // mode 0600
	if err != nil {
		var bare *os.PathError // names the temporary file
		if errors.As(err, &bare) {
			err = bare.Err
		}
		return nil, failure.New(failure.KindOf(err), op, file, err).
			Fix("use a directory that exists and that this user can write to")
	}
	return f, nil
}

// replaceable reports whether a file is missing or contains a token.
func replaceable(file string) bool {
	const most = 4 << 10 // more than the length of a token
	text, err := auth.ReadPrivate(file, most)
	if errors.Is(err, os.ErrNotExist) {
		return true
	}
	_, bad := auth.ParseToken(string(text), file)
	return err == nil && bad == nil
}

func day(seconds int64) string {
	if seconds == 0 {
		return "-"
	}
	return time.Unix(seconds, 0).Format(time.DateTime)
}

// known is a token from the lists of daemons. revokedBy contains the names of the daemons that have
// revoked it.
type known struct {
	auth.Issued
	revokedBy []string
}

// allTokens merges the tokens that the daemons list. If a daemon returns an error, allTokens
// returns that error and the tokens of the other daemons.
func allTokens(ctx context.Context, daemons []tokenDaemon) (all []*known, failed error) {
	byID := map[string]*known{}
	for _, d := range daemons {
		list, err := d.List(ctx)
		failed = errors.Join(failed, err)
		for _, t := range list {
			k := byID[t.ID]
			if k == nil {
				k = &known{Issued: t}
				byID[t.ID], all = k, append(all, k)
			}
			k.Created, k.By, k.Revoked = cmp.Or(k.Created, t.Created), cmp.Or(k.By, t.By), cmp.Or(k.Revoked, t.Revoked)
			if t.Revoked != 0 {
				k.revokedBy = append(k.revokedBy, d.name)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b *known) int { return cmp.Compare(a.Created, b.Created) })
	return all, failed
}

// state returns a description of whether the daemons accept the token.
func (k *known) state(daemons []tokenDaemon) string {
	switch len(k.revokedBy) {
	case 0:
		return "valid"
	case len(daemons):
		return "revoked"
	}
	return "revoked only at the " + strings.Join(k.revokedBy, ", ")
}

// tokenObject is a token in the output of --json.
type tokenObject struct {
	ID        string   `json:"id"`
	User      string   `json:"user,omitempty"`
	Node      string   `json:"node,omitempty"`
	Admin     bool     `json:"admin"`
	CreatedMs int64    `json:"created_ms,omitempty"`
	ExpiresMs int64    `json:"expires_ms,omitempty"`
	RevokedMs int64    `json:"revoked_ms,omitempty"`
	By        string   `json:"by,omitempty"`
	State     string   `json:"state"`
	RevokedBy []string `json:"revoked_by,omitempty"`
}

func tokenJSON(k *known) tokenObject {
	o := tokenObject{ID: k.ID, User: k.User, Node: k.Node, Admin: k.Admin, CreatedMs: 1000 * k.Created,
		ExpiresMs: 1000 * k.Expires, RevokedMs: 1000 * k.Revoked, By: k.By, State: "VALID", RevokedBy: k.revokedBy}
	if len(k.revokedBy) > 0 {
		o.State = "REVOKED"
	}
	return o
}

func (s *session) listTokens(c *urfave.Context) error {
	return s.withTokens(c.Context, func(ctx context.Context, daemons []tokenDaemon) error {
		all, err := allTokens(ctx, daemons)
		if err != nil {
			return err
		}
		out := []tokenObject{}
		for _, k := range all {
			out = append(out, tokenJSON(k))
		}
		return s.show(c, out, func() error {
			w := tabwriter.NewWriter(s.out, 0, 0, 2, ' ', 0)
			fmt.Fprintln(w, "ID\tHOLDER\tCREATED\tEXPIRES\tBY\tSTATE")
			for _, k := range all {
				fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", k.ID, k.Principal(), day(k.Created), day(k.Expires), k.By,
					k.state(daemons))
			}
			return w.Flush()
		})
	})
}

func (s *session) revokeToken(c *urfave.Context) error {
	id := c.Args().First()
	return s.withTokens(c.Context, func(ctx context.Context, daemons []tokenDaemon) error {
		all, err := allTokens(ctx, daemons)
		i := slices.IndexFunc(all, func(k *known) bool { return k.ID == id })
		if i < 0 {
			return cmp.Or(err, error(failure.New(failure.NotFound, "revoke token", id, errors.New("no such token")).
				Fix("howdah token list shows the IDs")))
		}
		for _, d := range daemons { // including the daemons after one that does not answer
			err = errors.Join(err, d.Revoke(ctx, all[i].Issued))
		}
		if err != nil {
			return err
		}
		fmt.Fprintf(s.err, "Token %s of %s is revoked.\n", id, all[i].Principal())
		return nil
	})
}
