// Package gossip lets the daemons of a cluster find its JobTracker, and the agents of a pool of
// MR-clusters find its manager, over hashicorp/memberlist. It does not detect failures; only
// heartbeats decide which daemons are alive.
package gossip

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/memberlist"

	"github.com/howdah/howdah/internal/lifecycle"
	"github.com/howdah/howdah/job/failure"
)

// These are the roles of members.
const (
	JobTracker  = "jobtracker"
	TaskTracker = "tasktracker"
	Manager     = "manager" // manager of MR-clusters
	Agent       = "agent"   // agent of a node in a manager's pool
)

// Meta is the announcement of a member. Its JSON form has at most 512 bytes, so it contains no load
// figures.
type Meta struct {
	Role  string `json:"r"`
	RPC   string `json:"a,omitempty"` // host:port
	HTTP  string `json:"h,omitempty"`
	Epoch int64  `json:"e,omitempty"` // restart count of a JobTracker or incarnation of a manager; the highest epoch wins
	Pool  string `json:"p,omitempty"` // pool of a manager
}

// Config configures a member.
type Config struct {
	Bind string // host:port to listen on, TCP and UDP; port 0 means any free port; "" means 127.0.0.1:0
	// Seeds are the addresses (host:port) of members to join. They need not be reachable yet.
	Seeds []string
	// PeersFile is the name of the file of recently seen members, which are additional seeds at the
	// next start. With it, a JobTracker that restarts on different ports can reach TaskTrackers that
	// have only its old address. "" means no file.
	PeersFile string
	Key       []byte // 16, 24, or 32 bytes to encrypt the gossip; nil means no encryption
	Meta      Meta
	// Seek is the role of the member to find; "" means JobTracker.
	Seek string
	// RetryEvery is the pause between attempts to reach seeds while this member is alone or sees no
	// member with the role Seek. 0 means 1 s.
	RetryEvery time.Duration
	// Log receives a warning if another member has a different key. If Log is nil, Join discards the
	// warnings.
	Log *slog.Logger
}

// Node is this process's membership in the gossip. It is safe for concurrent use.
type Node struct {
	list  *memberlist.Memberlist
	seek  string
	seeds []string
	peers peersFile

	mu   sync.Mutex
	meta Meta

	stop context.CancelFunc
	done chan struct{}
}

// Join starts gossiping. It does not wait until a seed is reachable. It returns an error only if
// the address cannot be bound, a seed is not an address, the key has the wrong size, or Meta is too
// large.
func Join(cfg Config) (*Node, error) {
	if cfg.Bind == "" {
		cfg.Bind = "127.0.0.1:0"
	}
	if cfg.RetryEvery <= 0 {
		cfg.RetryEvery = time.Second
	}
	if b, _ := json.Marshal(cfg.Meta); len(b) > memberlist.MetaMaxSize {
		return nil, failure.New(failure.Config, "join gossip", cfg.Meta.RPC,
			fmt.Errorf("the metadata has %d bytes; the limit is %d", len(b), memberlist.MetaMaxSize))
	}
	for _, seed := range cfg.Seeds {
		if _, _, err := net.SplitHostPort(seed); err != nil {
			return nil, failure.New(failure.Config, "join gossip", seed, err).Fix("use addresses of the form " +
				"host:port")
		}
	}
	n := &Node{seek: cmp.Or(cfg.Seek, JobTracker), meta: cfg.Meta, peers: peersFile(cfg.PeersFile),
		done: make(chan struct{})}
	n.seeds = append(slices.Clone(cfg.Seeds), n.peers.load()...)
	mc, err := n.memberlistConfig(cfg)
	if err != nil {
		return nil, err
	}
	net, err := newTransport(&memberlist.NetTransportConfig{BindAddrs: []string{mc.BindAddr}, BindPort: mc.BindPort,
		Logger: mc.Logger})
	if err == nil {
		mc.Transport, mc.BindPort = net, net.GetAutoBindPort()
		mc.AdvertisePort = mc.BindPort
		n.list, err = memberlist.Create(mc)
	}
	if err != nil {
		return nil, failure.New(failure.Config, "join gossip", cfg.Bind, err).
			Fix("use an address of this machine with a free port, or port 0")
	}
	ctx, stop := context.WithCancel(context.Background())
	n.stop = stop
	go n.keepJoined(ctx, cfg.RetryEvery)
	return n, nil
}

