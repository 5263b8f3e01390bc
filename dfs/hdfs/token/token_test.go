package token

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/internal/pb"
	"github.com/howdah/howdah/internal/vint"
	"github.com/howdah/howdah/job/failure"
)

func example() *Credentials {
	c := &Credentials{Secrets: map[string][]byte{"mapreduce.job": {0, 1, 255}}}
	c.Add(Token{Identifier: []byte("id"), Password: []byte("secret"), Kind: KindHDFS, Service: "127.0.0.1:8020"})
	c.Add(Token{Identifier: bytes.Repeat([]byte{7}, 300), Kind: "OTHER", Service: "ha-hdfs:ünï"})
	return c
}

func TestCredentialsComeBack(t *testing.T) {
	c := example()
	got, err := Parse(c.Encode())
	require.NoError(t, err)
	require.Equal(t, c.Encode(), got.Encode())
	tok, ok := got.Find(KindHDFS, "nobody:1", "127.0.0.1:8020")
	require.True(t, ok)
	require.Equal(t, "secret", string(tok.Password))
	_, ok = got.Find(KindHDFS, "ha-hdfs:ünï")
	require.False(t, ok, "another kind")
}

func TestProtobufForm(t *testing.T) {
	tok := Token{Identifier: []byte("id"), Password: []byte("pw"), Kind: KindHDFS, Service: "s"}
	m := pb.Message(nil).Bytes(1, pb.Message(nil).String(1, "alias").Bytes(2, tok.Proto())).
		Bytes(2, pb.Message(nil).String(1, "key").Bytes(3, []byte("value")))
	c, err := Parse(pb.Delimited([]byte(magic+"\x01"), m))
	require.NoError(t, err)
	require.Equal(t, &Credentials{Tokens: map[string]Token{"alias": tok},
		Secrets: map[string][]byte{"key": []byte("value")}}, c)
}

func TestEveryCutIsNoticed(t *testing.T) {
	b := example().Encode()
	for n := range b {
		_, err := Parse(b[:n])
		require.Error(t, err, "%d of %d bytes", n, len(b))
	}
	_, err := Parse(append(b, 0))
	require.Error(t, err)
	_, err = Parse([]byte("HDTS\x02"))
	require.ErrorContains(t, err, "version 2")
}

func TestAddAllKeepsWhatIsThere(t *testing.T) {
	c := &Credentials{}
	c.Add(Token{Service: "127.0.0.1:8020", Kind: "mine"})
	c.AddAll(example())
	require.Equal(t, "mine", c.Tokens["127.0.0.1:8020"].Kind)
	require.Len(t, c.Tokens, 2)
	require.Len(t, c.Secrets, 1)
}

func TestFileIsTheOwnersAlone(t *testing.T) {
	name := filepath.Join(t.TempDir(), "tokens")
	require.NoError(t, os.WriteFile(name, []byte("old"), 0o666))
	require.NoError(t, example().WriteFile(name))
	info, err := os.Stat(name)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode())
	c, err := ReadFile(name)
	require.NoError(t, err)
	require.Len(t, c.Tokens, 2)
	left, err := os.ReadDir(filepath.Dir(name))
	require.NoError(t, err)
	require.Len(t, left, 1)
}

func TestFilesThatCannotBeRead(t *testing.T) {
	dir := t.TempDir()
	_, err := ReadFile(filepath.Join(dir, "none"))
	require.True(t, failure.Is(err, failure.NotFound), "%v", err)
	name := filepath.Join(dir, "bad")
	require.NoError(t, os.WriteFile(name, []byte("krb5 ticket cache"), 0o600))
	_, err = ReadFile(name)
	require.True(t, failure.Is(err, failure.Corrupt), "%v", err)
	_, err = Read(strings.NewReader(strings.Repeat("x", maxFile+1)), "big")
	require.True(t, failure.Is(err, failure.Limit), "%v", err)
}

func TestIdentifier(t *testing.T) {
	b := []byte{0}
	for _, s := range []string{"alice", "mapred", ""} {
		b = appendText(b, s)
	}
	now := time.UnixMilli(1_700_000_000_123)
	for _, v := range []int64{now.UnixMilli(), now.UnixMilli() + 1000, 7, 2} {
		b = vint.Append(b, v)
	}
	id, err := Decode(b)
	require.NoError(t, err)
	require.Equal(t, Identifier{Owner: "alice", Renewer: "mapred", Issued: now, Max: now.Add(time.Second), Sequence: 7,
		MasterKey: 2}, id)
	tok := Token{Identifier: b, Password: []byte("secret"), Kind: KindHDFS, Service: "h:1"}
	require.Equal(t, "HDFS_DELEGATION_TOKEN token 7 for alice on h:1", tok.String())
	for n := range b {
		_, err := Decode(b[:n])
		require.Error(t, err)
	}
}

func FuzzCredentials(f *testing.F) {
	f.Add(example().Encode())
	f.Add(pb.Delimited([]byte(magic+"\x01"),
		pb.Message(nil).Bytes(1, pb.Message(nil).String(1, "alias").Bytes(2, (&Token{Kind: "k"}).Proto()))))
	f.Fuzz(func(t *testing.T, b []byte) {
		c, err := Parse(b)
		if err != nil {
			return
		}
		again, err := Parse(c.Encode())
		require.NoError(t, err)
		require.Equal(t, c.Encode(), again.Encode())
	})
}

func FuzzIdentifier(f *testing.F) {
	f.Add([]byte{0, 1, 'a', 1, 'b', 0, 1, 2, 3, 4})
	f.Fuzz(func(_ *testing.T, b []byte) { _, _ = Decode(b) })
}
