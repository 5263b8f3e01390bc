package sasl

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestExampleOfTheRFC checks the example of RFC 2831 section 4.
func TestExampleOfTheRFC(t *testing.T) {
	d := NewDigest(DigestOptions{User: "chris", Password: "secret", Service: "imap", Host: "elwood.innosoft.com",
		Nonce: "OA6MHXh6VqTrRk"})
	answer, err := d.Step([]byte(`realm="elwood.innosoft.com",nonce="OA6MG9tEQGm2hh",qop="auth",algorithm=md5-sess,` +
		`charset=utf-8`))
	require.NoError(t, err)
	require.Contains(t, string(answer), "response=d388dad90d4bbd760a152321f2143af7")
	require.False(t, d.Done())
	last, err := d.Step([]byte("rspauth=ea40f60335c427b5527b84dbabcdfffd"))
	require.NoError(t, err)
	require.Empty(t, last)
	require.True(t, d.Done())
	require.Nil(t, d.Layer())
}

const rfcChallenge = `realm="r",nonce="n",qop="auth,auth-int,auth-conf",algorithm=md5-sess,charset=utf-8,` +
	`cipher="3des,rc4"`

func TestServerThatDoesNotKnowThePassword(t *testing.T) {
	for _, proof := range []string{"", "rspauth=", "rspauth=00000000000000000000000000000000"} {
		d := NewDigest(DigestOptions{User: "u", Password: "p"})
		_, err := d.Step([]byte(rfcChallenge))
		require.NoError(t, err)
		_, err = d.Step([]byte(proof))
		require.ErrorContains(t, err, "rspauth")
		require.False(t, d.Done())
		_, err = d.Step([]byte(proof))
		require.Error(t, err)
	}
}

