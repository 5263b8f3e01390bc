// Package kerberostest creates keytabs and client requests for tests without a KDC.
package kerberostest

import (
	"bytes"
	"crypto/rand"
	"encoding/asn1"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/jcmturner/gokrb5/v8/iana/chksumtype"
	"github.com/jcmturner/gokrb5/v8/iana/nametype"
	"github.com/jcmturner/gokrb5/v8/keytab"
	"github.com/jcmturner/gokrb5/v8/messages"
	"github.com/jcmturner/gokrb5/v8/types"
	"github.com/stretchr/testify/require"
)

// Realm is the default realm of the tests.
const Realm = "TEST.LOCAL"

// Service is a service with a key.
type Service struct {
	Keytab string // file
	name   string
	keys   *keytab.Keytab
}

// New creates a service such as "jt/localhost", and sets $KRB5_CONFIG to a file with the default realm.
func New(t testing.TB, name string) *Service {
	t.Helper()
	dir := t.TempDir()
	krb5 := filepath.Join(dir, "krb5.conf")
	require.NoError(t, os.WriteFile(krb5, []byte("[libdefaults]\n default_realm = "+Realm+"\n"), 0o600))
	t.Setenv("KRB5_CONFIG", krb5)
	s := &Service{Keytab: filepath.Join(dir, "keytab"), name: name, keys: keytab.New()}
	require.NoError(t, s.keys.AddEntry(name, Realm, rand.Text(), time.Now(), 1, 18))
	b, err := s.keys.Marshal()
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(s.Keytab, b, 0o600))
	return s
}

// Request returns the message that a client with a one-hour ticket sends to the service, and the
// key that only the two ends share. late is how far the client's clock is behind.
func (s *Service) Request(t testing.TB, client string, late time.Duration) (request, key []byte) {
	t.Helper()
	name := types.NewPrincipalName(nametype.KRB_NT_PRINCIPAL, client)
	now := time.Now().UTC()
	service := types.NewPrincipalName(nametype.KRB_NT_SRV_INST, s.name)
	ticket, session, err := messages.NewTicket(name, Realm, service, Realm,
		types.NewKrbFlags(), s.keys, 18, 1, now, now, now.Add(time.Hour), now.Add(time.Hour))
	require.NoError(t, err)
	auth, err := types.NewAuthenticator(Realm, name)
	require.NoError(t, err)
	require.NoError(t, auth.GenerateSeqNumberAndSubKey(session.KeyType, len(session.KeyValue)))
	auth.CTime = auth.CTime.Add(-late).Truncate(time.Second)
	auth.Cksum = types.Checksum{CksumType: chksumtype.GSSAPI, Checksum: make([]byte, 24)}
	r, err := messages.NewAPReq(ticket, session, auth)
	require.NoError(t, err)
	body, err := r.Marshal()
	require.NoError(t, err)
	mechanism, err := asn1.Marshal(asn1.ObjectIdentifier{1, 2, 840, 113554, 1, 2, 2})
	require.NoError(t, err)
	token, err := asn1.Marshal(asn1.RawValue{Class: asn1.ClassApplication, IsCompound: true,
		Bytes: bytes.Join([][]byte{mechanism, {1, 0}, body}, nil)})
	require.NoError(t, err)
	return token, auth.SubKey.KeyValue
}
