package rpc

import (
	"context"
	"net"
)

// Security authenticates the client on a new connection. It can encrypt the connection's data.
type Security interface {
	// Negotiate runs the SASL handshake on conn. Before that, the client has sent only the header
	// that announces SASL. Negotiate returns the connection to continue with, which is conn or a
	// wrapper of conn, and the user for the connection's context. user is "" if the handshake
	// itself named the user, as with a token. conn has a deadline that follows ctx. Negotiate does
	// not have to close conn on failure.
	Negotiate(ctx context.Context, conn net.Conn, s Server) (secured net.Conn, user string, err error)
}

// Server identifies the server of a handshake.
type Server struct {
	Addr     string // "host:port" as configured
	Service  string // service of tokens for this server: "ha-hdfs:NAMESERVICE" for an HA pair, else Addr
	Protocol string // "org.apache.hadoop.hdfs.protocol.ClientProtocol"
}
