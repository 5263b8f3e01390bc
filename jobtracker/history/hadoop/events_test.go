package hadoop

import (
	"bufio"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// NewDecoder rejects malicious schemas, which would take unlimited time or memory to decode.
func TestHostileSchemas(t *testing.T) {
	for _, event := range []string{
		`{"type":"record","name":"A","fields":[{"name":"a","type":"A"}]}`,
		`{"type":"array","items":{"type":"record","name":"B","fields":[{"name":"b","type":{"type":"array","items":"B"}}]}}`,
		`"no such type"`, `5`,
	} {
		text := `{"type":"record","name":"Event","fields":[{"name":"type","type":"string"},{"name":"event","type":` +
			event + `}]}`
		_, err := NewDecoder([]byte(text), bufio.NewReader(strings.NewReader("")))
		require.Error(t, err, event)
	}
	_, err := NewDecoder([]byte(`"string"`), bufio.NewReader(strings.NewReader("")))
	require.Error(t, err)
}
