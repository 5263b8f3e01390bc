package dfs

// Resolver turns a path as users write it into a file system and a path on it. Relative paths are taken from the
// configured working directory, paths without a scheme from fs.defaultFS.
type Resolver interface {
	Resolve(path string) (FileSystem, string, error)
}