func TestChallengesThatAreRefused(t *testing.T) {
	for challenge, why := range map[string]string{
		``:                                "algorithm",
		`nonce="n",algorithm=md5`:         "algorithm",
		`algorithm=md5-sess`:              "no nonce",
		`nonce="n",nonce="m"`:             "twice",
		`nonce="n`:                        "quote",
		`nonce="n\`:                       "quote",
		`nonce="n"x`:                      "comma",
		`nonce`:                           "no directive",
		`n nce=x`:                         "no directive",
		`nonce="n",algorithm=md5-sess`:    "the server offers protection authentication, but this client requires privacy",
		rfcChallenge + `,maxbuf=1`:        "maxbuf",
		rfcChallenge + `,maxbuf=99999999`: "maxbuf",
		`algorithm=md5-sess,nonce="n",qop="auth-conf",cipher="des,rc4-40"`: "strong cipher",
		string(make([]byte, maxChallenge+1)):                               "the limit is 8192",
	} {
		_, err := NewDigest(DigestOptions{Want: []Protection{Privacy}}).Step([]byte(challenge))
		require.ErrorContains(t, err, why, "challenge %q", challenge)
	}
}

// peers returns both sides' layers of one session.
func peers(t *testing.T, p Protection, cipher string) (client, server Layer) {
	t.Helper()
	s := digestSession{user: "u", realm: "default", password: "p", nonce: "n", cnonce: "c", uri: "hdfs/0", qop: p.qop()}
	client, err := newDigestLayer(p, s.ha1(), cipher, 65536, true)
	require.NoError(t, err)
	server, err = newDigestLayer(p, s.ha1(), cipher, 65536, false)
	require.NoError(t, err)
	return client, server
}

var layers = []struct {
	p      Protection
	cipher string
}{{Integrity, ""}, {Privacy, "rc4"}, {Privacy, "3des"}}

func TestLayersCarryMessagesBothWays(t *testing.T) {
	for _, l := range layers {
		t.Run(l.p.String()+l.cipher, func(t *testing.T) {
			a, b := peers(t, l.p, l.cipher)
			random := rand.New(rand.NewPCG(1, 2))
			for range 300 {
				text := make([]byte, random.IntN(100))
				for i := range text {
					text[i] = byte(random.Uint32())
				}
				wrapped, err := a.Wrap([]byte("head"), text)
				require.NoError(t, err)
				require.LessOrEqual(t, len(wrapped), 4+len(text)+sealOverhead)
				if l.p == Privacy && len(text) > 8 {
					require.NotContains(t, string(wrapped), string(text))
				}
				got, err := b.Unwrap(wrapped[4:])
				require.NoError(t, err)
				require.Equal(t, string(text), string(got))
				a, b = b, a
			}
		})
	}
}

func TestLayersNoticeEveryChange(t *testing.T) {
	for _, l := range layers {
		a, b := peers(t, l.p, l.cipher)
		first, _ := a.Wrap(nil, []byte("the first message"))
		second, _ := a.Wrap(nil, []byte("the second message"))
		for i := range first {
			_, b := peers(t, l.p, l.cipher)
			bad := bytes.Clone(first)
			bad[i] ^= 1
			_, err := b.Unwrap(bad)
			require.Error(t, err, "%v byte %d", l, i)
			_, err = b.Unwrap(bytes.Clone(first))
			require.Error(t, err, "after a bad message")
		}
		for _, wrong := range [][]byte{second, first[:len(first)-1], first[:5], nil} {
			_, b := peers(t, l.p, l.cipher)
			_, err := b.Unwrap(bytes.Clone(wrong))
			require.Error(t, err, "%v %x", l, wrong)
		}
		_, err := b.Unwrap(bytes.Clone(first))
		require.NoError(t, err)
		_, err = b.Unwrap(bytes.Clone(first))
		require.Error(t, err, "a message that comes twice")
	}
}

func TestProtections(t *testing.T) {
	list, err := ParseProtections("Privacy, authentication")
	require.NoError(t, err)
	require.Equal(t, []Protection{Privacy, Authentication}, list)
	_, err = ParseProtections("secret")
	require.ErrorContains(t, err, "not authentication, integrity or privacy")
	p, err := Choose(list, Authentication|Integrity)
	require.NoError(t, err)
	require.Equal(t, Authentication, p)
	_, err = Choose(list, Integrity)
	require.EqualError(t, err,
		"the server offers protection integrity, but this client requires authentication or privacy")
}

func FuzzDirectives(f *testing.F) {
	f.Add([]byte(rfcChallenge))
	f.Add([]byte(`realm="a\"b",realm=c ,, maxbuf=1`))
	f.Fuzz(func(t *testing.T, b []byte) {
		d, err := parseDirectives(b)
		if err != nil {
			return
		}
		var again bytes.Buffer
		for key, values := range d {
			for _, v := range values {
				fmt.Fprintf(&again, ",%s=%s", key, quote(v))
			}
		}
		if again.Len() > maxChallenge {
			return
		}
		got, err := parseDirectives(again.Bytes())
		require.NoError(t, err)
		require.Equal(t, d, got)
	})
}

func FuzzChallenge(f *testing.F) {
	f.Add([]byte(rfcChallenge))
	f.Fuzz(func(t *testing.T, b []byte) {
		d := NewDigest(DigestOptions{User: "u", Password: "p", Want: []Protection{Privacy, Integrity, Authentication}})
		if _, err := d.Step(b); err == nil {
			_, _ = d.Step(b)
		}
		require.False(t, d.Done())
	})
}

func FuzzUnwrap(f *testing.F) {
	for i, l := range layers {
		s := digestSession{qop: l.p.qop()}
		server, _ := newDigestLayer(l.p, s.ha1(), l.cipher, 65536, false)
		b, _ := server.Wrap(nil, []byte("text"))
		f.Add(i, b)
	}
	f.Fuzz(func(t *testing.T, i int, b []byte) {
		l := layers[uint(i)%uint(len(layers))]
		s := digestSession{qop: l.p.qop()}
		client, _ := newDigestLayer(l.p, s.ha1(), l.cipher, 65536, true)
		_, _ = client.Unwrap(b)
	})
}
