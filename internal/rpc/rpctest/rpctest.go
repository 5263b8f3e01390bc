// Package rpctest serves fake daemons to clients in tests.
package rpctest

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/auth"
	"github.com/howdah/howdah/internal/rpc"
	"github.com/howdah/howdah/job/failure"
)

// Options returns options for a server that clients with the default configuration trust.
func Options(t testing.TB) rpc.Options {
	t.Helper()
	secret, err := auth.Load(conf.New())
	require.NoError(t, err)
	return rpc.Options{Secret: secret}
}

// Serve starts a server that runs until the test ends, and returns its address. register adds the
// services.
func Serve(t testing.TB, register func(s grpc.ServiceRegistrar)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	s := rpc.NewServer(Options(t))
	register(s)
	go func() { _ = s.Serve(l) }()
	t.Cleanup(s.Stop)
	return l.Addr().String()
}

// page contains the table of calls. Its path is relative to the root of the repository.
const page = "docs/reference/security.md"

// CheckCalls makes every call in offers to the server at addr: as nobody, as a user, as a node, and
// as an administrator. It checks that the server rejects exactly the calls that the table on the
// security page says it rejects. It also checks that the server rejects clients with another
// secret.
func CheckCalls(t testing.TB, addr string, offers map[string]grpc.ServiceInfo, secret *auth.Secret) {
	t.Helper()
	table := readTable(t)
	dial := func(o rpc.Options) *grpc.ClientConn {
		conn, err := rpc.Dial(addr, o)
		require.NoError(t, err)
		t.Cleanup(func() { conn.Close() })
		return conn
	}
	show := func(c auth.Claims) rpc.Options {
		c.Expires = time.Now().Add(time.Hour).Unix()
		text, _ := secret.Issue(c)
		p, err := auth.ParseToken(text, "the file")
		require.NoError(t, err)
		return rpc.Options{Proof: p}
	}
	callers := []*grpc.ClientConn{dial(rpc.Options{}), dial(show(auth.Claims{User: "nobodys-user"})),
		dial(show(auth.Claims{Node: "nobodys-node"})), dial(rpc.Options{Secret: secret})}
	stranger := dial(rpc.Options{Secret: auth.NewSecret()})
	for service, info := range offers {
		for _, m := range info.Methods {
			call := service[strings.LastIndexByte(service, '.')+1:] + "." + m.Name
			want := table[call]
			require.Len(t, want, len(callers), "the security page lacks %s", call)
			for i, conn := range callers {
				err := conn.Invoke(t.Context(), "/"+service+"/"+m.Name, &emptypb.Empty{}, &emptypb.Empty{})
				switch {
				case i == 0:
					require.Error(t, err, call)
					require.Equal(t, "no", want[i], call)
				case want[i] == "with Kerberos": // the caller has a token
					require.ErrorContains(t, err, "may not make this call", call)
				case want[i] == "if listed":
					require.True(t, failure.Is(err, failure.Permission), "%s: %v", call, err)
				default:
					refused := err != nil && strings.Contains(err.Error(), "may not make this call")
					require.Equal(t, want[i] == "no", refused, "%s by caller %d: %v", call, i, err)
				}
			}
			err := stranger.Invoke(t.Context(), "/"+service+"/"+m.Name, &emptypb.Empty{}, &emptypb.Empty{})
			require.ErrorIs(t, err, auth.ErrOtherSecret)
		}
	}
}

// readTable reads the table on the security page. It returns a map from each call to the words in
// the last four columns.
func readTable(t testing.TB) map[string][]string {
	dir, err := os.Getwd()
	require.NoError(t, err)
	for ; filepath.Dir(dir) != dir; dir = filepath.Dir(dir) {
		b, err := os.ReadFile(filepath.Join(dir, page))
		if err != nil {
			continue
		}
		table := map[string][]string{}
		for line := range strings.Lines(string(b)) {
			cells := strings.Split(line, " | ")
			if len(cells) != 6 {
				continue
			}
			for call := range strings.SplitSeq(strings.TrimPrefix(cells[0], "| "), ", ") {
				table[call] = append(cells[2:5:5], strings.TrimSuffix(cells[5], " |\n"))
			}
		}
		return table
	}
	t.Fatal("cannot find " + page)
	return nil
}
