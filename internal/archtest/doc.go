// Package archtest checks that the repository follows its rules. The rules cover imports between
// packages (imports.go, wire.go), internal types in exported APIs (api.go), operations that pure
// code must avoid (purity.go), reads of configuration keys (keys.go), and the form of lines and
// doc comments (text.go). A failure suggests an alternative. The tables in these files define the
// rules, and ARCHITECTURE.md explains them. To change a rule, change its table, ARCHITECTURE.md
// and the code together.
package archtest
