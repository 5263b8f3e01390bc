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

// maxAnswer limits an answer; those of a NameNode list every DataNode.
const maxAnswer = 16 << 20

// Bean asks a daemon of Hadoop, by the host:port of its web server, for one of its JMX beans.
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
		return nil, errors.New(name + " is not there yet")
	}
	return v.Beans[0], nil
}

// NameNodeReady is nil as soon as a NameNode takes calls. It may be in safe mode, waiting for DataNodes.
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

// DataNodeReady is nil as soon as a DataNode serves its NameNode.
func DataNodeReady(ctx context.Context, web string) error {
	b, err := Bean(ctx, web, "Hadoop:service=DataNode,name=DataNodeInfo")
	if err != nil {
		return err
	}
	actors, _ := b["BPServiceActorInfo"].(string)
	if !strings.Contains(actors, `"ActorState":"RUNNING"`) {
		return fmt.Errorf("it has not registered: %s", actors)
	}
	return nil
}
