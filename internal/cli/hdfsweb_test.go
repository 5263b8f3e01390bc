package cli

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// nameNodePages serves the pages of a NameNode and returns their address.
func nameNodePages(t *testing.T, state string, asked *string) string {
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/jmx":
			fmt.Fprintf(w, `{"beans": [{"name": %q, "State": %q}]}`, r.FormValue("qry"), state)
		case "/fsck":
			*asked = r.URL.Query().Encode()
			switch r.FormValue("path") {
			case "/bad":
				fmt.Fprint(w, "Status: CORRUPT\n\nThe filesystem under path '/bad' is CORRUPT\n")
			case "/denied":
				w.WriteHeader(http.StatusForbidden)
			case "/odd":
				fmt.Fprint(w, "Fsck on path '/odd' FAILED\n")
			default:
				fmt.Fprint(w, "Status: HEALTHY\n\nThe filesystem under path '/' is HEALTHY\n\n")
			}
		}
	}))
	t.Cleanup(web.Close)
	return web.Listener.Addr().String()
}

func TestFsck(t *testing.T) {
	asked := ""
	web := nameNodePages(t, "active", &asked)
	hdfs := []string{"fsck", "-fs", "hdfs://127.0.0.1:8020", "-D", "mapreduce.job.user.name=ada", "-D",
		"dfs.namenode.http-address=0.0.0.0:" + web[strings.LastIndexByte(web, ':')+1:]}
	for args, want := range map[string]int{"/": 0, "/bad": 1, "/odd": 255, "/denied": 2, "": 2, "/ -flies": 2, "a b": 2} {
		code, out, said := call(t, append(hdfs, strings.Fields(args)...)...)
		require.Equal(t, want, code, "%s: %s%s", args, out, said)
	}
	code, out, _ := call(t, append(hdfs, "hdfs://127.0.0.1:8020/a b", "-files", "-replicaDetails")...)
	require.Zero(t, code)
	require.Equal(t, "files=1&path=%2Fa+b&replicadetails=1&ugi=ada", asked)
	require.Contains(t, out, "is HEALTHY\n")
	_, _, said := call(t, append(hdfs, "/", "-flies")...)
	require.Contains(t, said, "did you mean -files?")
	_, _, said = call(t, append(hdfs, "/denied")...)
	require.Contains(t, said, "use Apache Hadoop's hdfs command")
	code, _, said = call(t, "fsck", "/")
	require.Equal(t, 3, code)
	require.Contains(t, said, "use -fs hdfs://host:port")
	code, _, _ = callAs(t, "hdfs", append([]string{"fsck"}, append(hdfs[1:], "/bad")...)...)
	require.Equal(t, 1, code)
}

func TestHAAdmin(t *testing.T) {
	none, asked := "", ""
	webs := []string{nameNodePages(t, "standby", &none), nameNodePages(t, "active", &asked)}
	ha := []string{"-fs", "hdfs://store", "-D", "dfs.nameservices=store", "-D", "dfs.ha.namenodes.store=nn1,nn2,nn3"}
	for i, web := range append(webs, "127.0.0.1:1") {
		ha = append(ha, "-D", fmt.Sprintf("dfs.namenode.rpc-address.store.nn%d=h%d:8020", i+1, i+1),
			"-D", fmt.Sprintf("dfs.namenode.http-address.store.nn%d=%s", i+1, web))
	}
	code, out, said := call(t, append([]string{"haadmin"}, append(ha, "-getServiceState", "nn2")...)...)
	require.Zero(t, code, said)
	require.Equal(t, "active\n", out)
	code, out, _ = call(t, append([]string{"haadmin"}, append(ha, "-getAllServiceState")...)...)
	require.Equal(t, 1, code)
	require.Regexp(t, `^h1:8020 +standby +\nh2:8020 +active +\nh3:8020 +Failed to connect: .*127.0.0.1:1`, out)
	code, _, _ = call(t, append([]string{"haadmin"}, append(ha, "-getServiceState", "nn9")...)...)
	require.Equal(t, 2, code)
	code, _, said = call(t, append([]string{"haadmin"}, append(ha, "-failover", "nn1", "nn2")...)...)
	require.Equal(t, 2, code)
	require.Contains(t, said, "unknown command")
	code, _, said = call(t, append([]string{"fsck"}, append(ha, "/")...)...)
	require.Zero(t, code, said)
	require.NotEmpty(t, asked, "the active NameNode")
	require.Empty(t, none)
}

func TestArchiveSaysWhatToUse(t *testing.T) {
	code, _, said := call(t, "archive", "-archiveName", "a.har", "-p", "/in", "/out")
	require.Equal(t, 2, code)
	require.Contains(t, said, "CombineTextInputFormat")
	require.Contains(t, said, "hadoop archive")
	require.Contains(t, said, "(.har); for many small files")
}
