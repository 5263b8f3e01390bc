// Package admin manages an HDFS: which DataNodes it has, what they hold, how they join and go, safe mode and quotas.
package admin

import (
	"context"
	"errors"
	"fmt"
	"path"

	"github.com/howdah/howdah/dfs/hdfs/namenode"
	"github.com/howdah/howdah/dfs/hdfs/pb"
	"github.com/howdah/howdah/job/failure"
)

// Client calls a NameNode, or an HA pair, as its administrator: most calls are refused to others (kind Permission). All methods may be
// called concurrently.
type Client struct{ nn *namenode.Client }

// New makes a client.
func New(nn *namenode.Client) *Client { return &Client{nn} }

// Each does something with each NameNode of a pair, which keep nodes and safe mode apart; a single NameNode is the only one. What fails
// at one is done at the others all the same; the errors come together.
func (c *Client) Each(do func(addr string, one *Client) error) error {
	var errs []error
	for _, m := range c.nn.Members() {
		addr := m.Addrs()[0]
		if err := do(addr, New(m)); err != nil {
			errs = append(errs, fmt.Errorf("NameNode %s: %w", addr, err))
		}
		m.Close()
	}
	return errors.Join(errs...)
}

// call makes a call that answers with a truth value or nothing.
func (c *Client) call(ctx context.Context, op, on, method string, request pb.Message) (bool, error) {
	body, err := c.nn.Raw(ctx, method, request)
	if err != nil {
		return false, explain(op, on, err)
	}
	r := pb.Read(body)
	for r.Next() {
		if r.Num == 1 {
			return r.Bool(), nil
		}
	}
	return false, explain(op, on, r.Err)
}

// explain gives a call's error its kind.
func explain(op, on string, err error) error {
	if err == nil {
		return nil
	}
	kind := failure.KindOf(err)
	var f *namenode.Failed
	if errors.As(err, &f) {
		switch f.Class {
		case "AccessControlException", "AuthorizationException":
			kind = failure.Permission
		case "FileNotFoundException":
			kind = failure.NotFound
		case "":
			kind = failure.Unreachable
		default:
			kind = failure.Usage
		}
	}
	return failure.New(kind, op, on, err)
}

// RefreshNodes makes the NameNode, or both of a pair, read its hosts and exclude files (dfs.hosts, dfs.hosts.exclude) again: DataNodes
// that are excluded now begin to be decommissioned, those that are no longer come back.
func (c *Client) RefreshNodes(ctx context.Context) error {
	return c.Each(func(_ string, one *Client) error {
		_, err := one.call(ctx, "refresh the nodes of", "HDFS", "refreshNodes", nil)
		return err
	})
}

// SafeMode is what to do about safe mode, in which a NameNode answers but changes nothing.
type SafeMode int64

// The actions, as on the wire.
const (
	LeaveSafeMode SafeMode = 1 + iota
	EnterSafeMode
	GetSafeMode
	ForceExitSafeMode // even with blocks missing
)

// SafeMode carries out an action and tells whether the NameNode is in safe mode then. Of a pair it is whichever is asked first: use Each.
func (c *Client) SafeMode(ctx context.Context, action SafeMode) (on bool, err error) {
	return c.call(ctx, "change the safe mode of", "HDFS", "setSafeMode", pb.Message(nil).Int(1, int64(action)).Bool(2, false))
}

// SaveNamespace makes the NameNode, which must be in safe mode, write its image.
func (c *Client) SaveNamespace(ctx context.Context) error {
	_, err := c.call(ctx, "save the namespace of", "HDFS", "saveNamespace", pb.Message(nil).Int(1, 0).Int(2, 0))
	return err
}

// AllowSnapshots lets snapshots of a directory be made, or forbids it again.
func (c *Client) AllowSnapshots(ctx context.Context, dir string, allow bool) error {
	method := "allowSnapshot"
	if !allow {
		method = "disallowSnapshot"
	}
	_, err := c.call(ctx, "allow snapshots of", dir, method, pb.Message(nil).String(1, path.Clean(dir)))
	return err
}

// What SetQuota leaves as it is or takes away.
const (
	KeepQuota  = int64(1<<63 - 1)
	ClearQuota = int64(-1)
)

// SetQuota limits the names below a directory, itself included, and the bytes of its files with all their replicas.
func (c *Client) SetQuota(ctx context.Context, dir string, names, space int64) error {
	if (names <= 0 && names != ClearQuota) || (space < 0 && space != ClearQuota) {
		return failure.New(failure.Usage, "set the quota of", dir, fmt.Errorf("%d names and %d bytes are none", names, space))
	}
	_, err := c.call(ctx, "set the quota of", dir, "setQuota", pb.Message(nil).String(1, path.Clean(dir)).Int(2, names).Int(3, space))
	return err
}
