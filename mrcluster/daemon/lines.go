package daemon

import (
	"context"
	"time"

	"google.golang.org/grpc"

	"github.com/howdah/howdah/internal/rpc"
	"github.com/howdah/howdah/internal/wire/pool"
)

// lines is an agent's connection to the manager that it last found.
type lines struct {
	options rpc.Options // including the proof that the agent presents
	addr    string
	conn    *grpc.ClientConn
}

// reportTimeout is how long a manager can take to reply. The next beat repeats the report.
const reportTimeout = 10 * time.Second

func (l *lines) report(ctx context.Context, addr string, in *pool.ReportRequest) (*pool.ReportReply, error) {
	if l.conn == nil || l.addr != addr {
		l.close()
		conn, err := rpc.Dial(addr, l.options)
		if err != nil {
			return nil, err
		}
		l.addr, l.conn = addr, conn
	}
	ctx, cancel := context.WithTimeout(ctx, reportTimeout)
	defer cancel()
	if err := rpc.Join(ctx, l.conn, l.options.TLS); err != nil {
		return nil, err
	}
	return pool.NewPoolClient(l.conn).Report(ctx, in)
}

func (l *lines) close() {
	if l.conn != nil {
		l.conn.Close()
		l.conn = nil
	}
}
