package schemes

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs/hdfs/token"
)

func TestOneSetForEachUserAndProof(t *testing.T) {
	u := NewUsers(conf.New(), nil)
	defer u.Close()
	a, releaseA, err := u.As("alice", nil)
	require.NoError(t, err)
	again, releaseAgain, err := u.As("alice", nil)
	require.NoError(t, err)
	require.Same(t, a, again)
	bob, releaseBob, err := u.As("bob", nil)
	require.NoError(t, err)
	require.NotSame(t, a, bob)
	creds := (&token.Credentials{Secrets: map[string][]byte{"k": {1}}}).Encode()
	proved, releaseProved, err := u.As("alice", creds)
	require.NoError(t, err)
	require.NotSame(t, a, proved)
	for _, f := range []func(){releaseA, releaseA, releaseAgain, releaseBob, releaseProved} {
		f()
	}
	require.Len(t, u.unused, 3)
	later, release, err := u.As("alice", nil)
	require.NoError(t, err)
	defer release()
	require.Same(t, a, later)
	require.Len(t, u.unused, 2)
	_, _, err = u.As("alice", []byte("HDTS"))
	require.Error(t, err)
}

func TestFewUnusedSetsAreKept(t *testing.T) {
	u := NewUsers(conf.New(), nil)
	defer u.Close()
	for i := range maxUnused + 5 {
		_, release, err := u.As(fmt.Sprint("user", i), nil)
		require.NoError(t, err)
		release()
	}
	require.Len(t, u.unused, maxUnused)
	require.Len(t, u.all, maxUnused)
}
