package admin

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/dfs/hdfs/hdfstest"
	"github.com/howdah/howdah/dfs/hdfs/namenode"
	"github.com/howdah/howdah/dfs/hdfs/rpc"
	"github.com/howdah/howdah/internal/pb"
)

func TestHostsFilesAreEdited(t *testing.T) {
	file := filepath.Join(t.TempDir(), "exclude")
	require.NoError(t, edit(file, func(all []string) []string { return append(all, "a", "b:9866") }))
	require.NoError(t, os.WriteFile(file, []byte("a # the old one\n\n b:9866 c\n"), 0o644))
	require.NoError(t, edit(file, func(all []string) []string { return without(all, []string{"a", "nobody"}) }))
	got, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, "b:9866\nc\n", string(got))
	entries, err := os.ReadDir(filepath.Dir(file))
	require.NoError(t, err)
	require.Len(t, entries, 1)
}

func TestEntriesNameNodes(t *testing.T) {
	d := DataNode{Host: "dn1", IP: "10.0.0.1", Port: 9866}
	for entry, want := range map[string]bool{"dn1": true, "10.0.0.1": true, "dn1:9866": true, "10.0.0.1:9866": true,
		"10.0.0.1:9867": false, "dn": false} {
		require.Equal(t, want, d.named([]string{"other", entry}), entry)
	}
}

func TestReport(t *testing.T) {
	id := pb.Message(nil).String(1, "10.0.0.1").String(2, "dn1").String(3, "uuid").Int(4, 9866)
	node := pb.Message(nil).Bytes(1, id).Int(2, 100).Int(3, 30).Int(4, 60).Int(6, 1234567890123).Int(7, 5).
		String(8, "/r").Int(9, 10).Int(10, 1).Int(17, 7)
	all, err := decodeReport(pb.Message(nil).Bytes(1, node))
	require.NoError(t, err)
	require.Len(t, all, 1)
	d := all[0]
	require.Equal(t, "10.0.0.1:9866", d.Addr())
	require.Equal(t, "Decommission in progress", d.State.String())
	require.Equal(t, []int64{100, 30, 60, 10}, []int64{d.Capacity, d.Used, d.Remaining, d.NonDFSUsed})
	require.EqualValues(t, 1234567890123, d.LastContact.UnixMilli())
	require.Equal(t, 7, d.Blocks)
}

func FuzzReport(f *testing.F) {
	f.Add([]byte(pb.Message(nil).Bytes(1, pb.Message(nil).Bytes(1, pb.Message(nil).String(1, "x")).Int(10, 9))))
	f.Fuzz(func(t *testing.T, b []byte) {
		all, err := decodeReport(b)
		if err == nil {
			for _, d := range all {
				_ = d.State.String()
			}
		}
	})
}

// TestBothOfAPair checks that RefreshNodes calls both NameNodes of a pair, and that Report calls
// only the active one, because a standby has its own view of the nodes.
func TestBothOfAPair(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told []string
		serve := func(addr string) func(c hdfstest.Call) ([]byte, *rpc.RemoteError, bool) {
			return func(c hdfstest.Call) ([]byte, *rpc.RemoteError, bool) {
				switch {
				case c.Method == "getFileInfo" && addr == "standby":
					standby := "org.apache.hadoop.ipc.StandbyException"
					return nil, &rpc.RemoteError{Class: standby, Message: "READ is not supported"}, false
				case c.Method != "getFileInfo":
					told = append(told, c.Method+" "+addr)
				}
				return nil, nil, false
			}
		}
		nn := namenode.New(namenode.Options{Addrs: []string{"standby", "active"}, Service: "pair", User: "me",
			Dial: func(_ context.Context, _, addr string) (net.Conn, error) {
				client, server := net.Pipe()
				go hdfstest.ServeRPC(server, serve(addr))
				return client, nil
			}})
		defer nn.Close()
		c := New(nn)
		require.NoError(t, c.RefreshNodes(t.Context()))
		require.Equal(t, []string{"refreshNodes standby", "refreshNodes active"}, told)
		told = nil
		_, err := c.Report(t.Context())
		require.NoError(t, err)
		require.Equal(t, []string{"getDatanodeReport active", "getDatanodeReport active"}, told)

		var addrs []string
		err = c.Each(func(addr string, one *Client) error {
			addrs = append(addrs, addr)
			return errors.New("refused")
		})
		require.ErrorContains(t, err, "NameNode standby: refused")
		require.ErrorContains(t, err, "NameNode active: refused")
		require.Equal(t, []string{"standby", "active"}, addrs)
	})
}

func TestErrorsSayWhatWasAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		nn := namenode.New(namenode.Options{Addrs: []string{"one"}, User: "me",
			Dial: func(_ context.Context, _, addr string) (net.Conn, error) {
				client, server := net.Pipe()
				go hdfstest.ServeRPC(server, func(hdfstest.Call) ([]byte, *rpc.RemoteError, bool) {
					return nil, &rpc.RemoteError{Class: "java.io.IOException", Message: "no"}, false
				})
				return client, nil
			}})
		defer nn.Close()
		c := New(nn)
		_, err := c.SafeMode(t.Context(), GetSafeMode)
		require.ErrorContains(t, err, "read the safe mode of HDFS")
		_, err = c.SafeMode(t.Context(), LeaveSafeMode)
		require.ErrorContains(t, err, "change the safe mode of HDFS")
		require.ErrorContains(t, c.AllowSnapshots(t.Context(), "/d", true), "allow snapshots of /d")
		require.ErrorContains(t, c.AllowSnapshots(t.Context(), "/d", false), "forbid snapshots of /d")
	})
}
