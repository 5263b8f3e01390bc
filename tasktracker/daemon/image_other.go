//go:build !linux

package daemon

// ownImage is unknown here: the path has to do.
const ownImage = ""
