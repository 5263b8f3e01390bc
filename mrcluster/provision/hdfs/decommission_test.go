package hdfs

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDecommissioning(t *testing.T) {
	answer := ""
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, answer) }))
	defer s.Close()
	web := s.Listener.Addr().String()
	answer = `{"beans":[{"DecomNodes":"{\"node-1\":{\"xferaddr\":\"10.0.0.1:9866\",\"lastContact\":1,` +
		`\"underReplicatedBlocks\":7,\"decommissionOnlyReplicas\":5}}"}]}`
	n, err := Decommissioning(t.Context(), web)
	require.NoError(t, err)
	require.Equal(t, map[string]int{"10.0.0.1:9866": 7}, n)
	answer = `{"beans":[{"DecomNodes":"{}"}]}`
	n, err = Decommissioning(t.Context(), web)
	require.NoError(t, err)
	require.Empty(t, n)
	for _, bad := range []string{`{"beans":[]}`, `{"beans":[{}]}`, `?`} {
		answer = bad
		_, err = Decommissioning(t.Context(), web)
		require.Error(t, err, bad)
	}
}
