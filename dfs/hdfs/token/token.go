// Package token implements credentials that work without Kerberos. A Token is a delegation token.
// Credentials is the content of the file that carries tokens along with a job (Hadoop's
// Credentials: HADOOP_TOKEN_FILE_LOCATION, -tokenCacheFile). Identifier is the decoded identifier
// of a token.
package token

import (
	"errors"
	"fmt"
	"time"

	"github.com/howdah/howdah/internal/pb"
	"github.com/howdah/howdah/internal/vint"
)

// KindHDFS is the kind of a NameNode's delegation tokens.
const KindHDFS = "HDFS_DELEGATION_TOKEN"

// Token is a credential that a service issued and accepts (org.apache.hadoop.security.token.Token).
// Password is secret.
type Token struct {
	Identifier []byte // encoded by the service; see Decode
	Password   []byte
	Kind       string
	Service    string // "ip:port" for a NameNode, "ha-hdfs:NAMESERVICE" for an HA pair
}

// String returns a description of the token without the password.
func (t *Token) String() string {
	id, err := Decode(t.Identifier)
	if t.Kind != KindHDFS || err != nil {
		return fmt.Sprintf("token of kind %s for %s", t.Kind, t.Service)
	}
	return fmt.Sprintf("%s token %d for %s on %s", t.Kind, id.Sequence, id.Owner, t.Service)
}

// Proto returns the token as a TokenProto.
func (t *Token) Proto() pb.Message {
	return pb.Message(nil).Bytes(1, t.Identifier).Bytes(2, t.Password).String(3, t.Kind).String(4, t.Service)
}

// FromProto decodes a TokenProto. The result aliases b.
func FromProto(b []byte) (Token, error) {
	var t Token
	r := pb.Read(b)
	for r.Next() {
		switch r.Num {
		case 1:
			t.Identifier = r.Bytes()
		case 2:
			t.Password = r.Bytes()
		case 3:
			t.Kind = r.String()
		case 4:
			t.Service = r.String()
		}
	}
	return t, r.Err
}

// Identifier is the decoded identifier of a delegation token (AbstractDelegationTokenIdentifier).
type Identifier struct {
	Owner, Renewer, RealUser string
	Issued, Max              time.Time // Max is the latest time to which the token can be renewed
	Sequence                 int64
	MasterKey                int64
}

// Decode decodes the identifier of a delegation token.
func Decode(b []byte) (Identifier, error) {
	var id Identifier
	if len(b) == 0 || b[0] != 0 {
		return id, errors.New("not a delegation token's identifier")
	}
	r := reader{b: b[1:]}
	id.Owner, id.Renewer, id.RealUser = r.text(), r.text(), r.text()
	id.Issued, id.Max = time.UnixMilli(r.number()), time.UnixMilli(r.number())
	id.Sequence, id.MasterKey = r.number(), r.number()
	return id, r.end()
}

// reader reads Writables. After an error, all results are zero, and end returns the error.
type reader struct {
	b   []byte
	bad bool
}

func (r *reader) number() int64 {
	v, n := vint.Long(r.b)
	if n == 0 {
		r.bad, r.b = true, nil
		return 0
	}
	r.b = r.b[n:]
	return v
}

// count reads the number of elements that follow. An element has at least size bytes. count rejects
// a number for which too little data remains, so damaged data cannot cause a large allocation.
func (r *reader) count(size int) int {
	n := r.number()
	if n < 0 || n > int64(len(r.b)/size) {
		r.bad, r.b = true, nil
		return 0
	}
	return int(n)
}

func (r *reader) bytes() []byte {
	n := r.count(1)
	v := r.b[:n:n]
	r.b = r.b[n:]
	return v
}

func (r *reader) text() string { return string(r.bytes()) }

func (r *reader) end() error {
	if r.bad || len(r.b) != 0 {
		return errors.New("damaged or truncated")
	}
	return nil
}

func appendBytes(b, v []byte) []byte { return append(vint.Append(b, int64(len(v))), v...) }

func appendText(b []byte, v string) []byte { return append(vint.Append(b, int64(len(v))), v...) }
