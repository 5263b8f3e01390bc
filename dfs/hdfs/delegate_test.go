package hdfs

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/dfs/hdfs/namenode"
	"github.com/howdah/howdah/dfs/hdfs/token"
)

func TestNamesOfServicesInTokens(t *testing.T) {
	single := New(Options{Authority: "127.0.0.1:8020", NameNode: namenode.Options{Addrs: []string{"127.0.0.1:8020"},
		User: "u"}})
	defer single.Close()
	require.Equal(t, []string{"127.0.0.1:8020", "127.0.0.1:8020"}, single.tokenServices())
	pair := New(Options{Authority: "ns1", NameNode: namenode.Options{Addrs: []string{"a:1", "b:1"}, Service: "ns1",
		User: "u"}})
	defer pair.Close()
	require.Equal(t, []string{"ha-hdfs:ns1"}, pair.tokenServices())

	c := &token.Credentials{}
	c.Add(token.Token{Kind: token.KindHDFS, Service: "ha-hdfs:ns1", Identifier: []byte{1}})
	_, ok := pair.Token(c)
	require.True(t, ok)
	_, ok = single.Token(c)
	require.False(t, ok)
	fetched, err := single.Delegate(t.Context(), "renewer", c)
	require.NoError(t, err)
	require.False(t, fetched, "an open cluster needs none, and is not asked")
}
