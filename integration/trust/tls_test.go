//go:build integration

package trust

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/integration/leftovers"
	"github.com/howdah/howdah/integration/minicluster"
	"github.com/howdah/howdah/integration/testpool"
	"github.com/howdah/howdah/internal/daemonrun"
)

// withoutSecret returns a command that runs against a cluster but finds no secret.
func withoutSecret(t *testing.T, c *minicluster.Cluster, home string, args ...string) *exec.Cmd {
	cmd := exec.Command(minicluster.Binary(t), args...)
	cmd.Env = append(daemonrun.Environ(), "HOWDAH_CONF_DIR="+c.Conf, "HOME="+home, "XDG_CONFIG_HOME="+home)
	return cmd
}

// output runs a command. It returns what the command prints and whether it succeeds.
func output(cmd *exec.Cmd) (text string, ok bool) {
	b, err := cmd.CombinedOutput()
	return string(b), err == nil
}

// words writes several input files. It returns their directory and the number of different words.
func words(t *testing.T) (dir string, n int) {
	dir = t.TempDir()
	for f := range 4 {
		var b bytes.Buffer
		for i := range 2000 {
			fmt.Fprintf(&b, "word%d all\n", i)
		}
		require.NoError(t, os.WriteFile(filepath.Join(dir, fmt.Sprint("f", f)), b.Bytes(), 0o644))
	}
	return dir, 2001
}

// wordcount runs a job with several reduces and checks its output. It returns the job's ID.
func wordcount(t *testing.T, c *minicluster.Cluster) string {
	in, n := words(t)
	out := filepath.Join(t.TempDir(), "out")
	r := c.Howdah("run", "wordcount", "-D", "mapreduce.job.reduces=3", "file:"+in, "file:"+out)
	require.Zero(t, r.Code, "%s", r.Err)
	parts, err := filepath.Glob(out + "/part-*")
	require.NoError(t, err)
	require.Len(t, parts, 3)
	lines := 0
	for _, part := range parts {
		b, err := os.ReadFile(part)
		require.NoError(t, err)
		lines += bytes.Count(b, []byte("\n"))
		require.NotContains(t, string(b), "\t3\n", "each word is in all four files")
	}
	require.Equal(t, n, lines)
	require.Regexp(t, `Failed Shuffles=0`, r.Err+r.Out)
	return regexp.MustCompile(`job_\d+_\d+`).FindString(r.Err + r.Out)
}

// browse requests a page like a browser that trusts the CA, and returns the page's text.
func browse(t *testing.T, ca []byte, address string) string {
	pool := x509.NewCertPool()
	require.True(t, pool.AppendCertsFromPEM(ca), "%s", ca)
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true,
		TLSClientConfig: &tls.Config{RootCAs: pool}}}
	r, err := client.Get(address)
	require.NoError(t, err)
	defer r.Body.Close()
	require.Equal(t, http.StatusOK, r.StatusCode)
	b, err := io.ReadAll(r.Body)
	require.NoError(t, err)
	return string(b)
}

// refusesPlaintext checks that a port returns nothing to clients without TLS.
func refusesPlaintext(t *testing.T, port string) {
	for _, text := range []string{"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n",
		"GET /mapOutput?job=x HTTP/1.1\r\nHost: x\r\n\r\n",
		"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "howdah2\n" + strings.Repeat("x", 50) + "\x00\x00"} {
		conn, err := net.Dial("tcp", port)
		require.NoError(t, err)
		require.NoError(t, conn.SetDeadline(time.Now().Add(time.Minute)))
		_, err = io.WriteString(conn, text)
		require.NoError(t, err)
		answer, _ := io.ReadAll(conn) // the daemon may reset the connection
		conn.Close()
		switch string(answer) {
		case "", "howdah: this port needs TLS\n",
			"HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n":
		default:
			require.Failf(t, "the port answers", "%s: %q to %q", port, answer, text)
		}
	}
}

// trackers returns the names of a cluster's TaskTrackers. A name ends with the HTTP port.
func trackers(t *testing.T, c *minicluster.Cluster) []string {
	r := c.Howdah("job", "-list-active-trackers")
	require.Zero(t, r.Code, "%s", r.Err)
	return regexp.MustCompile(`tracker_\S+`).FindAllString(r.Out, -1)
}

func portOf(tracker string) string {
	return "127.0.0.1" + tracker[strings.LastIndexByte(tracker, ':'):]
}

