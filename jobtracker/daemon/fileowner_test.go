package daemon

import (
	"os"
	"syscall"
)

func fileOwner(info os.FileInfo) uint32 { return info.Sys().(*syscall.Stat_t).Uid }
