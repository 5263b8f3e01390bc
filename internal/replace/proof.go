package replace

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"strings"

	"github.com/howdah/howdah/dfs"
)

// proof returns the name of the proof for the file or tree at a path. If the tree is moved, its
// proof stays the same.
func (t Target) proof(ctx context.Context, name string) (string, error) {
	root, err := t.FS.Stat(ctx, name)
	if err != nil {
		return "", err
	}
	h := sha256.New()
	fmt.Fprintf(h, "%q\n", t.Owner)
	if err := t.walk(ctx, h, name, root); err != nil {
		return "", err
	}
	return proofPrefix + hex.EncodeToString(h.Sum(nil)[:16]), nil
}

func (t Target) walk(ctx context.Context, h hash.Hash, root string, i dfs.Info) error {
	below := strings.TrimPrefix(i.Path, root)
	if !i.Dir || i.Link {
		fmt.Fprintf(h, "%q %d %d\n", below, i.Size, i.ModTime.UnixNano())
		return nil
	}
	fmt.Fprintf(h, "%q\n", below)
	list, err := t.FS.List(ctx, i.Path)
	for _, x := range list {
		if err := t.walk(ctx, h, root, x); err != nil {
			return err
		}
	}
	return err
}
