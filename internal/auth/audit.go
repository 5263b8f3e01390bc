package auth

import (
	"context"
	"log/slog"
)

// Audit logs a change of on that the caller of ctx requested, and the error if the daemon rejected it.
// as is the user on whose behalf the caller acts, and why the reason; "" means none. Hadoop: Mapred
// AuditLogger.
func Audit(ctx context.Context, log *slog.Logger, change, on, as, why string, err error) {
	p := From(ctx)
	who := p.String()
	if as != "" && as != p.User {
		who += " as " + as
	}
	args := []any{"change", change, "on", on, "by", who}
	if why != "" {
		args = append(args, "reason", why)
	}
	if err != nil {
		log.Warn("change rejected", append(args, "error", err)...)
		return
	}
	log.Info("change made", args...)
}
