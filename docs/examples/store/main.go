// Command store is howdah with a file system of its own: paths store://HOST:PORT/PATH are on an
// object store that speaks HTTP. It has all of howdah's commands, and one more, which starts such a
// store in memory:
//
//	store serve HOST:PORT
//
// client.go is the file system, server.go the store, and store_test.go runs the conformance suite.
package main

import (
	"fmt"
	"log"
	"net"
	"net/http"
	"os"

	"github.com/howdah/howdah"
	"github.com/howdah/howdah/howdahmain"
)

func main() {
	if len(os.Args) == 3 && os.Args[1] == "serve" {
		log.Fatal(serve(os.Args[2]))
	}
	howdah.WithFileSystem(scheme, open)
	howdahmain.Main()
}

func serve(address string) error {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	fmt.Printf("the store is %s://%s\n", scheme, l.Addr())
	return http.Serve(l, newServer())
}
