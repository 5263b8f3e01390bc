package javatext

import (
	"slices"
	"testing"
)

// The expected orders are those of a HashMap<Integer, ?>. The hash code of an Integer is its value.
func TestOrderOfHashMaps(t *testing.T) {
	for _, c := range []struct {
		hashes   []int32
		capacity int
		want     []int32
	}{
		{[]int32{17, 1, 0, 33}, 0, []int32{0, 17, 1, 33}},
		{[]int32{17, 1, 0, 33}, 2, []int32{0, 17, 1, 33}}, // the table grows to 8 buckets
		{[]int32{1 << 16, 1}, 0, []int32{1 << 16, 1}},
		{[]int32{12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 16}, 0, []int32{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 16}},
	} {
		var got []int32
		for _, i := range HashOrder(c.hashes, c.capacity) {
			got = append(got, c.hashes[i])
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%v come as %v, not %v", c.hashes, got, c.want)
		}
	}
	if h := StringHash("hello"); h != 99162322 {
		t.Error(h)
	}
	if h := StringHash("\U0001F600"); h != 31*0xd83d+0xde00 {
		t.Error(h)
	}
}
