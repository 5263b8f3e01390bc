//go:build js && wasm

// Command howdah-playground is the simulator of the page on which readers try schedulers. It defines
// the JavaScript function howdahPlayground, which takes a request as text and returns a timeline; see
// playground.Answer.
package main

import (
	"context"
	"syscall/js"

	"github.com/howdah/howdah/simulator/playground"
)

func main() {
	js.Global().Set("howdahPlayground", js.FuncOf(func(_ js.Value, args []js.Value) any {
		return string(playground.Answer(context.Background(), []byte(args[0].String())))
	}))
	select {} // the page calls the function until it is closed
}
