// Package archtest holds the rules of the house as tests: who may import whom (imports.go), and what pure code must not do
// (purity.go). A failure says what to do instead. The tables are the rules; ARCHITECTURE.md tells the reasons. When a folder
// fights you, change the table, ARCHITECTURE.md and the code together.
package archtest
