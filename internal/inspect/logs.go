package inspect

import (
	"fmt"
	"html"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
)

// rotated matches what logrotate adds to the names of older files.
var rotated = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(\.\d+|-\d{8,})(\.(gz|xz|zst))?$`)
})

// logs serves the file to which standard error goes, which is the daemon's log, and its rotated
// predecessors in the same directory. It serves no other file and follows no link.
func logs(w http.ResponseWriter, r *http.Request) {
	file, err := logFile()
	if err != nil {
		http.Error(w, "The daemon's log goes to standard error, which is not a file: "+err.Error(), http.StatusNotFound)
		return
	}
	dir, err := os.OpenRoot(filepath.Dir(file))
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	defer dir.Close()
	if name := r.PathValue("name"); name != "" {
		serveLog(w, r, dir, filepath.Base(file), name)
		return
	}
	entries, err := os.ReadDir(dir.Name())
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	for _, e := range entries {
		if i, err := e.Info(); err == nil && own(filepath.Base(file), i) {
			name := html.EscapeString(e.Name())
			fmt.Fprintf(w, "<a href=\"/logs/%s\">%s</a> %d bytes, %s<br>\n", name, name, i.Size(),
				i.ModTime().UTC().Format("2006-01-02 15:04:05Z"))
		}
	}
}

// own reports whether i is the log file with the name base or an older one.
func own(base string, i os.FileInfo) bool {
	rest, ok := strings.CutPrefix(i.Name(), base)
	return ok && i.Mode().IsRegular() && (rest == "" || rotated().MatchString(rest))
}

func serveLog(w http.ResponseWriter, r *http.Request, dir *os.Root, base, name string) {
	i, err := dir.Lstat(name)
	if err != nil || name != i.Name() || !own(base, i) {
		http.NotFound(w, r)
		return
	}
	f, err := dir.Open(name)
	if err != nil {
		http.NotFound(w, r)
		return
	}
	defer f.Close()
	if now, err := f.Stat(); err != nil || !os.SameFile(i, now) {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	if filepath.Ext(name) != filepath.Ext(base) && strings.HasSuffix(name, "z") {
		w.Header().Set("Content-Type", "application/octet-stream")
	}
	http.ServeContent(w, r, "", i.ModTime(), f)
}

// logFile returns the path of the file to which standard error goes. A test replaces it.
var logFile = func() (string, error) {
	file, err := os.Readlink("/proc/self/fd/2")
	if err != nil {
		return "", fmt.Errorf("cannot find it on this system: %w", err)
	}
	there, err := os.Stat(file)
	if err != nil {
		return "", err
	}
	mine, err := os.Stderr.Stat()
	if err == nil && (!mine.Mode().IsRegular() || !os.SameFile(there, mine)) {
		err = fmt.Errorf("it goes to %s", file)
	}
	return file, err
}
