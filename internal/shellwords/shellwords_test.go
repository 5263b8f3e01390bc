package shellwords

import "testing"

func TestShellLine(t *testing.T) {
	for want, words := range map[string][]string{
		"":                                nil,
		"/bin/howdah -D a=b":              {"/bin/howdah", "-D", "a=b"},
		`'/a b/howdah' '' 'it'\''s' '$x'`: {"/a b/howdah", "", "it's", "$x"},
	} {
		if got := Join(words); got != want {
			t.Errorf("Join(%q) = %s, want %s", words, got, want)
		}
	}
}
