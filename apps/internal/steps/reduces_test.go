package steps

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
)

func TestNeedReduces(t *testing.T) {
	for value, refused := range map[string]bool{"": false, "1": false, "70": false, "0": true, "-1": true, "many": true} {
		c := conf.New()
		if value != "" {
			c.Set(conf.JobReduces.Name, value, "test")
		}
		err := NeedReduces(c)
		require.Equal(t, refused, failure.Is(err, failure.Config), "%q: %v", value, err)
		require.Equal(t, refused, err != nil, "%q: %v", value, err)
	}
}
