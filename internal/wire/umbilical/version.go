package umbilical

// Version is the version of the protocol between a TaskTracker and its children, and of the map
// outputs that they exchange through files. Both sides need the same version, because a job's
// program contains the howdah that it was built with. Programs before version 2 sent none.
const Version int32 = 2
