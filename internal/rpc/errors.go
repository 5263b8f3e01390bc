package rpc

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/howdah/howdah/job/failure"
)

// domain identifies howdah's error details.
const domain = "howdah"

// maxText is the maximum length of an error's text on the wire, in bytes. gRPC sends the text in a
// header whose size is limited.
const maxText = 4 << 10

// codeOf maps kinds to gRPC codes, for clients other than howdah's.
var codeOf = map[failure.Kind]codes.Code{
	failure.Usage:       codes.InvalidArgument,
	failure.Config:      codes.InvalidArgument,
	failure.NotFound:    codes.NotFound,
	failure.Exists:      codes.AlreadyExists,
	failure.Permission:  codes.PermissionDenied,
	failure.Unreachable: codes.Unavailable,
	failure.Timeout:     codes.DeadlineExceeded,
	failure.Killed:      codes.Canceled,
	failure.Interrupted: codes.Canceled,
	failure.Limit:       codes.ResourceExhausted,
	failure.DiskFull:    codes.ResourceExhausted,
	failure.Stale:       codes.FailedPrecondition,
	failure.Corrupt:     codes.DataLoss,
	failure.Internal:    codes.Internal,
}

// ToStatus converts err to an error that gRPC can send. At the other end, FromStatus returns a
// *failure.Error with the same kind, operation, object, text, and remedy, except that texts are
// truncated to maxText bytes. If err is nil, ToStatus returns nil.
func ToStatus(err error) error {
	if err == nil {
		return nil
	}
	var e *failure.Error
	if !errors.As(err, &e) {
		if _, ok := status.FromError(err); ok {
			return err // an error from gRPC itself
		}
		e = failure.New(failure.KindOf(err), "", "", err)
	}
	code, ok := codeOf[e.Kind]
	if !ok {
		code = codes.Unknown
	}
	text := ""
	if e.Err != nil {
		text = e.Err.Error()
	}
	info := &errdetails.ErrorInfo{Reason: e.Kind.String(), Domain: domain, Metadata: map[string]string{
		"kind": strconv.Itoa(int(e.Kind)), "op": cut(e.Op), "on": cut(e.On), "text": cut(text), "remedy": cut(e.Remedy)}}
	s, detailErr := status.New(code, cut(e.Error())).WithDetails(info)
	if detailErr != nil {
		return status.Error(code, cut(e.Error()))
	}
	return s.Err()
}

func cut(s string) string {
	if len(s) > maxText {
		return s[:maxText] + "…"
	}
	return s
}

// FromStatus converts the error of a gRPC call to a *failure.Error. If the error is from gRPC
// itself, the result contains method and addr.
func FromStatus(err error, method, addr string) error {
	if err == nil {
		return nil
	}
	s, ok := status.FromError(err)
	if !ok {
		return failure.New(failure.KindOf(err), "call "+method+" of", addr, err)
	}
	for _, d := range s.Details() {
		if info, ok := d.(*errdetails.ErrorInfo); ok && info.Domain == domain {
			return fromInfo(info, method, addr)
		}
	}
	return fromGRPC(s, method, addr)
}

// fromInfo rebuilds the error that the other end sent. If that error has neither an operation nor
// an object, the result contains method and addr instead.
func fromInfo(info *errdetails.ErrorInfo, method, addr string) error {
	m := info.Metadata
	kind, err := strconv.ParseUint(m["kind"], 10, 8)
	if err != nil {
		kind = uint64(failure.Unknown)
	}
	e := failure.New(failure.Kind(kind), m["op"], m["on"], nil).Fix(m["remedy"])
	if m["text"] != "" {
		e.Err = errors.New(m["text"])
	}
	if e.Op == "" && e.On == "" {
		e.Op, e.On = "call "+method+" of", addr
	}
	return e
}

func fromGRPC(s *status.Status, method, addr string) error {
	kind, why := failure.Unknown, errors.New(s.Message())
	remedy := ""
	switch s.Code() {
	case codes.Unavailable:
		kind, why = failure.Unreachable, errors.New(dialError(s.Message()))
		remedy = "check that the daemon runs and that the address is correct"
	case codes.DeadlineExceeded:
		kind, why = failure.Timeout, context.DeadlineExceeded
	case codes.Canceled:
		kind, why = failure.Killed, context.Canceled
	case codes.ResourceExhausted:
		kind, remedy = failure.Limit, "raise ipc.maximum.data.length on both sides"
	case codes.Unimplemented:
		kind, remedy = failure.Stale, "run the same version of howdah on both sides"
	case codes.PermissionDenied, codes.Unauthenticated:
		kind = failure.Permission
	case codes.Internal:
		kind = failure.Internal
	}
	return failure.New(kind, "call "+method+" of", addr, why).Fix(remedy)
}

// dialError returns the cause in gRPC's text about a failed connection, such as "connection refused" in
// `connection error: desc = "transport: Error while dialing: dial tcp HOST:PORT: connect: connection
// refused"`. It returns other texts unchanged.
func dialError(text string) string {
	if strings.Contains(text, "Error while dialing: ") {
		text = strings.TrimSuffix(text[strings.LastIndex(text, ": ")+2:], `"`)
	}
	return text
}
