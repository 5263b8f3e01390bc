// Package tokens serves administrators who create, list, and revoke tokens of users and nodes. It
// also lends tokens to users with a Kerberos login, issues certificates, and checks tokens for
// nodes. [Register] serves these calls for a daemon, and a [Client] makes them over a connection.
package tokens

import (
	"context"
	"errors"
	"time"

	"google.golang.org/grpc"

	"github.com/howdah/howdah/internal/auth"
	"github.com/howdah/howdah/internal/auth/certs"
	"github.com/howdah/howdah/internal/transport"
	"github.com/howdah/howdah/internal/wire/token"
	"github.com/howdah/howdah/job/failure"
)

// Register makes the server s give administrators access to l, the daemon's list of tokens. The
// server also issues certificates if issuer, the daemon's TLS, can do so.
func Register(s grpc.ServiceRegistrar, l *auth.Ledger, issuer *certs.TLS) {
	token.RegisterTokensServer(s, &server{ledger: l, issuer: issuer})
}

type server struct {
	token.UnimplementedTokensServer
	ledger *auth.Ledger
	issuer *certs.TLS
}

func (s *server) Create(ctx context.Context, r *token.CreateRequest) (*token.CreateReply, error) {
	if auth.Login(ctx) {
		return s.lend(auth.From(ctx), auth.Expiry(ctx), r)
	}
	days := min(max(int64(r.GetDays()), 0), auth.MaxDays+1) // Issue rejects values out of range
	text, err := s.ledger.Issue(auth.Claims{User: r.GetUser(), Node: r.GetNode(), Admin: r.GetAdmin(),
		Expires: time.Now().Unix() + days*24*60*60}, r.GetBy())
	if err != nil {
		return nil, err
	}
	return &token.CreateReply{Text: text}, nil
}

// lend returns a token for the web pages to a user with a Kerberos login.
func (s *server) lend(p auth.Principal, end time.Time, r *token.CreateRequest) (*token.CreateReply, error) {
	if r.GetNode() != "" || r.GetAdmin() || r.GetUser() != "" && r.GetUser() != p.User {
		return nil, failure.New(failure.Permission, "create token", r.GetUser()+r.GetNode(),
			errors.New(p.String()+" may create tokens only of "+p.String())).Fix("ask an administrator")
	}
	return &token.CreateReply{Text: s.ledger.Lend(auth.Claims{User: p.User, Expires: end.Unix()})}, nil
}

func (s *server) List(context.Context, *token.ListRequest) (*token.ListReply, error) {
	return &token.ListReply{Token: transport.List(s.ledger.List(), toWire)}, nil
}

func (s *server) Revoke(_ context.Context, r *token.RevokeRequest) (*token.RevokeReply, error) {
	if err := s.ledger.Revoke(fromWire(r.GetToken()).Claims); err != nil {
		return nil, err
	}
	return &token.RevokeReply{}, nil
}

func (s *server) Certify(ctx context.Context, r *token.CertifyRequest) (*token.CertifyReply, error) {
	cert, ca, err := s.issuer.Grant(r.GetCsr(), auth.From(ctx), auth.IP(ctx), auth.Expiry(ctx))
	if err != nil {
		return nil, err
	}
	return &token.CertifyReply{Certificate: cert, Ca: ca}, nil
}

func (s *server) Check(_ context.Context, r *token.CheckRequest) (*token.CheckReply, error) {
	c, until, err := s.ledger.CheckWeb(r.GetText(), auth.Use(r.GetUse()), r.GetPlace())
	if err != nil {
		return nil, failure.New(failure.Permission, "check token", "", err)
	}
	return &token.CheckReply{Token: toWire(auth.Issued{Claims: c}), Until: until.Unix()}, nil
}

// Client calls a daemon on behalf of an administrator or, for Check, a node. Errors are of type
// *failure.Error.
type Client struct{ tokens token.TokensClient }

// NewClient returns a client of the daemon at the other end of a connection.
func NewClient(conn grpc.ClientConnInterface) Client { return Client{token.NewTokensClient(conn)} }

// Create returns a new token with the given claims. The token is valid for the given number of
// days. by is the user who requests the token.
func (c Client) Create(ctx context.Context, claims auth.Claims, days int, by string) (string, error) {
	r, err := c.tokens.Create(ctx, &token.CreateRequest{User: claims.User, Node: claims.Node, Admin: claims.Admin,
		Days: int32(min(days, auth.MaxDays+1)), By: by})
	return r.GetText(), err
}

// List returns the tokens that the daemon has issued or revoked and that have not expired.
func (c Client) List(ctx context.Context) ([]auth.Issued, error) {
	r, err := c.tokens.List(ctx, &token.ListRequest{})
	return transport.List(r.GetToken(), fromWire), err
}

// Revoke makes a token invalid at the daemon.
func (c Client) Revoke(ctx context.Context, t auth.Issued) error {
	_, err := c.tokens.Revoke(ctx, &token.RevokeRequest{Token: toWire(t)})
	return err
}

// Check returns the claims of a token or a pass, and the time at which it expires. If the text is
// not valid for use at place, the error is of kind Permission.
func (c Client) Check(ctx context.Context, text string, use auth.Use, place string) (auth.Claims, time.Time, error) {
	r, err := c.tokens.Check(ctx, &token.CheckRequest{Text: text, Use: string(use), Place: place})
	return fromWire(r.GetToken()).Claims, time.Unix(r.GetUntil(), 0), err
}

func toWire(t auth.Issued) *token.Token {
	return &token.Token{Id: t.ID, User: t.User, Node: t.Node, Admin: t.Admin, Expires: t.Expires, Created: t.Created,
		Revoked: t.Revoked, By: t.By}
}

func fromWire(t *token.Token) auth.Issued {
	return auth.Issued{Claims: auth.Claims{ID: t.GetId(), User: t.GetUser(), Node: t.GetNode(), Admin: t.GetAdmin(),
		Expires: t.GetExpires()}, Created: t.GetCreated(), Revoked: t.GetRevoked(), By: t.GetBy()}
}
