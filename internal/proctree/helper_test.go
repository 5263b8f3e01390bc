package proctree

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// The test binary also serves as the program that the tests start. A process that gets a pipe holds
// its write end as descriptor 3. The read end in the test reports the end of file when the last of
// these processes has ended.
func TestMain(m *testing.M) {
	switch os.Getenv("PROCTREE_HELPER") {
	case "":
		goleak.VerifyTestMain(m)
	case "quit":
		n, _ := strconv.Atoi(os.Args[1])
		os.Exit(n)
	case "open": // exits with 1 if the descriptor in argument 1 is open
		fd, _ := strconv.Atoi(os.Args[1])
		if _, err := os.NewFile(uintptr(fd), "inherited").Stat(); err == nil {
			os.Exit(1)
		}
		os.Exit(0)
	case "sleep":
		fmt.Fprintln(os.NewFile(3, "pipe"), "up")
		time.Sleep(time.Minute)
	case "stubborn":
		signal.Ignore(syscall.SIGTERM)
		fmt.Fprintln(os.NewFile(3, "pipe"), "up")
		time.Sleep(time.Minute)
	case "family": // starts a descendant in its own session; then exits if argument 1 is "leave", otherwise waits
		grandchild := helper("sleep")
		grandchild.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		grandchild.ExtraFiles = []*os.File{os.NewFile(3, "pipe")}
		if err := grandchild.Start(); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		if os.Args[1] == "leave" {
			time.Sleep(50 * time.Millisecond)
			os.Exit(0)
		}
		time.Sleep(time.Minute)
	case "fallback": // prints the modes of two started processes
		s := NewSpawner(Namespace)
		for range 2 {
			tree, err := s.Start(spec(nil, "quit", "0"))
			if err != nil {
				fmt.Println(err)
				os.Exit(1)
			}
			_, _ = tree.Wait()
			fmt.Fprintln(os.NewFile(3, "pipe"), tree.Mode(), "then", s.Mode())
		}
	case "owner": // owns a Spawner and a tree and waits until the test kills it
		mode, _ := strconv.Atoi(os.Args[1])
		s := NewSpawner(Mode(mode))
		if _, err := s.Start(familySpec(os.NewFile(3, "pipe"), "stay")); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		time.Sleep(time.Minute)
	}
}

func helper(name string, args ...string) *exec.Cmd {
	exe, err := os.Executable()
	if err != nil {
		panic(err)
	}
	c := exec.Command(exe, args...)
	os.Unsetenv("PROCTREE_HELPER")
	c.Env = append(os.Environ(), "PROCTREE_HELPER="+name)
	c.Stdout, c.Stderr = os.Stdout, os.Stderr
	return c
}

func spec(pipe *os.File, name string, args ...string) Spec {
	c := helper(name, args...)
	return Spec{Path: c.Path, Args: c.Args, Env: c.Env, Files: []*os.File{nil, os.Stdout, os.Stderr, pipe}}
}

func familySpec(pipe *os.File, what string) Spec { return spec(pipe, "family", what) }
