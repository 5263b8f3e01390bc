package main

import (
	"testing"

	"github.com/howdah/howdah/mapreduce/mrtest"
)

func TestWords(t *testing.T) {
	mrtest.Map(t, words).Input(0, "To be").Input(6, "").Want("to\t1", "be\t1")
}

// TestJob runs the whole job in memory.
func TestJob(t *testing.T) {
	r := mrtest.NewRunner()
	if err := r.WriteFile("/in/text", "To be or\nnot to be\n"); err != nil {
		t.Fatal(err)
	}
	if err := job.App().Run(t.Context(), r, []string{"/in", "/out"}); err != nil {
		t.Fatal(err)
	}
	got, err := r.Output("/out")
	if want := "be\t2\nnot\t1\nor\t1\nto\t2\n"; err != nil || got != want {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
}
