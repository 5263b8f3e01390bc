package dfsadmin

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/howdah/howdah/dfs/hdfs/admin"
)

func (s *shell) setQuota(args []string) error {
	n, err := strconv.ParseInt(args[0], 10, 64)
	if err != nil {
		return fmt.Errorf("For input string: %q", args[0])
	}
	return s.quota(args[1:], n, admin.KeepQuota)
}

func (s *shell) clearQuota(args []string) error {
	return s.quota(args, admin.ClearQuota, admin.KeepQuota)
}

func (s *shell) setSpaceQuota(args []string) error {
	n, err := parseBytes(args[0])
	if err != nil {
		return err
	}
	return s.quota(args[1:], admin.KeepQuota, n)
}

func (s *shell) clearSpaceQuota(args []string) error {
	return s.quota(args, admin.KeepQuota, admin.ClearQuota)
}

func (s *shell) quota(dirs []string, names, space int64) error {
	for _, arg := range dirs {
		_, dir, err := s.resolver.Resolve(arg)
		if err == nil {
			err = s.c.SetQuota(s.ctx, dir, names, space)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// parseBytes parses a number with an optional suffix k, m, g, t, p, or e.
func parseBytes(text string) (int64, error) {
	const letters = "kmgtpe"
	digits, shift := text, 0
	if text != "" {
		if i := strings.IndexByte(letters, text[len(text)-1]|0x20); i >= 0 {
			digits, shift = text[:len(text)-1], 10*(i+1)
		}
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n<<shift>>shift != n {
		return 0, fmt.Errorf("%q is not a valid value for a quota.", text)
	}
	return n << shift, nil
}
