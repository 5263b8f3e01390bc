package hdfs

import (
	"context"
	"path"

	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/internal/pb"
)

// Access implements dfs.Accesser.
func (f *FS) Access(ctx context.Context, name string, write bool) error {
	const mayWrite, mayRead = 2, 4 // FsActionProto
	mode := int64(mayRead)
	if write {
		mode = mayWrite
	}
	_, err := f.call(ctx, "access", name, "checkAccess", pb.Message(nil).String(1, path.Clean(name)).Int(2, mode))
	return err
}

// entryTypes are the names of the AclEntryTypeProto values.
var entryTypes = []string{"user", "group", "mask", "other"}

// AccessList implements dfs.AccessLister.
func (f *FS) AccessList(ctx context.Context, name string) ([]dfs.AccessEntry, error) {
	const op = "read the access-control list"
	m, err := f.call(ctx, op, name, "getAclStatus", pb.Message(nil).String(1, path.Clean(name)))
	if err != nil {
		return nil, err
	}
	entries, err := decodeAccessList(m)
	return entries, wrap(op, name, err)
}

// decodeAccessList decodes the entries of an AclStatusProto.
func decodeAccessList(m []byte) (entries []dfs.AccessEntry, err error) {
	r := pb.Read(m)
	for r.Next() {
		if r.Num != 4 {
			continue
		}
		e := dfs.AccessEntry{Type: entryTypes[0]}
		one := pb.Read(r.Bytes())
		for one.Next() {
			switch one.Num {
			case 1:
				if n := one.Uint(); n < uint64(len(entryTypes)) {
					e.Type = entryTypes[n]
				}
			case 2:
				e.Default = one.Uint() == 1
			case 3:
				e.Permissions = uint32(one.Uint()) & 7
			case 4:
				e.Name = one.String()
			}
		}
		if one.Err != nil {
			return nil, one.Err
		}
		entries = append(entries, e)
	}
	return entries, r.Err
}

// encodeAccess appends entries to m as AclEntryProtos in field 2.
func encodeAccess(m pb.Message, entries []dfs.AccessEntry) pb.Message {
	for _, e := range entries {
		one := pb.Message(nil)
		for n, t := range entryTypes {
			if t == e.Type {
				one = one.Int(1, int64(n))
			}
		}
		one = one.Bool(2, e.Default).Int(3, int64(e.Permissions))
		if e.Name != "" {
			one = one.String(4, e.Name)
		}
		m = m.Bytes(2, one)
	}
	return m
}

func (f *FS) changeAccess(ctx context.Context, name, method string, entries []dfs.AccessEntry) error {
	_, err := f.call(ctx, "change the access-control list", name, method,
		encodeAccess(pb.Message(nil).String(1, path.Clean(name)), entries))
	return err
}

// SetAccessList implements dfs.AccessLister.
func (f *FS) SetAccessList(ctx context.Context, name string, entries []dfs.AccessEntry) error {
	return f.changeAccess(ctx, name, "setAcl", entries)
}

// ModifyAccessList implements dfs.AccessLister.
func (f *FS) ModifyAccessList(ctx context.Context, name string, entries []dfs.AccessEntry) error {
	return f.changeAccess(ctx, name, "modifyAclEntries", entries)
}

// RemoveAccess implements dfs.AccessLister.
func (f *FS) RemoveAccess(ctx context.Context, name string, entries []dfs.AccessEntry) error {
	return f.changeAccess(ctx, name, "removeAclEntries", entries)
}

// ClearAccessList implements dfs.AccessLister.
func (f *FS) ClearAccessList(ctx context.Context, name string, onlyDefault bool) error {
	if onlyDefault {
		return f.changeAccess(ctx, name, "removeDefaultAcl", nil)
	}
	return f.changeAccess(ctx, name, "removeAcl", nil)
}
