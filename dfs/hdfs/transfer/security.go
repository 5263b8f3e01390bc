package transfer

import (
	"context"
	"net"
)

// Security secures a new connection to a DataNode before the first operation.
type Security interface {
	// Secure performs the handshake that the cluster requires. It returns the connection to
	// continue with: conn itself, or a wrapper that verifies or encrypts the data. conn has a
	// deadline that follows ctx. Secure does not have to close conn on failure.
	Secure(ctx context.Context, conn net.Conn, p Peer) (net.Conn, error)
}

// Peer is the DataNode at the other end of a connection, and the credentials for that DataNode.
type Peer struct {
	DataNode DataNode
	Token    Token // token of the first requested block
	// Key fetches the key for encrypted data transfer from the NameNode. It returns nil if the
	// cluster does not encrypt.
	Key func(ctx context.Context) (*EncryptionKey, error)
}

// Token is a block access token from the NameNode. The client does not interpret it. Without
// security, all fields are empty.
type Token struct {
	Identifier, Password []byte
	Kind, Service        string
}

// EncryptionKey is the key for dfs.encrypt.data.transfer.
type EncryptionKey struct {
	ID           uint32
	BlockPool    string
	Nonce, Key   []byte
	ExpiryMillis uint64
	Algorithm    string // "3des" or "rc4"; "" means that SASL chooses
}

// DataNode contains a DataNode's addresses.
type DataNode struct {
	IP, Host string
	UUID     string
	Port     int    // for data transfer
	IPCPort  int    // for RPC
	InfoPort int    // for HTTP
	Rack     string // "/default-rack"
	State    AdminState
}

// AdminState is a DataNode's administrative state.
type AdminState int

// The states, with Hadoop's numbers.
const (
	Normal AdminState = iota
	DecommissionInProgress
	Decommissioned
	EnteringMaintenance
	InMaintenance
)
