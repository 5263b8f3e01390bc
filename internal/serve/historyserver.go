package serve

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/howdah/howdah/client"
	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs/schemes"
	"github.com/howdah/howdah/internal/api"
	"github.com/howdah/howdah/internal/auth"
	"github.com/howdah/howdah/internal/auth/certs"
	"github.com/howdah/howdah/internal/inspect"
	"github.com/howdah/howdah/internal/lifecycle"
	"github.com/howdah/howdah/internal/owndir"
	"github.com/howdah/howdah/internal/passwd"
	"github.com/howdah/howdah/internal/port"
	"github.com/howdah/howdah/internal/redact"
	"github.com/howdah/howdah/internal/rest"
	"github.com/howdah/howdah/internal/rpc"
	"github.com/howdah/howdah/internal/transport/tokens"
	"github.com/howdah/howdah/internal/version"
	"github.com/howdah/howdah/internal/webguard"
	"github.com/howdah/howdah/internal/webui"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/jobtracker/archive"
	"github.com/howdah/howdah/jobtracker/historyserver"
	"github.com/howdah/howdah/jobtracker/policies"
)

// HistoryServer configures a history server process.
type HistoryServer struct {
	Conf    *conf.Config
	PIDFile string // file that receives the process ID; "" means none
	Log     *slog.Logger
}

// Run runs the history server until ctx is done or the server fails.
func (h HistoryServer) Run(ctx context.Context) error {
	if err := ownTmp(h.Conf); err != nil {
		return err
	}
	fs, err := schemes.NewDaemon(h.Conf, schemes.JobTrackerLogin, func(text string) { h.Log.Warn(text) })
	if err != nil {
		return err
	}
	defer fs.Close()
	cfg, mayCall, err := h.config()
	if err != nil {
		return err
	}
	cfg.FS = fs.Own
	s, err := historyserver.New(cfg)
	if err != nil {
		return err
	}
	guard, addr, err := h.guard()
	if err != nil {
		return err
	}
	defer guard.close()
	guard.MayCall = mayCall
	l, err := port.Listen(conf.JobHistoryWebAppAddress.Name, addr, port.Half)
	if err != nil {
		return err
	}
	if err := lifecycle.WritePID(h.PIDFile, os.Getpid()); err != nil {
		return err
	}
	h.Log.Info("history server serves", "web", guard.TLS.Scheme()+"://"+l.Addr().String(),
		"security", guard.mode.String())
	routes := http.NewServeMux()
	r := &rest.Server{History: s, User: passwd.Me(), Version: version.Howdah(), Started: time.Now()}
	routes.Handle("/ws/", webguard.Users(r.Handler()))
	routes.Handle("/api/", webguard.Users((&api.Server{Jobs: s, Confs: s}).Handler()))
	routes.Handle("/", webguard.Users(webui.WithFoot(guard.mode.Public(), webui.History(s))))
	(&inspect.Process{Name: "JobHistoryServer", Conf: h.Conf, Log: h.Log}).Routes(routes.Handle)
	run := lifecycle.NewStack(ctx)
	run.Start("index", s.Run)
	run.Start("web", func(ctx context.Context) error { return guard.Serve(ctx, l, routes) })
	return run.Wait()
}

// config returns the configuration of the server, except its file systems.
func (h HistoryServer) config() (cfg historyserver.Config, mayCall func(string) bool, err error) {
	r := conf.Reader{Conf: h.Conf}
	x := archive.ExportFromConf(&r)
	cfg = historyserver.Config{Done: x.Dir, Intermediate: x.Intermediate, MaxAge: x.MaxAge, CleanEvery: x.CleanEvery,
		Acting: auth.NewActing(h.Conf), Log: h.Log}
	if err = r.Err; err == nil {
		cfg.Rules, mayCall, err = policies.ReadRules(h.Conf)
	}
	if err == nil {
		cfg.Mask, err = redact.New(h.Conf)
	}
	if err != nil {
		return cfg, nil, err
	}
	dir := filepath.Join(conf.JobTrackerDir.Get(h.Conf), "history")
	if _, err := os.ReadDir(dir); err == nil {
		own := filepath.Join(conf.HadoopTmpDir.Get(h.Conf), "mapred", "historyserver")
		if err := owndir.Make(own, owndir.Private, conf.HadoopTmpDir.Name); err != nil {
			return cfg, nil, err
		}
		cfg.Archive, cfg.Index = dir, filepath.Join(own, "index")
	}
	return cfg, mayCall, nil
}

// historyGuard protects a history server's pages.
type historyGuard struct {
	*webguard.Guard
	mode  auth.Mode
	close func()
}

// checkTimeout is the maximum time that a visitor waits for the JobTracker.
const checkTimeout = 10 * time.Second

// guard returns the guard and the address to listen at. If a JobTracker is configured, it checks
// visitors' tokens, because it knows which ones have been revoked.
func (h HistoryServer) guard() (*historyGuard, string, error) {
	c := h.Conf
	addr := conf.JobHistoryWebAppAddress.Get(c)
	if c.IsDefault(conf.JobHistoryWebAppAddress.Name) && conf.SecuritySecretFile.Get(c) == "" {
		addr = "127.0.0.1:19888" // as a laptop's other daemons
	}
	if err := auth.CheckBind(c, conf.JobHistoryWebAppAddress.Name, addr); err != nil {
		return nil, "", err
	}
	secret, err := auth.Load(c)
	if err != nil {
		return nil, "", err
	}
	secure, err := certs.Open(c, secret, certs.Holder{Roles: []certs.Role{certs.JobTracker},
		Hosts: certs.Addresses(append(conf.SecurityWebHosts.Get(c), addr)...)})
	if err != nil {
		return nil, "", err
	}
	g := &historyGuard{webguard.New(secret, append(conf.SecurityWebHosts.Get(c), addr)...),
		auth.NewMode(c, secret.Proof()), func() {}}
	g.TLS = secure
	jobTracker, err := client.Address(c)
	if err != nil {
		return g, addr, nil // none is configured
	}
	options, err := rpc.ClientOptions(c, certs.JobTracker)
	if err != nil {
		return nil, "", err
	}
	conn, err := rpc.Dial(jobTracker, options)
	if err != nil {
		return nil, "", err
	}
	g.close = func() { conn.Close() }
	g.Ask = func(ctx context.Context, text string, use auth.Use, place string) (auth.Claims, time.Time, error) {
		ctx, cancel := context.WithTimeout(ctx, checkTimeout)
		defer cancel()
		claims, end, err := tokens.NewClient(conn).Check(ctx, text, use, place)
		if err != nil && !failure.Is(err, failure.Permission) {
			err = errors.New("the JobTracker, which checks tokens, does not answer") // strangers can see this text
		}
		return claims, end, err
	}
	return g, addr, nil
}
