package kerberos

import (
	"bytes"
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"testing"
	"time"

	"github.com/jcmturner/gofork/encoding/asn1"
	"github.com/jcmturner/gokrb5/v8/asn1tools"
	"github.com/jcmturner/gokrb5/v8/crypto"
	"github.com/jcmturner/gokrb5/v8/iana/asnAppTag"
	"github.com/jcmturner/gokrb5/v8/iana/keyusage"
	"github.com/jcmturner/gokrb5/v8/iana/msgtype"
	"github.com/jcmturner/gokrb5/v8/iana/nametype"
	"github.com/jcmturner/gokrb5/v8/keytab"
	"github.com/jcmturner/gokrb5/v8/messages"
	"github.com/jcmturner/gokrb5/v8/types"
	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/dfs/hdfs/sasl"
)

const realm = "TEST.LOCAL"

// acceptor is the server's side of the handshake, for tests.
type acceptor struct {
	keys      *keytab.Keytab
	offer     sasl.Protection
	ownKey    bool // the acceptor chooses the context's key
	wrongTime bool
	ctx       *secContext
	chosen    sasl.Protection
}

// ticketFor issues a ticket as a KDC does.
func ticketFor(t testing.TB, etype int32) (*Ticket, *keytab.Keytab) {
	t.Helper()
	keys := keytab.New()
	require.NoError(t, keys.AddEntry("nn/localhost", realm, "service", time.Now(), 1, etype))
	alice := types.NewPrincipalName(nametype.KRB_NT_PRINCIPAL, "alice")
	service := types.NewPrincipalName(nametype.KRB_NT_SRV_INST, "nn/localhost")
	now := time.Now().UTC()
	tkt, key, err := messages.NewTicket(alice, realm, service, realm, types.NewKrbFlags(), keys, etype, 1, now, now,
		now.Add(time.Hour), now.Add(time.Hour))
	require.NoError(t, err)
	return &Ticket{ticket: tkt, key: key, name: alice, realm: realm, start: now, end: now.Add(time.Hour)}, keys
}

func (a *acceptor) accept(token []byte) ([]byte, error) {
	id, body, err := openToken(token)
	if err != nil || id != idRequest {
		return nil, fmt.Errorf("token %x: %v", id, err)
	}
	var r messages.APReq
	if err := r.Unmarshal(body); err != nil {
		return nil, err
	}
	if ok, err := r.Verify(a.keys, 5*time.Minute, types.HostAddress{}, nil); !ok {
		return nil, err
	}
	p := messages.EncAPRepPart{CTime: r.Authenticator.CTime, Cusec: r.Authenticator.Cusec, SequenceNumber: 4711}
	if a.wrongTime {
		p.Cusec++
	}
	a.ctx = &secContext{key: r.Authenticator.SubKey, send: 4711, receive: uint64(r.Authenticator.SeqNumber)}
	if a.ownKey {
		p.Subkey = types.EncryptionKey{KeyType: a.ctx.key.KeyType, KeyValue: make([]byte, len(a.ctx.key.KeyValue))}
		rand.Read(p.Subkey.KeyValue)
		a.ctx.key, a.ctx.acceptorKey = p.Subkey, true
	}
	plain, err := asn1.Marshal(p)
	if err != nil {
		return nil, err
	}
	secret, err := crypto.GetEncryptedData(asn1tools.AddASNAppTag(plain, asnAppTag.EncAPRepPart),
		r.Ticket.DecryptedEncPart.Key, keyusage.AP_REP_ENCPART, 0)
	if err != nil {
		return nil, err
	}
	reply, err := asn1.Marshal(messages.APRep{PVNO: 5, MsgType: msgtype.KRB_AP_REP, EncPart: secret})
	if err != nil {
		return nil, err
	}
	return frameToken(idReply, asn1tools.AddASNAppTag(reply, asnAppTag.APREP)), nil
}

func (a *acceptor) layers() ([]byte, error) {
	return a.ctx.wrap(nil, []byte{byte(a.offer), 1, 0, 0}, false)
}

