package keyfield_test

import (
	"bufio"
	"cmp"
	"encoding/hex"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/howdah/howdah/mapreduce/keyfield"
)

// TestHadoopsFacts compares results with those of Hadoop's classes (testdata/hadoop).
// HOWDAH_KEYFIELD_FACTS names a file to use instead.
func TestHadoopsFacts(t *testing.T) {
	name := "testdata/hadoop/keys.tsv"
	if own := os.Getenv("HOWDAH_KEYFIELD_FACTS"); own != "" {
		name = own
	}
	f, err := os.Open(name)
	require.NoError(t, err)
	defer f.Close()
	lines, bothMissing := 0, 0
	for in := bufio.NewScanner(f); in.Scan(); lines++ {
		col := strings.Split(in.Text(), "\t")
		require.Len(t, col, 6)
		sep, a, b := string(unhex(t, col[1])), unhex(t, col[2]), unhex(t, col[3])
		fields, err := keyfield.Parse(col[0], sep)
		require.NoError(t, err, in.Text())

		sa, sb := text(a), text(b)
		got := sign(fields.Compare(sa, len(sa)-len(a), sb, len(sb)-len(b)))
		if got != atoi(t, col[4]) && got == 0 && fields.Distinct(sa, len(sa)-len(a)) {
			bothMissing++
		} else {
			require.Equal(t, atoi(t, col[4]), got, "%s: %q and %q", col[0], a, b)
		}
		pa, pb := fields.Prefix(sa, len(sa)-len(a)), fields.Prefix(sb, len(sb)-len(b))
		if pa != pb {
			require.Equal(t, got, cmp.Compare(pa, pb), "prefixes; %s: %q and %q", col[0], a, b)
		}
		if !fields.Whole() {
			require.Equal(t, atoi(t, col[5]), keyfield.Partition(fields.Hash(a), math.MaxInt32), "hash; %s: %q", col[0], a)
		}
	}
	require.Greater(t, lines, 1000)
	require.Less(t, bothMissing, lines/2)
}

func unhex(t *testing.T, s string) []byte {
	b, err := hex.DecodeString(s)
	require.NoError(t, err)
	return b
}

func atoi(t *testing.T, s string) int {
	n, err := strconv.Atoi(s)
	require.NoError(t, err)
	return n
}

func sign(n int) int { return cmp.Compare(n, 0) }

// text serializes a short key with a one-byte length.
func text(b []byte) []byte { return append([]byte{byte(len(b))}, b...) }

func TestRefused(t *testing.T) {
	for _, bad := range []string{"-kx", "-k1,", "-k1.", "-k.2", "-k1,2,3", "-k1b", "-k1n.3", "-k-1", "-k 1.-2",
		"-k99999999999"} {
		_, err := keyfield.Parse(bad, "\t")
		require.ErrorContains(t, err, "must be of the form", bad)
	}
	_, err := keyfield.Parse("-k1", "")
	require.Error(t, err)
	_, err = keyfield.First(1, "")
	require.Error(t, err)
	none, err := keyfield.First(0, ",")
	require.NoError(t, err)
	require.True(t, none.Whole())
}

// TestNumbersAreAnOrder checks that well-formed numbers sort by value.
func TestNumbersAreAnOrder(t *testing.T) {
	fields, err := keyfield.Parse("-n", "\t")
	require.NoError(t, err)
	rapid.Check(t, func(t *rapid.T) {
		keys := rapid.SliceOfN(rapid.StringMatching(`-?(0|[1-9][0-9]{0,14})(\.[0-9]{1,3})?`), 2, 20).Draw(t, "keys")
		slices.SortFunc(keys, func(a, b string) int { return fields.Compare([]byte(a), 0, []byte(b), 0) })
		for i := 1; i < len(keys); i++ {
			x, _ := strconv.ParseFloat(keys[i-1], 64)
			y, _ := strconv.ParseFloat(keys[i], 64)
			if x > y {
				t.Fatalf("%s before %s", keys[i-1], keys[i])
			}
		}
	})
}

func FuzzKeys(f *testing.F) {
	f.Add("-k2.3,4nr -k1", ",", []byte("a,b,-1.5"), []byte(",,"))
	f.Add("-k0.0,0.0n", "::", []byte("-"), []byte{})
	f.Fuzz(func(t *testing.T, options, sep string, a, b []byte) {
		fields, err := keyfield.Parse(options, sep)
		if err != nil {
			return
		}
		for from := range 2 {
			if len(a) < from || len(b) < from {
				return
			}
			x := sign(fields.Compare(a, from, b, from))
			require.Equal(t, -x, sign(fields.Compare(b, from, a, from)), "turned around")
			if p, q := fields.Prefix(a, from), fields.Prefix(b, from); p != q {
				require.Equal(t, cmp.Compare(p, q), x)
			}
			if !fields.Whole() {
				fields.Hash(a)
			}
		}
	})
}

func ExampleParse() {
	// Sort by the second field as a number, largest first, and then by the whole key.
	fields, err := keyfield.Parse("-k2,2nr -k1", ",")
	if err != nil {
		fmt.Println(err)
	}
	keys := []string{"a,7", "c,100", "b,100"}
	slices.SortFunc(keys, func(a, b string) int { return fields.Compare([]byte(a), 0, []byte(b), 0) })
	fmt.Println(keys)
	// Output: [b,100 c,100 a,7]
}

func TestNothingIsAllocated(t *testing.T) {
	for _, options := range []string{"", "-k2,2", "-k3,3nr -k1"} {
		fields, err := keyfield.Parse(options, "\t")
		require.NoError(t, err)
		x, y := []byte("key\tsome\t1234.5"), []byte("key\tsome\t1235.5")
		require.Zero(t, testing.AllocsPerRun(100, func() {
			fields.Compare(x, 0, y, 0)
			fields.Prefix(x, 0)
			fields.Hash(x)
		}), options)
	}
}

func BenchmarkCompare(b *testing.B) {
	for _, options := range []string{"", "-k2,2", "-k3,3nr", "-k2.2,2.3 -k1,1"} {
		fields, err := keyfield.Parse(options, "\t")
		require.NoError(b, err)
		x, y := []byte("key\tsome\t1234.5"), []byte("key\tsome\t1235.5")
		b.Run("options="+options, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				fields.Compare(x, 0, y, 0)
				fields.Prefix(x, 0)
				fields.Hash(x)
			}
		})
	}
}
