package security

import (
	"context"
	"errors"
	"time"

	"github.com/howdah/howdah/dfs/hdfs/token"
	"github.com/howdah/howdah/dfs/hdfs/transfer"
	"github.com/howdah/howdah/internal/pb"
	"github.com/howdah/howdah/job/failure"
)

// NameNode is the part of namenode.Client that the functions for tokens and keys use.
type NameNode interface {
	// Raw makes a call. The request and the answer are encoded messages.
	Raw(ctx context.Context, method string, request []byte) ([]byte, error)
}

// GetToken requests a delegation token that renewer (a user name or principal) may renew. The
// caller must be logged in through Kerberos because NameNodes do not issue tokens to callers that
// authenticated with a token. ok is false if the NameNode has no security and therefore does not
// issue tokens. service is the name under which to store the token: "ip:port" or
// "ha-hdfs:NAMESERVICE".
func GetToken(ctx context.Context, nn NameNode, renewer, service string) (t token.Token, ok bool, err error) {
	answer, err := nn.Raw(ctx, "getDelegationToken", pb.Message(nil).String(1, renewer))
	if err != nil {
		return t, false, err
	}
	r := pb.Read(answer)
	for r.Next() {
		if r.Num == 1 {
			t, err = token.FromProto(r.Bytes())
			ok = true
		}
	}
	if err = errors.Join(err, r.Err); err != nil {
		return t, false, failure.New(failure.IO, "get delegation token for", service, err)
	}
	t.Service = service
	return t, ok, nil
}

// RenewToken extends the lifetime of a token and returns the new expiration time. The caller must
// be the token's renewer.
func RenewToken(ctx context.Context, nn NameNode, t token.Token) (time.Time, error) {
	answer, err := nn.Raw(ctx, "renewDelegationToken", pb.Message(nil).Bytes(1, t.Proto()))
	if err != nil {
		return time.Time{}, err
	}
	var end uint64
	r := pb.Read(answer)
	for r.Next() {
		if r.Num == 1 {
			end = r.Uint()
		}
	}
	if r.Err != nil {
		return time.Time{}, failure.New(failure.IO, "renew", t.String(), r.Err)
	}
	return time.UnixMilli(int64(end)), nil
}

// CancelToken invalidates a token. The caller must be the token's owner or renewer.
func CancelToken(ctx context.Context, nn NameNode, t token.Token) error {
	_, err := nn.Raw(ctx, "cancelDelegationToken", pb.Message(nil).Bytes(1, t.Proto()))
	return err
}

// FetchKey returns the key for encrypted transfer, or nil if the NameNode's defaults do not require
// encryption.
func FetchKey(ctx context.Context, nn NameNode) (*transfer.EncryptionKey, error) {
	answer, err := nn.Raw(ctx, "getServerDefaults", nil)
	if err != nil {
		return nil, err
	}
	if encrypts, err := encryptsTransfer(answer); err != nil || !encrypts {
		return nil, err
	}
	if answer, err = nn.Raw(ctx, "getDataEncryptionKey", nil); err != nil {
		return nil, err
	}
	return parseKey(answer)
}

// encryptsTransfer decodes a GetServerDefaultsResponseProto.
func encryptsTransfer(answer []byte) (encrypts bool, err error) {
	r := pb.Read(answer)
	for r.Next() {
		if r.Num != 1 {
			continue
		}
		d := pb.Read(r.Bytes())
		for d.Next() {
			if d.Num == 6 {
				encrypts = d.Bool()
			}
		}
		err = errors.Join(err, d.Err)
	}
	return encrypts, errors.Join(err, r.Err)
}

// parseKey decodes a GetDataEncryptionKeyResponseProto.
func parseKey(answer []byte) (key *transfer.EncryptionKey, err error) {
	r := pb.Read(answer)
	for r.Next() {
		if r.Num != 1 {
			continue
		}
		key = &transfer.EncryptionKey{}
		k := pb.Read(r.Bytes())
		for k.Next() {
			switch k.Num {
			case 1:
				key.ID = uint32(k.Uint())
			case 2:
				key.BlockPool = k.String()
			case 3:
				key.Nonce = k.Bytes()
			case 4:
				key.Key = k.Bytes()
			case 5:
				key.ExpiryMillis = k.Uint()
			case 6:
				key.Algorithm = k.String()
			}
		}
		err = errors.Join(err, k.Err)
	}
	if err = errors.Join(err, r.Err); err == nil && key == nil {
		err = errors.New("the NameNode requires encrypted data transfer but returned no key")
	}
	return key, err
}