func (a *acceptor) take(answer []byte) error {
	b, err := a.ctx.unwrap(answer, false)
	if err != nil {
		return err
	}
	a.chosen = sasl.Protection(b[0])
	return nil
}

// converse runs the whole handshake.
func converse(t *testing.T, a *acceptor, m sasl.Mechanism) error {
	t.Helper()
	token, err := m.Step(nil)
	require.NoError(t, err)
	reply, err := a.accept(token)
	require.NoError(t, err)
	if _, err = m.Step(reply); err != nil {
		return err
	}
	require.False(t, m.Done())
	offer, err := a.layers()
	require.NoError(t, err)
	answer, err := m.Step(offer)
	if err != nil {
		return err
	}
	require.True(t, m.Done())
	return a.take(answer)
}

func TestConversation(t *testing.T) {
	for _, etype := range []int32{17, 18, 19} {
		ticket, keys := ticketFor(t, etype) // slow, because it derives the key from a password
		for _, p := range []sasl.Protection{sasl.Authentication, sasl.Integrity, sasl.Privacy} {
			for _, ownKey := range []bool{false, true} {
				a := &acceptor{keys: keys, offer: 7, ownKey: ownKey}
				m := ticket.Mechanism([]sasl.Protection{p})
				require.NoError(t, converse(t, a, m))
				require.Equal(t, p, a.chosen)
				if p == sasl.Authentication {
					require.Nil(t, m.Layer())
					continue
				}
				seal := p == sasl.Privacy
				for i := range 20 {
					text := bytes.Repeat([]byte{byte(i)}, i*13)
					wrapped, err := m.Layer().Wrap([]byte("head"), text)
					require.NoError(t, err)
					require.LessOrEqual(t, len(wrapped), 4+len(text)+wrapOverhead)
					got, err := a.ctx.unwrap(wrapped[4:], seal)
					require.NoError(t, err)
					require.Equal(t, text, append([]byte{}, got...))
					wrapped, err = a.ctx.wrap(nil, text, seal)
					require.NoError(t, err)
					got, err = m.Layer().Unwrap(rotate(wrapped, i))
					require.NoError(t, err)
					require.Equal(t, text, append([]byte{}, got...))
				}
			}
		}
	}
}

// rotate rotates a token's body to the right, as Windows does.
func rotate(token []byte, n int) []byte {
	head, body := bytes.Clone(token[:wrapHeader]), token[wrapHeader:]
	binary.BigEndian.PutUint16(head[6:], uint16(n))
	k := n % len(body)
	return append(append(head, body[len(body)-k:]...), body[:len(body)-k]...)
}

func TestServerThatIsNotTheService(t *testing.T) {
	ticket, keys := ticketFor(t, 18)
	err := converse(t, &acceptor{keys: keys, offer: 7, wrongTime: true}, ticket.Mechanism([]sasl.Protection{sasl.Privacy}))
	require.ErrorContains(t, err, "did not authenticate")

	m := ticket.Mechanism([]sasl.Protection{sasl.Privacy})
	token, err := m.Step(nil)
	require.NoError(t, err)
	stranger := *ticket
	stranger.key.KeyValue = make([]byte, len(ticket.key.KeyValue))
	a := &acceptor{keys: keys, offer: 7}
	reply, err := a.accept(token)
	require.NoError(t, err)
	m.(*gssapi).hand.ticket = &stranger
	_, err = m.Step(reply)
	require.ErrorContains(t, err, "did not authenticate")
	_, err = m.Step(reply)
	require.Error(t, err)
}

func TestProtectionThatTheServerLacks(t *testing.T) {
	ticket, keys := ticketFor(t, 18)
	err := converse(t, &acceptor{keys: keys, offer: sasl.Authentication},
		ticket.Mechanism([]sasl.Protection{sasl.Privacy}))
	require.ErrorContains(t, err, "the server offers protection authentication, but this client requires privacy")
}

