package rpc

import (
	"context"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/keepalive"
	grpcpeer "google.golang.org/grpc/peer"
	"google.golang.org/grpc/tap"
)

// Server is a gRPC server that limits the memory of its requests (see budget) and replies. gRPC reads a
// whole request before it calls an interceptor of a unary method. The Server therefore registers unary
// methods as methods that stream one request and one reply, which clients cannot distinguish. gRPC
// calls their handlers before it reads the request. Until the handler reads the request, gRPC
// buffers at most one window of 64 KiB for each call.
type Server struct {
	*grpc.Server
	options Options
	budget  *budget
	replies *replies
}

// maxCalls is the maximum number of unfinished calls on one connection. Additional calls wait at
// the client.
const maxCalls = 4096

// buffer is the size of the buffers through which a server reads from a connection and writes to it,
// in bytes. A heartbeat and its reply are smaller. Larger messages bypass the buffer when the server
// reads them, and need a system call for each buffer when it sends them. A connection has a buffer
// only while it reads or sends, but on a busy machine thousands of connections do. gRPC's default of
// 32 KiB for both would need up to 640 MB for 10,000 TaskTrackers.
const buffer = 4 << 10

// headerTable is the size of the table in which a connection keeps the headers of requests, in
// bytes. The headers that all calls of a TaskTracker have in common need about 400 bytes. A client
// that sends deadlines adds one with every call, so that larger tables only hold more old deadlines.
const headerTable = 1 << 10

// requestWindow is how much of a request a client can send before the server reads it, in bytes,
// and replyWindow is the same for a reply. They are fixed, because gRPC would otherwise adapt them,
// and for that would send and answer an HTTP/2 ping with almost every heartbeat.
const (
	requestWindow = 64 << 10
	replyWindow   = 1 << 20
)

// NewServer returns a server whose handlers can return *failure.Error. If a handler panics, the
// client receives an error of kind Internal and the server continues.
func NewServer(o Options) *Server {
	o = o.withDefaults()
	b := newBudget(int64(o.MaxMessage), o.Memory)
	r := newReplies(o.Memory, int64(o.maxReply()))
	return &Server{options: o, budget: b, replies: r, Server: grpc.NewServer(
		grpc.Creds(serverCredentials(o)),
		grpc.ConnectionTimeout(greetTimeout),
		grpc.MaxRecvMsgSize(o.MaxMessage), grpc.MaxSendMsgSize(o.maxReply()),
		grpc.ForceServerCodecV2(codec{b.largest}),
		grpc.InTapHandle(cancelable),
		grpc.KeepaliveParams(keepalive.ServerParameters{Time: pingEvery, Timeout: pingTimeout,
			MaxConnectionIdle: idleTimeout}),
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: pingEvery / 2, PermitWithoutStream: true}),
		grpc.MaxConcurrentStreams(maxCalls),
		grpc.ReadBufferSize(buffer), grpc.WriteBufferSize(buffer), grpc.HeaderTableSize(headerTable),
		grpc.StaticStreamWindowSize(requestWindow), grpc.StaticConnWindowSize(requestWindow),
	)}
}

// RegisterService implements grpc.ServiceRegistrar for services whose methods are unary.
func (s *Server) RegisterService(service *grpc.ServiceDesc, implementation any) {
	streams := *service
	streams.Methods = nil
	for i := range service.Methods {
		m := &service.Methods[i]
		observe := func(time.Duration) {}
		if s.options.Observer != nil {
			observe = s.options.Observer(m.MethodName)
		}
		streams.Streams = append(streams.Streams, grpc.StreamDesc{StreamName: m.MethodName,
			Handler: func(implementation any, stream grpc.ServerStream) error {
				began := time.Now()
				defer func() { observe(time.Since(began)) }()
				return s.answer(implementation, m, "/"+service.ServiceName+"/"+m.MethodName, stream)
			}})
	}
	s.Server.RegisterService(&streams, implementation)
}

// answer checks the caller, reads the request, passes it to the method with the principal in the
// context, and sends the reply. It reads nothing from a caller who may not make the call.
func (s *Server) answer(implementation any, m *grpc.MethodDesc, name string, stream grpc.ServerStream) error {
	ctx, err := s.options.identify(stream.Context())
	if err == nil {
		err = s.options.permit(ctx, name)
	}
	if err != nil {
		return ToStatus(err)
	}
	var held int64
	defer func() { s.budget.requests.Release(held) }()
	receive := func(message any) (err error) {
		held, err = s.budget.receive(ctx, stream, message)
		return ToStatus(err)
	}
	reply, err := m.Handler(implementation, ctx, receive, s.options.intercept)
	if err != nil {
		return err
	}
	return s.replies.send(stream, reply)
}

type cancelKey struct{}

// cancelable returns a context for a call that the server can cancel, which is the only way to stop
// reading a request. gRPC calls it before a handler runs.
func cancelable(ctx context.Context, _ *tap.Info) (context.Context, error) {
	ctx, cancel := context.WithCancel(ctx)
	return context.WithValue(ctx, cancelKey{}, cancel), nil
}

// readWithin reads a message. If the client does not send the whole message within limit,
// readWithin cancels the call.
func readWithin(limit time.Duration, stream grpc.ServerStream, message any) error {
	if cancel, ok := stream.Context().Value(cancelKey{}).(context.CancelFunc); ok {
		defer time.AfterFunc(limit, cancel).Stop()
	}
	return stream.RecvMsg(message)
}

// connection returns what the server knows about the client's connection. If the server has no
// secret, the result is nil.
func connection(ctx context.Context) *peer {
	if p, ok := grpcpeer.FromContext(ctx); ok {
		if greeted, ok := p.AuthInfo.(*peer); ok {
			return greeted
		}
	}
	return nil
}
