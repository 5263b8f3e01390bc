package btworld

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestScrape(t *testing.T) {
	want := scrape{hash: []byte("ab"), tracker: []byte("http://t/x"), second: 1259712001, seeders: 1, leechers: 20,
		downloads: mostPeers}
	for _, line := range []string{
		"ab\thttp://t/x\t20091202T000001\t1\t20\t1000000000", "ab http://t/x 20091202T000001 1 20 1000000000",
		" \tab  http://t/x\t 20091202T000001 01 20 1000000000 \r",
	} {
		var s scrape
		require.True(t, s.parse([]byte(line)), line)
		require.Equal(t, want, s, line)
		require.EqualValues(t, 21, s.sessions())
	}
	for _, line := range []string{
		"", " \t ", "ab", "ab t 20091202T000001 1 2", "ab t 20091202T000001 1 2 3 4", "ab t 20091202T000001 1 -2 3",
		"ab t 20091202T000001 1 2 1000000001",
		"ab t 20091202T000001 1 2 99999999999999999999", "ab t 20091202T000001 1 2 x", "ab t 20091202T000001 1  3",
		"ab t 2009-12-02T00:00 1 2 3",
		"ab t 20091302T000001 1 2 3", "ab t 20090229T000001 1 2 3", "ab t 20091202T240001 1 2 3",
		"ab t 20091202T006001 1 2 3", "ab t 20091202T000060 1 2 3",
		"ab t 00000202T000000 1 2 3", "ab t 20091202 000001 1 2 3", "ab t 20091200T000000 1 2 3",
	} {
		require.False(t, new(scrape).parse([]byte(line)), line)
	}
}

func TestMoments(t *testing.T) {
	for _, x := range []struct {
		group      int64
		time, want string
	}{
		{hour, "20091201T235959", "20091201T230000"}, {hour, "20091201T230000", "20091201T230000"},
		{1, "20091201T235959", "20091201T235959"},
		{24 * hour, "20091201T235959", "20091201T000000"}, {24 * hour, "19691231T235959", "19691231T000000"},
		{hour, "00010101T003000", "00010101T000000"},
	} {
		at, ok := parseTimestamp([]byte(x.time))
		require.True(t, ok, x.time)
		c := clock{group: x.group}
		require.Equal(t, x.want, string(c.text(at)), x.time)
		require.Equal(t, x.want, string(c.text(at)), "again")
		require.NotEqual(t, x.want, string(c.text(at+x.group)))
	}
}

func FuzzScrape(f *testing.F) {
	f.Add([]byte("02123865c2d8eac0\thttp://tracker10.example.org/scrape\t20091201T000718\t18002\t22003\t0"))
	f.Add([]byte("ab t 20240229T235959 1 2 3\r"))
	f.Add([]byte("ab\x00 \xff 99991231T235959 000000000000000001 2 3"))
	f.Fuzz(func(t *testing.T, line []byte) {
		var s, again scrape
		if !s.parse(line) {
			return
		}
		at := time.Unix(s.second, 0).UTC().Format(layout)
		text := fmt.Sprintf("%s\t%s\t%s\t%d\t%d\t%d", s.hash, s.tracker, at, s.seeders, s.leechers, s.downloads)
		if !again.parse([]byte(text)) || fmt.Sprint(again) != fmt.Sprint(s) {
			t.Fatalf("%q is %v, but %q is %v", line, s, text, again)
		}
		if !bytes.Contains(line, []byte(at)) {
			t.Fatalf("%q has no time %s", line, at)
		}
	})
}
