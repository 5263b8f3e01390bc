package hdfs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

var client = &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}

// maxAnswer limits the size of an answer, in bytes. A NameNode's answer lists every DataNode.
const maxAnswer = 16 << 20

// Bean requests a JMX bean from the web server of a Hadoop daemon. web is the server's host:port.
func Bean(ctx context.Context, web, name string) (map[string]any, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+web+"/jmx?qry="+url.QueryEscape(name), nil)
	if err != nil {
		return nil, err
	}
	r, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	defer r.Body.Close()
	b, err := io.ReadAll(io.LimitReader(r.Body, maxAnswer))
	if err != nil {
		return nil, err
	}
	var v struct{ Beans []map[string]any }
	if err := json.Unmarshal(b, &v); err != nil {
		return nil, fmt.Errorf("%s: %w", r.Status, err)
	}
	if len(v.Beans) == 0 {
		return nil, errors.New(name + " does not exist yet")
	}
	return v.Beans[0], nil
}

// NameNodeReady returns nil if a NameNode's RPC and web servers, given as host:port, accept
// connections. The NameNode might still be in safe mode, waiting for DataNodes.
func NameNodeReady(ctx context.Context, rpc, web string) error {
	if _, err := Bean(ctx, web, "Hadoop:service=NameNode,name=NameNodeInfo"); err != nil {
		return err
	}
	var d net.Dialer
	conn, err := d.DialContext(ctx, "tcp", rpc)
	if err != nil {
		return err
	}
	return conn.Close()
}

// DataNodeReady returns nil if a DataNode has registered with its NameNode. web is the host:port of
// the DataNode's web server.
func DataNodeReady(ctx context.Context, web string) error {
	b, err := Bean(ctx, web, "Hadoop:service=DataNode,name=DataNodeInfo")
	if err != nil {
		return err
	}
	actors, _ := b["BPServiceActorInfo"].(string)
	if !strings.Contains(actors, `"ActorState":"RUNNING"`) {
		return fmt.Errorf("the DataNode has not registered: %s", actors)
	}
	return nil
}
