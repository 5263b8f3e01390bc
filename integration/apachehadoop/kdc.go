package apachehadoop

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/howdah/howdah/internal/freeport"
	"github.com/howdah/howdah/job/failure"
)

// Realm is the Kerberos realm of a KDC.
const Realm = "TEST.LOCAL"

// kdcPath lists directories to search in addition to PATH. Debian installs the tools in sbin, which
// a regular user's PATH omits.
const kdcPath = "/usr/sbin:/usr/bin:/sbin:/bin"

// KDCAvailable returns nil if the tools of MIT Kerberos are installed. Otherwise, it returns an
// error that names the missing tool and is short enough for a skipped test.
func KDCAvailable() error {
	for _, tool := range []string{"krb5kdc", "kdb5_util", "kadmin.local", "kinit"} {
		if kdcTool(tool) == "" {
			return failure.New(failure.NotFound, "find", tool,
				errors.New("testing Kerberos needs MIT's KDC (krb5-kdc, krb5-admin-server, krb5-user)"))
		}
	}
	return nil
}

// KDC is an MIT Kerberos key distribution center that listens on loopback and has its own database.
type KDC struct {
	dir  string
	addr string
	cmd  *exec.Cmd
	done chan struct{}
}

// StartKDC creates a realm in dir, which must not exist, and starts its KDC. The caller must call
// Stop.
func StartKDC(ctx context.Context, dir string) (*KDC, error) {
	if err := KDCAvailable(); err != nil {
		return nil, err
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, failure.New(failure.IO, "find directory", dir, err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, failure.New(failure.KindOf(err), "make directory", dir, err)
	}
	k := &KDC{dir: dir}
	for try := 0; ; try++ {
		if err := k.configure(); err != nil {
			return nil, err
		}
		if try == 0 {
			if err := k.run(ctx, "kdb5_util", "create", "-s", "-r", Realm, "-P", "master"); err != nil {
				return nil, err
			}
		}
		err := k.serve(ctx)
		if err == nil {
			return k, nil
		}
		k.Stop()
		if try == 4 { // five attempts, because another process may take the port before an attempt
			return nil, err
		}
	}
}

// configure finds a free port and writes krb5.conf for all programs and kdc.conf for the KDC.
func (k *KDC) configure() error {
	a, err := freeport.Addrs(1)
	if err != nil {
		return err
	}
	k.addr = a[0]
	krb5 := "[libdefaults]\n default_realm = " + Realm + "\n dns_lookup_kdc = false\n dns_lookup_realm = false\n" +
		" dns_canonicalize_hostname = false\n rdns = false\n udp_preference_limit = 1\n" +
		" ticket_lifetime = 24h\n renew_lifetime = 7d\n" +
		"[realms]\n " + Realm + " = {\n  kdc = " + k.addr + "\n }\n[domain_realm]\n localhost = " + Realm + "\n"
	_, port, _ := net.SplitHostPort(k.addr)
	kdc := "[kdcdefaults]\n kdc_listen = 127.0.0.1:" + port + "\n kdc_tcp_listen = 127.0.0.1:" + port + "\n[realms]\n " +
		Realm + " = {\n" +
		"  database_name = " + filepath.Join(k.dir, "principal") + "\n" +
		"  key_stash_file = " + filepath.Join(k.dir, "stash") + "\n" +
		"  acl_file = " + filepath.Join(k.dir, "acl") + "\n  max_life = 24h\n  max_renewable_life = 7d\n" +
		"  supported_enctypes = aes256-cts-hmac-sha1-96:normal\n }\n" +
		"[logging]\n kdc = FILE:" + filepath.Join(k.dir, "kdc.log") + "\n"
	for name, text := range map[string]string{k.Config(): krb5, filepath.Join(k.dir, "kdc.conf"): kdc} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			return failure.New(failure.KindOf(err), "write", name, err)
		}
	}
	return nil
}

// serve starts the KDC and waits until it is listening.
func (k *KDC) serve(ctx context.Context) error {
	cmd := k.command(context.WithoutCancel(ctx), "krb5kdc", "-n", "-P", filepath.Join(k.dir, "pid"))
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		return failure.New(failure.KindOf(err), "start", "krb5kdc", err)
	}
	k.cmd, k.done = cmd, make(chan struct{})
	go func(done chan struct{}) {
		_ = cmd.Wait()
		close(done)
	}(k.done)
	for end := time.Now().Add(startTimeout); time.Now().Before(end); {
		if conn, err := net.Dial("tcp", k.addr); err == nil {
			conn.Close()
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-k.done:
			b, _ := os.ReadFile(filepath.Join(k.dir, "kdc.log"))
			return failure.New(failure.Node, "start", "krb5kdc", errors.New(tail(b, 2000)))
		case <-time.After(50 * time.Millisecond):
		}
	}
	return failure.New(failure.Timeout, "start", "krb5kdc", fmt.Errorf("it does not listen at %s", k.addr))
}

// Config returns the path of the realm's krb5.conf, which is the value for KRB5_CONFIG and
// java.security.krb5.conf.
func (k *KDC) Config() string { return filepath.Join(k.dir, "krb5.conf") }

// Keytab creates a file with the keys of the given principals, such as "alice" or "nn/localhost",
// and returns its path. It creates principals that do not exist, and passes options, such as
// "-maxlife", "1 minute", to addprinc.
func (k *KDC) Keytab(ctx context.Context, name string, principals []string, options ...string) (string, error) {
	file := filepath.Join(k.dir, name+".keytab")
	for _, p := range principals {
		add := []string{"addprinc", "-randkey"}
		for _, o := range options {
			add = append(add, `"`+o+`"`)
		}
		for _, query := range []string{strings.Join(append(add, p), " "), "ktadd -norandkey -k " + file + " " + p} {
			if err := k.run(ctx, "kadmin.local", "-r", Realm, "-q", query); err != nil {
				return "", err
			}
		}
	}
	return file, nil
}

// Login runs kinit to get a ticket, and returns the path of the cache file with the ticket, which
// is the value for KRB5CCNAME. It passes options, such as "-l", "30s", to kinit.
func (k *KDC) Login(ctx context.Context, name, keytab, principal string, options ...string) (string, error) {
	file := filepath.Join(k.dir, name+".ccache")
	args := append(options, "-c", "FILE:"+file, "-k", "-t", keytab, principal)
	return file, k.run(ctx, "kinit", args...)
}

// command returns a command that runs an MIT Kerberos tool with this realm's configuration.
func (k *KDC) command(ctx context.Context, tool string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, kdcTool(tool), args...)
	cmd.Dir = k.dir
	cmd.Env = append(os.Environ(), "KRB5_CONFIG="+k.Config(), "KRB5_KDC_PROFILE="+filepath.Join(k.dir, "kdc.conf"))
	return cmd
}

func (k *KDC) run(ctx context.Context, tool string, args ...string) error {
	out, err := k.command(ctx, tool, args...).CombinedOutput()
	if err != nil {
		return failure.New(failure.Failed, "run "+tool, fmt.Sprint(args), fmt.Errorf("%w: %s", err, tail(out, 1000)))
	}
	return nil
}

// Stop stops the KDC but keeps its files.
func (k *KDC) Stop() {
	if k.cmd == nil {
		return
	}
	_ = k.cmd.Process.Kill()
	<-k.done
	k.cmd = nil
}

// kdcTool returns the path of a tool, or "" if it is not installed.
func kdcTool(name string) string {
	if p, err := exec.LookPath(name); err == nil {
		return p
	}
	for _, dir := range filepath.SplitList(kdcPath) {
		if p, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
			return p
		}
	}
	return ""
}
