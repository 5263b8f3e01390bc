package transfer

import (
	"context"
	"net"
)

// Security makes a new connection to a DataNode safe before the first operation is sent over it.
type Security interface {
	// Secure runs the handshake that the cluster wants and gives the connection to go on with: conn itself, or one that
	// checks or encrypts what goes over it. conn has a deadline that follows ctx; whoever fails need not close it.
	Secure(ctx context.Context, conn net.Conn, p Peer) (net.Conn, error)
}

// Peer is the DataNode that a connection leads to, and what proves that we may talk to it.
type Peer struct {
	DataNode DataNode
	Token    Token // of the block that is asked for first
	// Key fetches the key of encrypted data transfer from the NameNode; nil result: the cluster does not encrypt.
	Key func(ctx context.Context) (*EncryptionKey, error)
}

// Token is a block access token as the NameNode issued it; nothing in it is looked at. All empty without security.
type Token struct {
	Identifier, Password []byte
	Kind, Service        string
}

// EncryptionKey is what dfs.encrypt.data.transfer works with.
type EncryptionKey struct {
	ID           uint32
	BlockPool    string
	Nonce, Key   []byte
	ExpiryMillis uint64
	Algorithm    string // "3des", "rc4"; empty: what SASL chooses
}

// DataNode says where a DataNode is reached.
type DataNode struct {
	IP, Host string
	UUID     string
	Port     int    // data transfer
	IPCPort  int    // RPC
	InfoPort int    // HTTP
	Rack     string // "/default-rack"
	State    AdminState
}

// AdminState says whether a DataNode is being taken out of service.
type AdminState int

// The states, numbered as in Hadoop.
const (
	Normal AdminState = iota
	DecommissionInProgress
	Decommissioned
	EnteringMaintenance
	InMaintenance
)
