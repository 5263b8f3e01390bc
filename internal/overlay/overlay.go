// Package overlay replaces source files for a build without changing them (go build -overlay).
package overlay

import (
	"encoding/json"
	"os"
	"path/filepath"
)

// Write writes an overlay to dir that replaces file, a path relative to the working directory or an
// absolute one, with source. It returns the overlay's name. A later call overwrites the overlay.
func Write(dir, file string, source []byte) (name string, err error) {
	changed := filepath.Join(dir, "changed.go")
	if err := os.WriteFile(changed, source, 0o600); err != nil {
		return "", err
	}
	if file, err = filepath.Abs(file); err != nil {
		return "", err
	}
	b, err := json.Marshal(map[string]map[string]string{"Replace": {file: changed}})
	if err != nil {
		return "", err
	}
	name = filepath.Join(dir, "overlay.json")
	return name, os.WriteFile(name, b, 0o600)
}