func TestTLSAuto(t *testing.T) {
	leftovers.Check(t)
	c := minicluster.Start(t, minicluster.Options{Set: []string{"howdah.security.tls=auto"}})
	require.True(t, strings.HasPrefix(c.Web, "https://"), c.Web)
	id := wordcount(t, c)
	r := c.Howdah("job", "-logs", id)
	require.Zero(t, r.Code, "%s", r.Err)
	require.Contains(t, r.Out, "is done")
	r = c.Howdah("job", "-status", id)
	require.Contains(t, r.Out, "tracking URL: https://")
	r = c.Howdah("token", "ca")
	require.Zero(t, r.Code, "%s", r.Err)
	ca := []byte(r.Out)
	require.Contains(t, browse(t, ca, c.Web+"/jobs/"+id), "wordcount")
	web, err := url.Parse(c.Web)
	require.NoError(t, err)
	own := trackers(t, c)
	require.Len(t, own, 1)
	require.Contains(t, browse(t, ca, "https://"+portOf(own[0])+"/"), "TaskTracker")
	for _, port := range []string{c.JobTracker, web.Host, portOf(own[0])} {
		refusesPlaintext(t, port)
	}
	for _, at := range []string{web.Host, own[0][strings.Index(own[0], "_")+1:]} {
		r = c.Howdah("daemonlog", "-setlevel", at, "WARN")
		require.Zero(t, r.Code, "%s", r.Err)
		require.Equal(t, "Effective Level: WARN\n", r.Out)
	}
	r = c.Howdah("job", "-D", "howdah.security.tls=off", "-list")
	require.Equal(t, 5, r.Code)
	require.Contains(t, r.Err, "set howdah.security.tls to the same value")

	// Users and nodes that have only tokens can run commands and fetch the CA.
	home := t.TempDir()
	token := func(args ...string) string {
		file := filepath.Join(home, args[len(args)-1])
		r := c.Howdah(append([]string{"token", "create", "-o", file}, args...)...)
		require.Zero(t, r.Code, "%s", r.Err)
		return "howdah.security.token.file=" + file
	}
	alice, admin := token("alice"), token("--days", "2", "--admin")
	text, ok := output(withoutSecret(t, c, home, "job", "-D", alice, "-list"))
	require.True(t, ok, text)
	for _, holder := range []string{alice, admin, token("--node", "n3")} {
		text, ok = output(withoutSecret(t, c, home, "token", "ca", "-D", holder))
		require.True(t, ok, text)
		require.Equal(t, string(ca), text, "the JobTracker tells the CA")
	}

	text, ok = output(withoutSecret(t, c, home, "job", "-D", admin, "-logs", id))
	require.True(t, ok, text)
	require.Contains(t, text, "is done")

	// Two nodes that have only tokens exchange map outputs.
	for _, node := range []string{"n1", "n2"} {
		cmd := withoutSecret(t, c, home, "tasktracker", "-D", token("--node", node),
			"-D", "howdah.tasktracker.run-as=tracker", // users other than root have tokens
			"-D", "mapreduce.tasktracker.host.name="+node,
			"-D", "mapreduce.tasktracker.http.address=127.0.0.1:0", "-D", "hadoop.tmp.dir="+filepath.Join(home, "tmp-"+node),
			"-D", "mapreduce.cluster.local.dir="+filepath.Join(home, "local-"+node),
			"-D", "hadoop.log.dir="+filepath.Join(home, "logs-"+node))
		var log bytes.Buffer
		cmd.Stderr = &log
		require.NoError(t, cmd.Start())
		t.Cleanup(func() {
			_ = cmd.Process.Signal(syscall.SIGTERM)
			_ = cmd.Wait()
			if t.Failed() {
				t.Logf("%s: %s", node, &log)
			}
		})
	}
	minicluster.Eventually(t, time.Minute, "the nodes to join", func() bool { return len(trackers(t, c)) == 3 })
	c.Kill("tasktracker-1")
	wordcount(t, c)
	for _, tracker := range trackers(t, c) {
		if tracker != own[0] {
			refusesPlaintext(t, portOf(tracker))
			require.Equal(t, "ok\n", browse(t, ca, "https://"+portOf(tracker)+"/healthz"))
		}
	}
	require.NoDirExists(t, filepath.Join(home, "howdah"), "nobody with a token has made a secret")
}

// TestTLSOfAPool checks the MR-cluster manager's ports and runs a job on an MR-cluster, whose
// daemons derive the same CA.
func TestTLSOfAPool(t *testing.T) {
	p := testpool.Start(t, testpool.Options{Nodes: 2, Set: []string{"howdah.security.tls=auto"}})
	web, err := url.Parse(p.Web)
	require.NoError(t, err)
	require.Equal(t, "https", web.Scheme)
	refusesPlaintext(t, p.Manager)
	refusesPlaintext(t, web.Host)
	r := p.Howdah("daemonlog", "-getlevel", web.Host)
	require.Equal(t, "Effective Level: INFO\n", r.Out, r.Err)
	r = p.Howdah("mrcluster", "create", "secure", "--core", "2")
	require.Zero(t, r.Code, "%s", r.Err)
	in, n := words(t)
	out := filepath.Join(t.TempDir(), "out")
	r = p.Howdah("run", "wordcount", "--mrcluster", "secure", "file:"+in, "file:"+out)
	require.Zero(t, r.Code, "%s", r.Err)
	b, err := os.ReadFile(out + "/part-r-00000")
	require.NoError(t, err)
	require.Equal(t, n, bytes.Count(b, []byte("\n")))
	id := regexp.MustCompile(`job_\d+_\d+`).FindString(r.Err + r.Out)
	r = p.Howdah("job", "--mrcluster", "secure", "-status", id)
	require.Contains(t, r.Out, "tracking URL: https://", "%s", r.Err)
}

