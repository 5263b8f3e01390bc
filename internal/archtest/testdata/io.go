package example

import (
	crand "crypto/rand"
	"fmt"
	"log"
	"log/slog"
	"net"
	"os"
	"runtime"
)

func input() {
	_, _ = os.ReadFile("x")       // want "do I/O in the daemon"
	_, _ = net.Dial("tcp", "x:1") // want "net.Dial"
	log.Print("x")                // want "log.Print"
	slog.Info("x")                // want "log/slog.Info"
	fmt.Println("x")              // want "fmt.Println"
	println("x")                  // want "println"
	_, _ = crand.Read(nil)        // want "crypto/rand.Read"
	_ = runtime.NumCPU()          // want "runtime.NumCPU"
	_ = fmt.Sprintf("%d is fine", 1)
}
