package dfs

// Resolver resolves a user's path to a file system and a path on it. Relative paths start at the
// configured working directory. Absolute paths without a scheme are on fs.defaultFS.
type Resolver interface {
	Resolve(path string) (FileSystem, string, error)
}
