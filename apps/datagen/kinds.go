package datagen

import (
	"math"
	"math/rand/v2"
	"strconv"
)

// kinds contains, for each kind of data, the function that generates a line. The tfidf, bayes,
// wikitrends, twitter, and twitter-rank applications read these lines.
var kinds = map[string]func(*maker) []byte{
	"articles": (*maker).article,
	"traffic":  (*maker).traffic,
	"follows":  (*maker).follow,
	"tweets":   (*maker).tweet,
}

// maker generates one line at a time. The line depends only on the seed, the line's number, and the
// number of users.
type maker struct {
	seed   uint64
	number int64
	users  int64
	r      *rand.Rand
	buf    []byte
}

const (
	vocabulary = 20_000
	labels     = 8
	titles     = 50_000
)

// rank draws a number from 0 to n-1 according to Zipf's law with exponent 1, using the inverse of
// the approximate harmonic numbers.
func (m *maker) rank(n int64) int64 {
	return min(n-1, int64(math.Exp(float64(m.r.Float64()*math.Log(float64(n+1)))))-1)
}

// word appends word number n. The same number always yields the same word.
func word(dst []byte, n int64) []byte {
	const consonants, vowels = "bdfghklmnprstvwz", "aeiou"
	for n++; n > 0; n /= 80 {
		dst = append(dst, consonants[n%16], vowels[n/16%5])
	}
	return dst
}

// article generates "ID TAB LABEL TAB TEXT". About a third of the text's words are specific to the
// label.
func (m *maker) article() []byte {
	label := m.r.Int64N(labels)
	b := strconv.AppendInt(append(m.buf[:0], 'd'), m.number, 10)
	b = strconv.AppendInt(append(b, "\ttopic"...), label, 10)
	b = append(b, '\t')
	for i := range 20 + m.r.IntN(180) {
		if i > 0 {
			b = append(b, ' ')
		}
		n := m.rank(vocabulary)
		if m.r.IntN(3) == 0 {
			n = vocabulary + label*vocabulary + n
		}
		b = word(b, n)
	}
	m.buf = b
	return b
}

// traffic generates "PROJECT TITLE VISITS BYTES".
func (m *maker) traffic() []byte {
	projects := [...]string{"en", "de", "fr", "ja", "es"}
	b := append(m.buf[:0], projects[m.rank(int64(len(projects)))]...)
	b = word(append(b, ' '), m.rank(titles))
	visits := 1 + int64(m.r.ExpFloat64()*10)
	b = strconv.AppendInt(append(b, ' '), visits, 10)
	b = strconv.AppendInt(append(b, ' '), visits*(1000+m.r.Int64N(50_000)), 10)
	m.buf = b
	return b
}

// follow generates "I BLANK J", which means that user I follows user J. A few users have many
// followers. Line 2k+1 reverses line 2k with a probability of about 1/5.
func (m *maker) follow() []byte {
	twin := rand.New(rand.NewPCG(^m.seed, uint64(m.number/2)))
	from, to := twin.Int64N(m.users), (&maker{r: twin}).rank(m.users)
	switch mutual := twin.IntN(5) == 0; {
	case m.number%2 == 1 && mutual:
		from, to = to, from
	case m.number%2 == 1:
		from, to = m.r.Int64N(m.users), m.rank(m.users)
	}
	if from == to {
		to = (to + 1) % m.users
	}
	b := strconv.AppendInt(m.buf[:0], from, 10)
	m.buf = strconv.AppendInt(append(b, ' '), to, 10)
	return m.buf
}

// tweet generates "tweet BLANK USER BLANK TEXT".
func (m *maker) tweet() []byte {
	b := strconv.AppendInt(append(m.buf[:0], "tweet "...), m.rank(m.users), 10)
	for range 5 + m.r.IntN(15) {
		b = word(append(b, ' '), m.rank(vocabulary))
	}
	m.buf = b
	return b
}
