package javatext

import "testing"

func TestRoundingUpCarries(t *testing.T) {
	for in, want := range map[string]string{"123": "124", "129": "130", "1999": "2000", "999": "100"} {
		d := decimal{digits: []byte(in)}
		d.roundUp()
		if string(d.digits) != want || d.exp != map[bool]int{true: 1}[in == "999"] {
			t.Errorf("%s becomes %s, exponent %d", in, d.digits, d.exp)
		}
	}
}
