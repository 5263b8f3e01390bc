package node

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/mrcluster"
)

// TestMain also acts as the daemons that a node starts. Such a daemon only serves at its configured
// addresses.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case "jobtracker":
			serve("mapreduce.jobtracker.address", "mapreduce.jobtracker.http.address")
		case "tasktracker":
			serve("mapreduce.tasktracker.http.address")
		case "agent": // runs a Node in the directory until it is killed
			n, err := New(Config{Dir: os.Args[2], Name: "a", Program: os.Args[0]})
			if err == nil {
				n.Apply(master("c", 1))
				select {}
			}
			fmt.Println(err)
			os.Exit(1)
		}
	}
	goleak.VerifyTestMain(m)
}

func serve(keys ...string) {
	c := conf.New()
	if err := c.LoadFile(filepath.Join(os.Args[3], "mapred-site.xml")); err != nil {
		panic(err)
	}
	if c.Get("howdah.job.profile.from") == "fail" {
		fmt.Println("the reason")
		os.Exit(3)
	}
	for _, key := range keys {
		l, err := net.Listen("tcp", c.Get(key))
		if err != nil {
			panic(err)
		}
		go func() { _ = http.Serve(l, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})) }()
	}
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, syscall.SIGTERM)
	<-asked
	os.Exit(0)
}

func master(name string, deployment int64, settings ...string) mrcluster.Desired {
	return mrcluster.Desired{Cluster: name, Deployment: deployment, Kind: mrcluster.Core, Master: true, MasterNode: "a",
		Spec: &mrcluster.Spec{Name: name, Core: 1, Conf: settings}}
}

func self(t *testing.T) string {
	program, err := os.Executable()
	require.NoError(t, err)
	return program
}

func newNode(t *testing.T, dir, name string) *Node {
	n, err := New(Config{Dir: dir, Name: name, Program: self(t),
		Master: func(context.Context, mrcluster.Desired) (Endpoints, error) {
			return Endpoints{}, errors.New("nobody")
		}})
	require.NoError(t, err)
	t.Cleanup(n.Stop)
	return n
}

func await(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(60 * time.Second); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("not in time: ", what)
		}
	}
}

func awaitUp(t *testing.T, n *Node) Endpoints {
	t.Helper()
	await(t, "all is up", func() bool {
		runs := n.Runs()
		return len(runs) == 1 && runs[0].Phase == mrcluster.PhaseUp
	})
	return n.Endpoints()
}
