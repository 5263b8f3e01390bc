package vint

import (
	"math"
	"testing"
)

func TestNumbersComeBack(t *testing.T) {
	for shift := range 64 {
		for d := int64(-130); d <= 130; d++ {
			for _, v := range []int64{1<<shift + d, -(1 << shift) + d, math.MaxInt64 - d} {
				b := Append([]byte{9}, v)[1:]
				got, n := Long(b)
				if got != v || n != len(b) || n != Len(b[0]) || n > MaxLen {
					t.Fatalf("%d came back as %d, %d of %d bytes", v, got, n, len(b))
				}
				if _, n := Long(b[:len(b)-1]); n != 0 {
					t.Fatalf("%d cut short was read", v)
				}
			}
		}
	}
}
