package cgroup

import "strconv"

// parseNumber parses a number. It returns 0 for the values that mean "no limit": "max" in version
// 2, and -1 and numbers of 2^62 or more in version 1.
func parseNumber(s string) (int64, error) {
	if s == "max" {
		return 0, nil
	}
	n, err := strconv.ParseUint(s, 10, 64)
	if err != nil {
		if m, err := strconv.ParseInt(s, 10, 64); err == nil && m == -1 {
			return 0, nil
		}
		return 0, err
	}
	if n >= 1<<62 {
		return 0, nil
	}
	return int64(n), nil
}
