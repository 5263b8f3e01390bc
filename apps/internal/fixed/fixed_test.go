package fixed_test

import (
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/howdah/howdah/apps/internal/fixed"
)

func TestText(t *testing.T) {
	for in, want := range map[string]string{"0": "0", "1": "1", "-1.5": "-1.5", "0.000000001": "0.000000001",
		"1e3": "1000", "2.50": "2.5", "-0.0000000004": "0", "900000000.25": "900000000.25", "+.5": "0.5", "5.": "5",
		"0.0000000005": "0.000000001", "0.99999999950": "1", "-0.00000000149": "-0.000000001"} {
		n, err := fixed.Parse(in)
		require.NoError(t, err)
		require.Equal(t, want, n.String())
	}
	for _, bad := range []string{"", ".", "-", "1.2.3", "x", "NaN", "Inf", "1e10", "-1e10"} {
		_, err := fixed.Parse(bad)
		require.Error(t, err, bad)
	}
}

// TestPrefix compares plain decimals, which it embeds in text of various lengths, with fractions of
// big numbers.
func TestPrefix(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[-+]?([0-9]{1,9}(\.[0-9]{0,12})?|\.[0-9]{1,12})`).Draw(t, "text")
		rest := rapid.StringMatching(`([^.0-9][ -~]{0,9})?`).Draw(t, "rest")
		exact, ok := new(big.Rat).SetString(text)
		require.True(t, ok)
		exact.Mul(exact, big.NewRat(int64(fixed.One), 1))
		n, size := fixed.Prefix([]byte(text + rest))
		require.Equal(t, len(text), size)
		if exact.Sign() < 0 {
			n, exact = -n, exact.Neg(exact)
		}
		exact.Add(exact, big.NewRat(1, 2))
		require.Equal(t, new(big.Int).Quo(exact.Num(), exact.Denom()).Int64(), int64(n))
	})
	for _, none := range []string{"", "-", ".", "-.", "+ 1", "x1234567", " 1234567 ", "-x1234567", ". 1234567",
		"1234567890 1"} {
		_, size := fixed.Prefix([]byte(none))
		require.Zero(t, size, none)
	}
	for _, in := range []string{"1.2.3", "1.2.3      ", "1,2      ", "12345678\x00"} {
		_, err := fixed.Parse(in)
		require.Error(t, err, in)
	}
}

// TestMeanIsExact compares means with those of big numbers. It adds the terms in two parts.
func TestMeanIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		terms := rapid.SliceOfN(rapid.Int64(), 1, 200).Draw(t, "terms")
		cut := rapid.IntRange(0, len(terms)).Draw(t, "cut")
		var a, b fixed.Sum
		want := new(big.Int)
		for i, x := range terms {
			if want.Add(want, big.NewInt(x)); i < cut {
				a.Add(fixed.Number(x))
			} else {
				b.Add(fixed.Number(x))
			}
		}
		b.Merge(fixed.Decode(a.Append(nil)))
		require.Equal(t, roundedQuotient(want, int64(len(terms))), int64(b.Mean(int64(len(terms)))))
	})
}

func roundedQuotient(sum *big.Int, n int64) int64 {
	twice := new(big.Int).Mul(new(big.Int).Abs(sum), big.NewInt(2))
	q := twice.Add(twice, big.NewInt(n)).Div(twice, big.NewInt(2*n)).Int64()
	if sum.Sign() < 0 {
		return -q
	}
	return q
}
