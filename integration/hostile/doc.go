// Package hostile sends random and mutated input to every port of every daemon of a cluster and a
// pool, and checks that the daemons keep serving. `make hostile` runs the test for ten minutes. Another
// test submits many large jobs as one user.
package hostile
