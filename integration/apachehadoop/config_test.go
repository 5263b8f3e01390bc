package apachehadoop

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Kerberos applies to HDFS with one NameNode and with two.
func TestKerberosSettings(t *testing.T) {
	for _, ha := range []bool{false, true} {
		c := &Cluster{o: Options{HA: ha, Kerberos: &Kerberos{}, Site: []Setting{{"a", "b"}}},
			parts: []*part{{name: "namenode1", class: nameNodeClass}, {name: "namenode2", class: nameNodeClass}}}
		s := c.hdfs()
		require.Contains(t, s, Setting{"dfs.namenode.kerberos.principal", NameNodePrincipal}, "HA %v", ha)
		require.Equal(t, Setting{"a", "b"}, s[len(s)-1], "Site overrides the other settings")
	}
}
