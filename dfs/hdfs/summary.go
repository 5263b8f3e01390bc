package hdfs

import (
	"context"
	"path"
	"time"

	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/internal/pb"
)

// Home implements dfs.Homer.
func (f *FS) Home() string { return "/user/" + f.o.NameNode.User }

// call makes a NameNode call about one path and returns field 1 of the answer.
func (f *FS) call(ctx context.Context, op, name, method string, request pb.Message) ([]byte, error) {
	if err := begin(ctx, op, name); err != nil {
		return nil, err
	}
	body, err := f.nn.Raw(ctx, method, request)
	if err != nil {
		return nil, wrap(op, name, err)
	}
	r := pb.Read(body)
	for r.Next() {
		if r.Num == 1 {
			return r.Bytes(), nil
		}
	}
	return nil, wrap(op, name, r.Err)
}

// Summarize implements dfs.Summarizer.
func (f *FS) Summarize(ctx context.Context, name string) (dfs.Summary, error) {
	const op = "summarize"
	m, err := f.call(ctx, op, name, "getContentSummary", pb.Message(nil).String(1, path.Clean(name)))
	if err != nil {
		return dfs.Summary{}, err
	}
	s, err := decodeSummary(m)
	return s, wrap(op, name, err)
}

// decodeSummary decodes a ContentSummaryProto.
func decodeSummary(m []byte) (s dfs.Summary, err error) {
	r := pb.Read(m)
	for r.Next() && err == nil {
		switch r.Num {
		case 1:
			s.Bytes = r.Int()
		case 2:
			s.Files = r.Int()
		case 3:
			s.Dirs = r.Int()
		case 4:
			s.Quota = r.Int()
		case 5:
			s.Space = r.Int()
		case 6:
			s.SpaceQuota = r.Int()
		case 7:
			s.TypeQuotas, err = decodeTypeQuotas(r.Bytes())
		case 8:
			s.Snapshot.Bytes = r.Int()
		case 9:
			s.Snapshot.Files = r.Int()
		case 10:
			s.Snapshot.Dirs = r.Int()
		case 11:
			s.Snapshot.Space = r.Int()
		case 12:
			s.ErasureCoding = r.String()
		}
	}
	if err == nil {
		err = r.Err
	}
	return s, err
}

// storageTypes are the names of the StorageTypeProto values.
var storageTypes = map[uint64]string{1: "DISK", 2: "SSD", 3: "ARCHIVE", 4: "RAM_DISK", 5: "PROVIDED", 6: "NVDIMM"}

// decodeTypeQuotas decodes a StorageTypeQuotaInfosProto.
func decodeTypeQuotas(m []byte) (all []dfs.TypeQuota, err error) {
	r := pb.Read(m)
	for r.Next() {
		if r.Num != 1 {
			continue
		}
		q := dfs.TypeQuota{Type: "DISK"}
		one := pb.Read(r.Bytes())
		for one.Next() {
			switch one.Num {
			case 1:
				q.Type = storageTypes[one.Uint()]
			case 2:
				q.Quota = one.Int()
			case 3:
				q.Used = one.Int()
			}
		}
		if one.Err != nil {
			return nil, one.Err
		}
		all = append(all, q)
	}
	return all, r.Err
}

// Space implements dfs.Spacer. It returns the totals of all DataNodes.
func (f *FS) Space(ctx context.Context, name string) (s dfs.Space, err error) {
	const op = "measure"
	if err := begin(ctx, op, name); err != nil {
		return s, err
	}
	body, err := f.nn.Raw(ctx, "getFsStats", nil)
	if err != nil {
		return s, wrap(op, name, err)
	}
	r := pb.Read(body)
	for r.Next() {
		switch r.Num {
		case 1:
			s.Total = r.Int()
		case 2:
			s.Used = r.Int()
		case 3:
			s.Free = r.Int()
		}
	}
	return s, wrap(op, name, r.Err)
}

// TrashInterval implements dfs.TrashKeeper.
func (f *FS) TrashInterval(ctx context.Context) (time.Duration, error) {
	d, err := f.nn.Defaults(ctx)
	return d.TrashInterval, wrap("ask for", "the server's defaults", err)
}
