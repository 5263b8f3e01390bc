package daemon

// ownImage names the file that this process runs. An upgrade may put another file at its path; children must be of the
// program that the JobTracker was told of.
const ownImage = "/proc/self/exe"
