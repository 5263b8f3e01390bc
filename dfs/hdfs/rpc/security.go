package rpc

import (
	"context"
	"net"
)

// Security proves who we are on a new connection, and may encrypt what goes over it.
type Security interface {
	// Negotiate runs the SASL handshake on conn, on which nothing but the header that announces SASL was sent. It gives the
	// connection to go on with (conn itself, or one that wraps every message), and the user to name in the connection's
	// context: "" where the handshake itself told it, as with a token. conn has a deadline that follows ctx; whoever fails
	// need not close it.
	Negotiate(ctx context.Context, conn net.Conn, s Server) (secured net.Conn, user string, err error)
}

// Server is who the handshake is with.
type Server struct {
	Addr     string // "host:port" as configured
	Service  string // what tokens are looked up by: "ha-hdfs:NAMESERVICE" of an HA pair, else "ip:port"
	Protocol string // "org.apache.hadoop.hdfs.protocol.ClientProtocol"
}
