package rpc

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"

	"github.com/howdah/howdah/internal/auth"
	"github.com/howdah/howdah/internal/golden"
	"github.com/howdah/howdah/internal/rpc/health"
	"github.com/howdah/howdah/internal/wire/client"
	"github.com/howdah/howdah/internal/wire/pool"
	"github.com/howdah/howdah/internal/wire/token"
	"github.com/howdah/howdah/internal/wire/tracker"
	"github.com/howdah/howdah/job/failure"
)

// services lists all services, with the daemons that serve them.
var services = []struct {
	desc  *grpc.ServiceDesc
	where string
}{
	{&client.Jobs_ServiceDesc, "JobTracker"}, {&tracker.Trackers_ServiceDesc, "JobTracker"},
	{&pool.Pool_ServiceDesc, "manager"}, {&token.Tokens_ServiceDesc, "JobTracker, manager"},
	{&health.Desc, "JobTracker, manager"},
}

// TestEveryCallHasRights compares the table of rights with the methods of the protocols. The daemons'
// tests check that they serve no others.
func TestEveryCallHasRights(t *testing.T) {
	there := map[string][]string{}
	for _, s := range services {
		name := strings.TrimPrefix("/"+s.desc.ServiceName, servicePrefix)
		for _, m := range s.desc.Methods {
			there[name] = append(there[name], m.MethodName)
		}
		require.Empty(t, s.desc.Streams, "intercept sees only unary calls")
	}
	for service, methods := range rights {
		require.ElementsMatch(t, there[service], slices.Collect(maps.Keys(methods)), service)
		delete(there, service)
	}
	require.Empty(t, there)
}

// callersOfTest are the callers in the columns of the security page.
var callersOfTest = []auth.Principal{{}, {User: "alice"}, {Node: "n1"}, {Admin: true}}

func TestPermit(t *testing.T) {
	for method, want := range map[string][4]bool{
		"/howdah.client.Jobs/Status":        {false, true, false, true},
		"/howdah.client.Jobs/SetScheduler":  {false, true, false, true}, // the method looks at the list of administrators
		"/howdah.tracker.Trackers/Register": {false, false, true, true},
		"/howdah.pool.Pool/Create":          {false, true, false, true}, // the method looks at the list of creators
		"/howdah.pool.Pool/Remove":          {false, true, false, true}, // the method looks at the owner
		"/howdah.pool.Pool/Grow":            {false, true, false, true}, // the method looks at the owner
		"/howdah.token.Tokens/Create":       {false, false, false, true},
		"/howdah.client.Jobs/Unheard":       {},
		"/grpc.health.v1.Health/Check":      {false, true, true, true},
		"/other.Service/Status":             {},
		"Status":                            {},
		"":                                  {},
	} {
		for i, p := range callersOfTest {
			err := Options{}.permit(auth.With(context.Background(), p), method)
			require.Equal(t, want[i], err == nil, "%s by %s: %v", method, p, err)
			require.Equal(t, !want[i], failure.Is(err, failure.Permission))
		}
	}
}

// TestPermitLogins checks what a user may do only with a Kerberos login.
func TestPermitLogins(t *testing.T) {
	ctx := auth.WithLogin(auth.With(t.Context(), auth.Principal{User: "alice"}), time.Now().Unix())
	require.NoError(t, Options{}.permit(ctx, "/howdah.token.Tokens/Create"))
	require.NoError(t, Options{}.permit(ctx, "/howdah.client.Jobs/Status"))
	require.Error(t, Options{}.permit(ctx, "/howdah.token.Tokens/List"))
	ctx = auth.WithLogin(auth.With(t.Context(), auth.Principal{Node: "n1"}), time.Now().Unix())
	require.Error(t, Options{}.permit(ctx, "/howdah.token.Tokens/Create"))
}

// TestRemedies checks that an error names Kerberos only where it helps.
func TestRemedies(t *testing.T) {
	for method, helps := range map[string]bool{"tracker.Trackers/Beat": true, "client.Jobs/Status": true,
		"token.Tokens/Create": true, "token.Tokens/List": false} {
		err := Options{}.permit(t.Context(), servicePrefix+method)
		require.NotContains(t, err.Error(), "Kerberos", method)
		err = Options{Logins: &auth.Logins{}}.permit(t.Context(), servicePrefix+method)
		require.Equal(t, helps, strings.Contains(err.Error(), "Kerberos"), "%s: %v", method, err)
	}
}

// TestConnectionsEndWithLogins checks that a login does not outlive its ticket.
func TestConnectionsEndWithLogins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		near, far := net.Pipe()
		c := until(far, time.Now().Add(time.Hour))
		time.Sleep(time.Hour - time.Second)
		go func() { _, _ = near.Write([]byte{1}) }()
		_, err := c.Read(make([]byte, 1))
		require.NoError(t, err)
		time.Sleep(time.Second)
		synctest.Wait()
		_, err = c.Read(make([]byte, 1))
		require.ErrorIs(t, err, io.ErrClosedPipe)
		require.NoError(t, c.Close())

		c = until(far, time.Now().Add(time.Hour))
		require.NoError(t, c.Close())
		require.False(t, c.(*ending).timer.Stop(), "Close has stopped it")
	})
}

const page = "../../docs/reference/security.md"

// TestSecurityPage compares the table of calls in the security page with the table of rights. To
// generate it, run:
//
//	go test ./internal/rpc -run TestSecurityPage -rewrite
func TestSecurityPage(t *testing.T) {
	old, err := os.ReadFile(page)
	require.NoError(t, err)
	const head = "| calls | daemon | nobody | user | node | administrator |\n|---|---|---|---|---|---|\n"
	before, rest, ok := strings.Cut(string(old), head)
	require.True(t, ok, "the page has lost the head of the table")
	for strings.HasPrefix(rest, "|") {
		_, rest, _ = strings.Cut(rest, "\n")
	}
	var rows []string // without the calls
	calls := map[string][]string{}
	for _, s := range services {
		service := strings.TrimPrefix("/"+s.desc.ServiceName, servicePrefix)
		short := service[strings.LastIndexByte(service, '.')+1:]
		for _, m := range s.desc.Methods {
			row := s.where
			for _, p := range callersOfTest {
				word := "no"
				if (Options{}).permit(auth.With(context.Background(), p), "/"+s.desc.ServiceName+"/"+m.MethodName) == nil {
					word = "yes"
				}
				switch may := rights[service][m.MethodName]; {
				case word == "no" && p.User != "" && may == logins:
					word = "with Kerberos"
				case word == "yes" && p.User != "" && may == listed:
					word = "if listed"
				case word == "yes" && p.User != "" && may == owners:
					word = "own"
				}
				row += " | " + word
			}
			if calls[row] == nil {
				rows = append(rows, row)
			}
			calls[row] = append(calls[row], short+"."+m.MethodName)
		}
	}
	var b strings.Builder
	for _, row := range rows {
		fmt.Fprintf(&b, "| %s | %s |\n", strings.Join(calls[row], ", "), row)
	}
	golden.Compare(t, page, []byte(before+head+b.String()+rest))
}
