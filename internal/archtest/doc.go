// Package archtest tests the rules of this repository. The rules cover imports between packages
// (imports.go), operations that pure code must avoid (purity.go), reads of configuration keys
// (keys.go), and the form of lines and doc comments (text.go). A failure suggests an alternative.
// The tables define the rules, and ARCHITECTURE.md explains them. To change a rule, change the
// table, ARCHITECTURE.md and the code together.
package archtest
