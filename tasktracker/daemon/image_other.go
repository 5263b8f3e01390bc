//go:build !linux

package daemon

// ownImage is empty because the system provides no such path. Children use the original path.
const ownImage = ""
