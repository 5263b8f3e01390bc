// Package admin administers an HDFS cluster: its DataNodes and their reports, decommissioning, safe
// mode, and quotas. Start with Client. Hosts edits the NameNode's lists of DataNodes.
package admin

import (
	"context"
	"errors"
	"fmt"
	"path"

	"github.com/howdah/howdah/dfs/hdfs/namenode"
	"github.com/howdah/howdah/internal/pb"
	"github.com/howdah/howdah/job/failure"
)

// Client makes administrative calls to a NameNode or an HA pair. The NameNode rejects most of these
// calls from users who are not administrators (kind Permission). A Client is safe for concurrent
// use.
type Client struct{ nn *namenode.Client }

// New returns a Client that calls nn.
func New(nn *namenode.Client) *Client { return &Client{nn} }

// Each calls do for each NameNode of a pair, because each NameNode has its own list of DataNodes
// and its own safe mode. For a single NameNode, Each calls do once. It continues after an error and
// returns all errors joined.
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

// call makes a call whose answer is empty or a bool. It returns false for an empty answer.
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

// explain converts err, the error of a call, to a *failure.Error.
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

// RefreshNodes makes the NameNode, or both NameNodes of a pair, reload the hosts and exclude files
// (dfs.hosts, dfs.hosts.exclude). The NameNode then starts to decommission DataNodes that are now
// excluded, and takes DataNodes that are no longer excluded back into service.
func (c *Client) RefreshNodes(ctx context.Context) error {
	return c.Each(func(_ string, one *Client) error {
		_, err := one.call(ctx, "refresh the nodes of", "HDFS", "refreshNodes", nil)
		return err
	})
}

// SafeMode is an action on safe mode, in which a NameNode answers reads but rejects changes.
type SafeMode int64

// The actions, with their numbers on the wire.
const (
	LeaveSafeMode SafeMode = 1 + iota
	EnterSafeMode
	GetSafeMode
	ForceExitSafeMode // leave even if blocks are missing
)

// SafeMode performs an action and reports whether the NameNode is in safe mode afterward. It calls
// only one NameNode of a pair. To call both, use Each.
func (c *Client) SafeMode(ctx context.Context, action SafeMode) (on bool, err error) {
	op := "change the safe mode of"
	if action == GetSafeMode {
		op = "read the safe mode of"
	}
	return c.call(ctx, op, "HDFS", "setSafeMode",
		pb.Message(nil).Int(1, int64(action)).Bool(2, false))
}

// SaveNamespace makes the NameNode write its image. The NameNode must be in safe mode.
func (c *Client) SaveNamespace(ctx context.Context) error {
	_, err := c.call(ctx, "save the namespace of", "HDFS", "saveNamespace", pb.Message(nil).Int(1, 0).Int(2, 0))
	return err
}

// AllowSnapshots allows or forbids snapshots of a directory.
func (c *Client) AllowSnapshots(ctx context.Context, dir string, allow bool) error {
	op, method := "allow snapshots of", "allowSnapshot"
	if !allow {
		op, method = "forbid snapshots of", "disallowSnapshot"
	}
	_, err := c.call(ctx, op, dir, method, pb.Message(nil).String(1, path.Clean(dir)))
	return err
}

// Special values for SetQuota. KeepQuota leaves a quota unchanged, and ClearQuota removes it.
const (
	KeepQuota  = int64(1<<63 - 1)
	ClearQuota = int64(-1)
)

// SetQuota limits the number of names in a directory tree, including the directory itself, and the
// number of bytes in its files, including all replicas.
func (c *Client) SetQuota(ctx context.Context, dir string, names, space int64) error {
	if (names <= 0 && names != ClearQuota) || (space < 0 && space != ClearQuota) {
		return failure.New(failure.Usage, "set the quota of", dir,
			fmt.Errorf("%d names and %d bytes are not a valid quota", names, space))
	}
	_, err := c.call(ctx, "set the quota of", dir, "setQuota", pb.Message(nil).String(1, path.Clean(dir)).
		Int(2, names).Int(3, space))
	return err
}
