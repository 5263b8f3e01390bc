package daemon

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTimeChild(t *testing.T) {
	used, err := TimeChild(os.Args[0])
	require.NoError(t, err)
	require.Positive(t, used)
	_, err = TimeChild("/bin/true") // not a child: it never reports that it is ready
	require.ErrorContains(t, err, "/bin/true")
}