// memberlistConfig returns memberlist's settings for local networks, but with more retransmissions
// and more frequent push/pulls. A member that does not receive the gossip about a join learns of
// the join only from a push/pull.
func (n *Node) memberlistConfig(cfg Config) (*memberlist.Config, error) {
	at, err := net.ResolveTCPAddr("tcp", cfg.Bind) // memberlist listens on all addresses if it gets a host name
	if err != nil {
		return nil, failure.New(failure.Config, "join gossip", cfg.Bind, err).Fix("use an address of the form " +
			"host:port")
	}
	if at.IP == nil { // as in :7946
		at.IP = net.IPv4zero
	}
	mc := memberlist.DefaultLANConfig()
	mc.BindAddr, mc.BindPort = at.IP.String(), at.Port
	// A restarted member counts as a new member, so each start uses a new name.
	mc.Name = fmt.Sprintf("%s-%s-%d", cfg.Meta.Role, cfg.Bind, time.Now().UnixNano())
	mc.RetransmitMult = 8
	mc.PushPullInterval = 10 * time.Second
	mc.SecretKey = cfg.Key
	mc.Delegate = delegate{n}
	mc.Logger = log.New(io.Discard, "", 0)
	if cfg.Log != nil {
		mc.Logger = log.New(&complaints{log: cfg.Log}, "", 0)
	}
	return mc, nil
}

// complainEvery is the minimum interval between two warnings about members with different keys.
const complainEvery = 10 * time.Second

// complaints is the writer for memberlist's log. It logs when members have different keys. It
// limits the rate, because such members retry continually. It does not log that members are gone,
// because that is normal.
type complaints struct {
	log  *slog.Logger
	mu   sync.Mutex
	last time.Time
}

// Write examines one line. A member that cannot join says so at the level DEBUG, because it
// retries.
func (c *complaints) Write(line []byte) (int, error) {
	text := strings.TrimSpace(string(line))
	if !strings.Contains(strings.ToLower(text), "crypt") {
		return len(line), nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if now := time.Now(); now.Sub(c.last) >= complainEvery {
		c.last = now
		_, text, _ = strings.Cut(text, " memberlist: ")
		c.log.Warn("gossip members have different keys; use the same howdah.security.secret.file and "+
			"howdah.gossip.key.file for all", "problem", text)
	}
	return len(line), nil
}

// keepJoined joins the seeds again whenever this member might be cut off. This is the case if it is
// alone or sees no member with the role that it seeks. It also saves the addresses of the other
// members.
func (n *Node) keepJoined(ctx context.Context, every time.Duration) {
	defer close(n.done)
	for {
		if _, ok := n.Find(n.seek); len(n.seeds) > 0 && (!ok || n.list.NumMembers() == 1) {
			_, _ = n.list.Join(n.seeds) // unreachable seeds are normal; the next round retries
		}
		n.peers.save(n.others())
		if lifecycle.Sleep(ctx, every) != nil {
			return
		}
	}
}

// Addr returns the address that other members can join.
func (n *Node) Addr() string { return n.list.LocalNode().Address() }

// JobTracker returns the JobTracker with the highest epoch and reports whether one exists.
func (n *Node) JobTracker() (Meta, bool) { return n.Find(JobTracker) }

// Find returns the member that has the highest epoch among the members with the given role. It also
// reports whether such a member exists.
func (n *Node) Find(role string) (Meta, bool) {
	var best Meta
	found := false
	for _, m := range n.Members() {
		if m.Role == role && (!found || m.Epoch > best.Epoch) {
			best, found = m, true
		}
	}
	return best, found
}

// Members returns the announcements of all members that appear to be alive, including this one.
func (n *Node) Members() []Meta {
	var out []Meta
	for _, m := range n.list.Members() {
		var meta Meta
		if json.Unmarshal(m.Meta, &meta) == nil {
			out = append(out, meta)
		}
	}
	return out
}

// SetMeta replaces this member's announcement and waits up to 1 s until it is sent. If m is too
// large, the error is of kind Limit.
func (n *Node) SetMeta(m Meta) error {
	if b, _ := json.Marshal(m); len(b) > memberlist.MetaMaxSize {
		return failure.New(failure.Limit, "change gossip metadata", m.RPC, nil)
	}
	n.mu.Lock()
	n.meta = m
	n.mu.Unlock()
	return n.list.UpdateNode(time.Second)
}

// Leave announces the departure and stops gossiping. It must be called exactly once.
func (n *Node) Leave() {
	n.stop()
	<-n.done
	_ = n.list.Leave(time.Second) // all other members might be gone
	_ = n.list.Shutdown()
}

func (n *Node) others() []string {
	self := n.Addr()
	var out []string
	for _, m := range n.list.Members() {
		if a := m.Address(); a != self {
			out = append(out, a)
		}
	}
	slices.Sort(out)
	return out
}

// delegate provides the metadata to memberlist. It ignores other traffic.
type delegate struct{ n *Node }

func (d delegate) NodeMeta(int) []byte {
	d.n.mu.Lock()
	defer d.n.mu.Unlock()
	b, _ := json.Marshal(d.n.meta)
	return b
}
func (delegate) NotifyMsg([]byte)                {}
func (delegate) GetBroadcasts(int, int) [][]byte { return nil }
func (delegate) LocalState(bool) []byte          { return nil }
func (delegate) MergeRemoteState([]byte, bool)   {}