func TestLayerNoticesEveryChange(t *testing.T) {
	for _, p := range []sasl.Protection{sasl.Integrity, sasl.Privacy} {
		ticket, keys := ticketFor(t, 18)
		a := &acceptor{keys: keys, offer: p}
		m := ticket.Mechanism([]sasl.Protection{p})
		require.NoError(t, converse(t, a, m))
		first, err := a.ctx.wrap(nil, []byte("the first message"), p == sasl.Privacy)
		require.NoError(t, err)
		open := func(b []byte) error {
			c := *m.(*gssapi).ctx
			_, err := (&layer{ctx: &c, seal: p == sasl.Privacy}).Unwrap(bytes.Clone(b))
			return err
		}
		require.NoError(t, open(first))
		for i := range first {
			if i == 6 || i == 7 { // a rotation by the whole length has no effect
				continue
			}
			bad := bytes.Clone(first)
			bad[i] ^= 1
			require.Error(t, open(bad), "%v byte %d", p, i)
		}
		for n := range first {
			require.Error(t, open(first[:n]))
		}
		_, err = m.Layer().Unwrap(bytes.Clone(first))
		require.NoError(t, err)
		_, err = m.Layer().Unwrap(bytes.Clone(first))
		require.Error(t, err, "a message that comes twice")
	}
}

func TestFrames(t *testing.T) {
	for _, n := range []int{0, 100, 114, 115, 200, 300, 70000} {
		id, body, err := openToken(frameToken(7, make([]byte, n)))
		require.NoError(t, err)
		require.Equal(t, uint16(7), id)
		require.Len(t, body, n)
	}
}

func FuzzToken(f *testing.F) {
	f.Add(frameToken(1, []byte("body")))
	f.Fuzz(func(t *testing.T, b []byte) {
		id, body, err := openToken(b)
		if err != nil {
			return
		}
		id2, body2, err := openToken(frameToken(id, body))
		require.NoError(t, err)
		require.Equal(t, id, id2)
		require.Equal(t, body, body2)
	})
}

// FuzzServer checks that no input from a server causes a panic, and that no reply to an earlier
// request authenticates the server.
func FuzzServer(f *testing.F) {
	ticket, keys := ticketFor(f, 18)
	a := &acceptor{keys: keys, offer: 7}
	m := ticket.Mechanism([]sasl.Protection{sasl.Privacy})
	token, err := m.Step(nil)
	require.NoError(f, err)
	reply, err := a.accept(token)
	require.NoError(f, err)
	f.Add(reply, []byte{0, 0, 0, 0})
	offer, err := a.layers()
	require.NoError(f, err)
	f.Add(reply, offer)
	f.Add(frameToken(idError, []byte{0x7e, 0x10}), offer)
	f.Fuzz(func(t *testing.T, reply, offer []byte) {
		m := ticket.Mechanism([]sasl.Protection{sasl.Privacy})
		_, err := m.Step(nil)
		require.NoError(t, err)
		_, err = m.Step(bytes.Clone(reply))
		require.Error(t, err) // the reply has a different time
		c := &secContext{initiator: true, key: ticket.key, receive: 4711}
		_, _ = (&layer{ctx: c, seal: true}).Unwrap(bytes.Clone(offer))
		c = &secContext{initiator: true, key: ticket.key, receive: 4711}
		_, _ = (&layer{ctx: c}).Unwrap(bytes.Clone(offer))
	})
}

// TestAES256WithSHA384 uses keys of the fourth encryption type, for which the library cannot issue
// tickets.
func TestAES256WithSHA384(t *testing.T) {
	key := types.EncryptionKey{KeyType: 20, KeyValue: bytes.Repeat([]byte{3}, 32)}
	for _, seal := range []bool{false, true} {
		a, b := &secContext{initiator: true, key: key}, &secContext{key: key}
		token, err := a.wrap(nil, []byte("text"), seal)
		require.NoError(t, err)
		got, err := b.unwrap(token, seal)
		require.NoError(t, err)
		require.Equal(t, "text", string(got))
	}
}
