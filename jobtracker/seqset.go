package jobtracker

import "slices"

// seqSet is a set of job numbers. It stores ranges because the numbers are assigned in order and
// nearly all are used.
type seqSet struct{ ranges [][2]int32 }

func (s *seqSet) has(n int32) bool {
	_, found := s.find(n)
	return found
}

func (s *seqSet) find(n int32) (int, bool) {
	return slices.BinarySearchFunc(s.ranges, n, func(r [2]int32, n int32) int {
		switch {
		case r[1] < n:
			return -1
		case r[0] > n:
			return 1
		}
		return 0
	})
}

// overlaps reports whether the set contains any number from lo to hi.
func (s *seqSet) overlaps(lo, hi int32) bool {
	return slices.ContainsFunc(s.ranges, func(r [2]int32) bool { return r[0] <= hi && r[1] >= lo })
}

func (s *seqSet) add(n int32) { s.addRange(n, n) }

// addRange adds the numbers from lo to hi. The set must not contain any of them.
func (s *seqSet) addRange(lo, hi int32) {
	i, _ := s.find(lo)
	s.ranges = slices.Insert(s.ranges, i, [2]int32{lo, hi})
	if i+1 < len(s.ranges) && s.ranges[i+1][0] == hi+1 {
		s.ranges[i][1] = s.ranges[i+1][1]
		s.ranges = slices.Delete(s.ranges, i+1, i+2)
	}
	if i > 0 && s.ranges[i-1][1]+1 == lo {
		s.ranges[i-1][1] = s.ranges[i][1]
		s.ranges = slices.Delete(s.ranges, i, i+1)
	}
}

func (s *seqSet) last() int32 {
	if len(s.ranges) == 0 {
		return 0
	}
	return s.ranges[len(s.ranges)-1][1]
}