// authority is an administrator's CA.
type authority struct {
	t    *testing.T
	key  *ecdsa.PrivateKey
	cert *x509.Certificate
}

func newAuthority(t *testing.T) *authority {
	a := &authority{t: t}
	var err error
	a.key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	a.cert = &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "site CA"}, IsCA: true,
		BasicConstraintsValid: true, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		KeyUsage: x509.KeyUsageCertSign}
	der, err := x509.CreateCertificate(rand.Reader, a.cert, a.cert, a.key.Public(), a.key)
	require.NoError(t, err)
	a.cert, err = x509.ParseCertificate(der)
	require.NoError(t, err)
	return a
}

func (a *authority) pem() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: a.cert.Raw})
}

// write writes a key, a certificate with the given roles, and the CA to a directory. It returns the
// settings that name these files.
func (a *authority) write(dir string, roles ...string) []string {
	t := a.t
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	cert := &x509.Certificate{SerialNumber: big.NewInt(time.Now().UnixNano()), NotBefore: time.Now().Add(-time.Hour),
		NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	for _, role := range roles {
		u, err := url.Parse("howdah://" + role)
		require.NoError(t, err)
		cert.URIs = append(cert.URIs, u)
	}
	der, err := x509.CreateCertificate(rand.Reader, cert, a.cert, key.Public(), a.key)
	require.NoError(t, err)
	private, err := x509.MarshalECPrivateKey(key)
	require.NoError(t, err)
	settings := []string{"howdah.security.tls=files"}
	for name, text := range map[string][]byte{"ca": a.pem(),
		"cert": pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
		"key":  pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: private})} {
		file := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(file+".new", text, 0o600))
		require.NoError(t, os.Rename(file+".new", file))
		settings = append(settings, "howdah.security.tls."+name+".file="+file)
	}
	return settings
}

func TestTLSFiles(t *testing.T) {
	leftovers.Check(t)
	host, err := os.Hostname()
	require.NoError(t, err)
	ca, dir := newAuthority(t), t.TempDir()
	roles := []string{"jobtracker", "tasktracker/" + host, "user/root"}
	settings := ca.write(dir, roles...)
	c := minicluster.Start(t, minicluster.Options{TaskTrackers: 2, Set: settings})
	id := wordcount(t, c)
	r := c.Howdah("job", "-logs", id)
	require.Zero(t, r.Code, "%s", r.Err)
	require.Contains(t, browse(t, ca.pem(), c.Web+"/jobs/"+id), "wordcount")
	refusesPlaintext(t, c.JobTracker)

	// The daemons use new certificates without a restart.
	before := serial(t, c.JobTracker)
	ca.write(dir, roles...)
	require.NotEqual(t, before, serial(t, c.JobTracker))
	wordcount(t, c)

	with := func(settings []string) minicluster.Result {
		args := []string{"job"}
		for _, s := range settings {
			args = append(args, "-D", s)
		}
		return c.Howdah(append(args, "-list")...)
	}
	other := newAuthority(t)
	r = with(other.write(t.TempDir(), "user/root"))
	require.NotZero(t, r.Code)
	require.Contains(t, r.Err, "howdah.security.tls.ca.file", "the daemon's certificate is not from this CA")
	strange := t.TempDir()
	settings = other.write(strange, "user/root")
	require.NoError(t, os.WriteFile(filepath.Join(strange, "ca"), ca.pem(), 0o600))
	r = with(settings)
	require.NotZero(t, r.Code)
	require.Contains(t, r.Err, "no CA in "+filepath.Join(strange, "ca")+" has issued the certificate")
	require.NoError(t, os.WriteFile(filepath.Join(strange, "ca"), append(ca.pem(), other.pem()...), 0o600))
	r = with(settings)
	require.NotZero(t, r.Code)
	require.Contains(t, r.Err, "the daemon refuses this end's certificate")
}

// serial returns the serial number of a port's certificate.
func serial(t *testing.T, port string) string {
	conn, err := tls.Dial("tcp", port, &tls.Config{InsecureSkipVerify: true})
	require.NoError(t, err)
	defer conn.Close()
	return conn.ConnectionState().PeerCertificates[0].SerialNumber.String()
}
