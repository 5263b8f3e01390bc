package bbp

import (
	"context"
	"encoding/hex"
	"fmt"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce/mrtest"
)

// hexOfPi is the start of π's fraction.
const hexOfPi = "243F6A8885A308D313198A2E03707344A4093822299F31D0082EFA98EC4E6C89452821E638D01377"

func TestDigits(t *testing.T) {
	for place := int64(1); place+3 <= int64(len(hexOfPi)); place++ {
		require.Equal(t, hexOfPi[place-1:place+3], fmt.Sprintf("%04X", piDigits(place)), "from %d on", place)
	}
	require.Equal(t, "68AC", fmt.Sprintf("%04X", piDigits(10_000)), "as Hadoop 3.4.2 says")
}

func TestPower(t *testing.T) {
	for _, m := range []uint64{1, 3, 4, 1<<32 - 1, 1<<32 + 1, 8_000_000_000_000_001} {
		for _, n := range []uint64{0, 1, 2, 7, 99_999_999} {
			want := new(big.Int).Exp(big.NewInt(2), new(big.Int).SetUint64(n), new(big.Int).SetUint64(m))
			require.Equal(t, want.Uint64(), power2(n, m), "2^%d mod %d", n, m)
		}
	}
}

// text is the content of pi.txt that Hadoop 3.4.2 writes for "bbp 1 40 3".
const text = `
Pi = 0x3.243F6A8885 A308D31319 8A2E037073 44A4093822
Total number of hexadecimal digits is 40.

Pi = 3.1415926535 8979323846 2643383279 5028841971
Total number of decimal digits is 40.
`

func TestFiles(t *testing.T) {
	digits, err := hex.DecodeString(hexOfPi[:40])
	require.NoError(t, err)
	for _, maps := range []string{"1", "3", "77"} {
		r := mrtest.NewRunner()
		require.NoError(t, App().Run(context.Background(), r, []string{"1", "40", maps, "/pi"}))
		for name, want := range map[string]string{"pi.txt": text, "pi_1_40.hex": string(digits), "out/part-r-00000": ""} {
			got, err := r.ReadFile("/pi/" + name)
			require.NoError(t, err)
			require.Equal(t, want, got, name)
		}
		require.Equal(t, failure.Exists, failure.KindOf(App().Run(context.Background(), r, []string{"1", "40", maps, "/pi"})))
	}
}

func TestLines(t *testing.T) {
	hex := make([]byte, 26)
	require.Equal(t, "\nPi = 0x3.0000000000 0000000000 0000000000 0000000000 0000000000\n         00\n",
		string(piText(hex))[:77])
}

func TestBadArguments(t *testing.T) {
	for _, args := range [][]string{{}, {"0", "4", "1", "/x"}, {"1", "0", "1", "/x"}, {"1", "33", "1", "/x"},
		{"1", "8", "0", "/x"}, {"100000000", "8", "1", "/x"}, {"a", "8", "1", "/x"}} {
		require.Equal(t, failure.Usage, failure.KindOf(App().Run(context.Background(), mrtest.NewRunner(), args)), args)
	}
}
