//go:build integration

package compose

import (
	"flag"
	"os"
	"os/exec"
	"strings"
	"testing"
)

var (
	required = flag.Bool("required", false, "fail rather than skip if Docker, compose or debootstrap is missing")
	ownBase  = flag.String("base", "", "image to build on, like Debian; empty = create one with debootstrap and remove it")
)

// unavailable ends the test. It fails the test if the flag -required is set, and skips it otherwise.
func unavailable(t testing.TB, what string) {
	t.Helper()
	if *required {
		t.Fatal(what)
	}
	t.Skip(what)
}

// missing lists the tools that this machine lacks.
func missing() []string {
	var lack []string
	if err := exec.Command("docker", "version").Run(); err != nil {
		lack = append(lack, "docker and its daemon (apt-get install docker.io, then start dockerd)")
	}
	if composeCommand() == nil {
		lack = append(lack, "compose (apt-get install docker-compose, or Docker's plugin)")
	}
	if *ownBase != "" {
		return lack
	}
	if _, err := exec.LookPath("debootstrap"); err != nil {
		lack = append(lack, "debootstrap (apt-get install debootstrap, or name an image: make compose-test BASE=debian:12)")
	}
	if os.Geteuid() != 0 {
		lack = append(lack, "root, whom debootstrap wants (or name an image: make compose-test BASE=debian:12)")
	}
	return lack
}

// composeCommand returns the compose command of this machine, or nil if compose is not installed.
func composeCommand() []string {
	for _, c := range []string{"docker compose", "docker-compose"} {
		words := strings.Fields(c)
		if exec.Command(words[0], append(words[1:], "version")...).Run() == nil {
			return words
		}
	}
	return nil
}
