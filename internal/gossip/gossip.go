// Package gossip lets the daemons of a cluster, or of a pool of MR-clusters, find each other over hashicorp/memberlist. It answers one
// question, where the JobTracker or the manager is; who is alive is decided by heartbeats alone.
package gossip

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/memberlist"

	"github.com/howdah/howdah/internal/lifecycle"
	"github.com/howdah/howdah/job/failure"
)

// The roles of members.
const (
	JobTracker  = "jobtracker"
	TaskTracker = "tasktracker"
	Manager     = "manager" // of MR-clusters
	Agent       = "agent"   // of a node of its pool
)

// Meta is what a member tells about itself; at most 512 bytes as JSON, so no load figures.
type Meta struct {
	Role  string `json:"r"`
	RPC   string `json:"a,omitempty"` // host:port
	HTTP  string `json:"h,omitempty"`
	Epoch int64  `json:"e,omitempty"` // of a JobTracker: its restart count, of a manager: its incarnation; the highest one is the one to talk to
	Pool  string `json:"p,omitempty"` // of a manager
}

// Config says how to join.
type Config struct {
	Bind  string   // host:port to listen on, TCP and UDP; port 0 = any; "" = 127.0.0.1:0
	Seeds []string // host:port of members to join; may be unreachable for now
	// PeersFile remembers the members last seen, as further seeds for the next start; "" = none. It is what lets a JobTracker
	// that comes back on other ports reach trackers that only knew its old address.
	PeersFile string
	Key       []byte // 16, 24 or 32 bytes encrypt the gossip; nil = in the clear
	Meta      Meta
	// Seek is the role of whom this member wants to find; "" = JobTracker.
	Seek string
	// RetryEvery is the pause between attempts to reach seeds while nobody of role Seek is known or this member is alone; 0 = 1 s.
	RetryEvery time.Duration
	// Problem is told of what goes wrong between members: a peer with another key, for instance. Called from any goroutine; nil =
	// nobody wants to know.
	Problem func(text string)
}

// Node is this process's membership. Its methods may be called concurrently.
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

// Join starts gossiping and keeps trying to reach the seeds until Leave. Only an address that cannot be bound, a seed that is no
// address, a key of a wrong size or a Meta above its limit is an error.
func Join(cfg Config) (*Node, error) {
	if cfg.Bind == "" {
		cfg.Bind = "127.0.0.1:0"
	}
	if cfg.RetryEvery <= 0 {
		cfg.RetryEvery = time.Second
	}
	if b, _ := json.Marshal(cfg.Meta); len(b) > memberlist.MetaMaxSize {
		return nil, failure.New(failure.Config, "join gossip", cfg.Meta.RPC, fmt.Errorf("%d bytes of metadata, at most %d fit", len(b), memberlist.MetaMaxSize))
	}
	for _, seed := range cfg.Seeds {
		if _, _, err := net.SplitHostPort(seed); err != nil {
			return nil, failure.New(failure.Config, "join gossip", seed, err).Fix("write members' addresses as host:port")
		}
	}
	n := &Node{seek: cmp.Or(cfg.Seek, JobTracker), meta: cfg.Meta, peers: peersFile(cfg.PeersFile), done: make(chan struct{})}
	n.seeds = append(slices.Clone(cfg.Seeds), n.peers.load()...)
	mc, err := n.memberlistConfig(cfg)
	if err != nil {
		return nil, err
	}
	if n.list, err = memberlist.Create(mc); err != nil {
		return nil, failure.New(failure.Config, "join gossip", cfg.Bind, err).Fix("choose an address of this machine with a free port, or port 0")
	}
	ctx, stop := context.WithCancel(context.Background())
	n.stop = stop
	go n.keepJoined(ctx, cfg.RetryEvery)
	return n, nil
}

// memberlistConfig starts from the settings for local networks and repairs what was seen to go wrong with them: a join that
// dies out early waits for a push/pull, so there are more retransmissions and more frequent push/pulls.
func (n *Node) memberlistConfig(cfg Config) (*memberlist.Config, error) {
	host, port, err := net.SplitHostPort(cfg.Bind)
	p, err2 := strconv.Atoi(port)
	if err != nil || err2 != nil {
		return nil, failure.New(failure.Config, "join gossip", cfg.Bind, nil).Fix("write the address as host:port")
	}
	mc := memberlist.DefaultLANConfig()
	mc.BindAddr, mc.BindPort, mc.AdvertisePort = host, p, p
	// A member that restarts is another member: names are never used twice.
	mc.Name = fmt.Sprintf("%s-%s-%d", cfg.Meta.Role, cfg.Bind, time.Now().UnixNano())
	mc.RetransmitMult = 8
	mc.PushPullInterval = 10 * time.Second
	mc.SecretKey = cfg.Key
	mc.Delegate = delegate{n}
	mc.Logger = log.New(io.Discard, "", 0)
	if cfg.Problem != nil {
		mc.Logger = log.New(problems(cfg.Problem), "", 0)
	}
	return mc, nil
}

// problems passes on the errors among what memberlist logs.
type problems func(text string)

func (p problems) Write(line []byte) (int, error) {
	if _, text, ok := strings.Cut(string(line), "[ERR] memberlist: "); ok {
		p(strings.TrimSpace(text))
	}
	return len(line), nil
}

// keepJoined joins the seeds again whenever this member may be cut off: it is alone, or nobody whom it seeks is in sight.
func (n *Node) keepJoined(ctx context.Context, every time.Duration) {
	defer close(n.done)
	for {
		if _, ok := n.Find(n.seek); len(n.seeds) > 0 && (!ok || n.list.NumMembers() == 1) {
			_, _ = n.list.Join(n.seeds) // unreachable seeds are normal; the next round tries again
		}
		n.peers.save(n.others())
		if lifecycle.Sleep(ctx, every) != nil {
			return
		}
	}
}

// Addr gives the address that others can join.
func (n *Node) Addr() string { return n.list.LocalNode().Address() }

// JobTracker gives the member that serves as JobTracker; of several the one with the highest epoch.
func (n *Node) JobTracker() (Meta, bool) { return n.Find(JobTracker) }

// Find gives the member of a role; of several the one with the highest epoch.
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

// Members gives what all members that are thought alive tell of themselves, this one included.
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

// SetMeta changes what this member tells and spreads it.
func (n *Node) SetMeta(m Meta) error {
	if b, _ := json.Marshal(m); len(b) > memberlist.MetaMaxSize {
		return failure.New(failure.Limit, "change gossip metadata", m.RPC, nil)
	}
	n.mu.Lock()
	n.meta = m
	n.mu.Unlock()
	return n.list.UpdateNode(time.Second)
}

// Leave says good-bye and stops. It must be called once.
func (n *Node) Leave() {
	n.stop()
	<-n.done
	_ = n.list.Leave(time.Second) // nobody may be there to hear it
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

// delegate hands the metadata to memberlist; there is no other traffic.
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
