package hdfs

import (
	"context"
	"errors"
	"path"
	"slices"
	"strings"

	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/internal/pb"
	"github.com/howdah/howdah/job/failure"
)

// namespaces are the names of the XAttrNamespaceProto values.
var namespaces = []string{"user", "trusted", "security", "system", "raw"}

// encodeAttribute returns a as an XAttrProto.
func encodeAttribute(op, name string, a dfs.Attribute) (pb.Message, error) {
	space, rest, _ := strings.Cut(a.Name, ".")
	n := slices.Index(namespaces, strings.ToLower(space))
	if n < 0 || rest == "" {
		return nil, failure.New(failure.Usage, op, name,
			errors.New("An XAttr name must be prefixed with user/trusted/security/system/raw, followed by a '.'"))
	}
	m := pb.Message(nil).Int(1, int64(n)).String(2, rest)
	if len(a.Value) > 0 {
		m = m.Bytes(3, a.Value)
	}
	return m, nil
}

// Attributes implements dfs.Attributer.
func (f *FS) Attributes(ctx context.Context, name string, attributes ...string) ([]dfs.Attribute, error) {
	const op = "read attributes"
	request := pb.Message(nil).String(1, path.Clean(name))
	for _, a := range attributes {
		m, err := encodeAttribute(op, name, dfs.Attribute{Name: a})
		if err != nil {
			return nil, err
		}
		request = request.Bytes(2, m)
	}
	if err := begin(ctx, op, name); err != nil {
		return nil, err
	}
	body, err := f.nn.Raw(ctx, "getXAttrs", request)
	if err != nil {
		return nil, wrap(op, name, err)
	}
	all, err := decodeAttributes(body)
	return all, wrap(op, name, err)
}

// decodeAttributes decodes the XAttrProtos in field 1 of a message.
func decodeAttributes(m []byte) (all []dfs.Attribute, err error) {
	r := pb.Read(m)
	for r.Next() {
		if r.Num != 1 {
			continue
		}
		var a dfs.Attribute
		space := namespaces[0]
		one := pb.Read(r.Bytes())
		for one.Next() {
			switch one.Num {
			case 1:
				if n := one.Uint(); n < uint64(len(namespaces)) {
					space = namespaces[n]
				}
			case 2:
				a.Name = one.String()
			case 3:
				a.Value = slices.Clone(one.Bytes())
			}
		}
		if one.Err != nil {
			return nil, one.Err
		}
		a.Name = space + "." + a.Name
		all = append(all, a)
	}
	return all, r.Err
}

// SetAttribute implements dfs.Attributer.
func (f *FS) SetAttribute(ctx context.Context, name string, a dfs.Attribute) error {
	const op, createOrReplace = "set an attribute", 1 | 2
	m, err := encodeAttribute(op, name, a)
	if err != nil {
		return err
	}
	_, err = f.call(ctx, op, name, "setXAttr", pb.Message(nil).String(1, path.Clean(name)).Bytes(2, m).
		Int(3, createOrReplace))
	return err
}

// RemoveAttribute implements dfs.Attributer.
func (f *FS) RemoveAttribute(ctx context.Context, name, attribute string) error {
	const op = "remove an attribute"
	m, err := encodeAttribute(op, name, dfs.Attribute{Name: attribute})
	if err != nil {
		return err
	}
	_, err = f.call(ctx, op, name, "removeXAttr", pb.Message(nil).String(1, path.Clean(name)).Bytes(2, m))
	return err
}
