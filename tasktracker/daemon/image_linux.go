package daemon

// ownImage is the path of this process's executable file. An upgrade may replace the file at its
// original path, but children must run the program that this TaskTracker reported to the
// JobTracker.
const ownImage = "/proc/self/exe"
