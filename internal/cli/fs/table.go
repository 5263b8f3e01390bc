package fs

// commands lists the shell's commands. It is a function and not a variable, because -help is a
// command and lists all commands.
func commands() []*command {
	all := [][]*command{looking(), copying(), changing(), deleting(), guarding(), keeping()}
	var out []*command
	for _, some := range all {
		out = append(out, some...)
	}
	return out
}

// looking returns the commands that do not change files.
func looking() []*command {
	return []*command{
		{names: []string{"cat"}, usage: "[-ignoreCrc] <src> ...", flags: []string{"ignoreCrc"}, min: 1, max: many, run: cat,
			help: "Prints the bytes of files. -ignoreCrc has no effect on storage that verifies its own " +
				"data."},
		{names: []string{"checksum"}, usage: "[-v] <src> ...", flags: []string{"v"}, min: 1, max: many, run: checksum,
			help: "Prints the checksums of files, or NONE if the storage has no checksums. -v adds the " +
				"block size, on which the checksums\nof HDFS depend."},
		{names: []string{"count"}, usage: "[-q] [-h] [-v] [-t [<storage type>]] [-u] [-x] [-e] [-s] <path> ...",
			flags: []string{"q", "h", "v", "u", "x", "e", "s"}, values: []string{"t"}, min: 1, max: many, run: count,
			help: "Counts directories, files and bytes: DIR_COUNT FILE_COUNT CONTENT_SIZE PATHNAME. -q " +
				"puts quotas first\n(QUOTA REM_QUOTA SPACE_QUOTA REM_SPACE_QUOTA), and -u shows only " +
				"quotas. With -q or -u, -t shows the quotas of the given\nstorage types, separated by " +
				"commas. -v prints a header line, -h prints human-readable sizes, -x excludes snapshots,\n" +
				"-e adds the erasure coding policy, and -s adds the counts of snapshots."},
		{names: []string{"df"}, usage: "[-h] [<path> ...]", flags: []string{"h"}, max: many, run: df,
			help: "Shows the capacity and the free space of the file system of a path. -h prints " +
				"human-readable sizes."},
		{names: []string{"du"}, usage: "[-s] [-h] [-v] [-x] <path> ...", flags: []string{"s", "h", "v", "x"},
			max: many, run: du,
			help: "Shows the size of each file, the size including all replicas, and the name. A directory " +
				"has one line for each entry.\n-s prints one total for each argument, -h prints " +
				"human-readable sizes, -v prints a header line, -x excludes snapshots."},
		{names: []string{"dus"}, usage: "<path> ...", max: many, deprecated: "du -s", run: dus},
		{names: []string{"find"}, usage: "<path> ... <expression> ...", max: many, raw: true, run: findFiles,
			help: "Finds files below paths (default: the working directory). Expressions are -name " +
				"PATTERN, -iname PATTERN (ignores case),\n-print and -print0. A file must match all " +
				"expressions; -a or -and between them is optional. Without -print or -print0,\nevery match " +
				"is printed."},
		{names: []string{"head"}, usage: "<file>", min: 1, max: 1, run: head,
			help: "Prints the first 1024 bytes of a file."},
		{names: []string{"help"}, usage: "[cmd ...]", max: many, raw: true, run: help,
			help: "Explains a command, or all commands."},
		{names: []string{"ls"}, usage: "[-C] [-d] [-h] [-q] [-R] [-t] [-S] [-r] [-u] [-e] [<path> ...]",
			flags: []string{"C", "d", "h", "q", "R", "t", "S", "r", "u", "e"}, max: many, run: ls,
			help: "Lists files and the contents of directories: permissions, replicas, owner, group, size, " +
				"modification time, name.\n  -C  print only names\n  -d  list directories themselves, not " +
				"their contents\n  -h  print human-readable sizes\n  -q  print ? for non-printing " +
				"characters\n  -R  list subdirectories recursively\n  -t  sort by modification time, " +
				"newest first\n  -S  sort by size, largest first\n  -r  reverse the order\n  -u  show and " +
				"sort by access time\n  -e  show the erasure coding policy"},
		{names: []string{"lsr"}, usage: "[<path> ...]", max: many, deprecated: "ls -R", run: lsr},
		{names: []string{"stat"}, usage: "[format] <path> ...", min: 1, max: many, run: stat,
			help: "Prints the status of files: %a %A permissions (octal, letters), %b size in bytes, %F " +
				"type, %g group, %n name,\n%o block size, %r replicas, %u owner, %x %X access time, %y %Y " +
				"modification time (UTC, milliseconds since 1970). The default is %y."},
		{names: []string{"tail"}, usage: "[-f] [-s <sleep interval>] <file>", flags: []string{"f"}, values: []string{"s"},
			min: 1, max: 1, run: tail,
			help: "Prints the last 1024 bytes of a file. -f also prints appended data as the file grows. " +
				"-s is the time between checks in\nmilliseconds (default: 5000)."},
		{names: []string{"test"}, usage: "-[defswrz] <path>", flags: []string{"d", "e", "f", "s", "w", "r", "z"}, min: 1,
			max: 1, run: test,
			help: "Tests a path and exits with 0 if the test is true: -d it is a directory, -e it exists, " +
				"-f it is a file, -s it is a file\nthat is not empty, -w it is writable, -r it is " +
				"readable, -z it is empty."},
		{names: []string{"text"}, usage: "[-ignoreCrc] <src> ...", flags: []string{"ignoreCrc"}, min: 1, max: many, run: text,
			help: "Prints files as text. Decompresses compressed files, and prints SequenceFiles and Avro " +
				"files record by record."},
		{names: []string{"usage"}, usage: "[cmd ...]", max: many, raw: true, run: usage,
			help: "Prints the options of a command, or of all commands."},
	}
}

// Options of the commands that copy.
var (
	threads      = []string{"t", "q"}
	threadsUsage = "[-t <thread count>] [-q <thread pool queue size>] "
	threadsHelp  = "\n-t is the number of files that are copied concurrently. -q has no effect."
)

// copying returns the commands that copy or move files.
func copying() []*command {
	return []*command{
		{names: []string{"appendToFile"}, usage: "[-n] <localsrc> ... <dst>", flags: []string{"n"}, max: many,
			run: appendToFile,
			help: "Appends local files to one file, and creates it if it does not exist. The source - is " +
				"standard input. -n has no effect."},
		{names: []string{"concat"}, usage: "<target path> <src path> <src path> ...", max: many, run: concat,
			help: "Appends files to the target without copying, and removes them. All files must be in the " +
				"same directory."},
		{names: []string{"cp"}, usage: "[-f] [-p | -p[topax]] [-d] " + threadsUsage + "<src> ... <dst>",
			flags: []string{"f", "d"}, attached: "p", values: threads, min: 2, max: many, run: cp,
			help: "Copies files and directories. Several sources need an existing directory as the target. " +
				"-f overwrites. -p preserves\ntimestamps (t), owner and group (o), and permissions (p). " +
				"Its letters select attributes, and can add access control lists\n(a) and extended " +
				"attributes (x). -d writes without a temporary file (<dst>._COPYING_)." + threadsHelp},
		{names: []string{"get", "copyToLocal"},
			usage: "[-f] [-p] [-crc] [-ignoreCrc] " + threadsUsage + "<src> ... <localdst>",
			flags: []string{"f", "p", "crc", "ignoreCrc"}, values: threads, min: 1, max: many, run: get,
			help: "Copies files and directories to this machine. -f overwrites, -p preserves timestamps, " +
				"owner, group and permissions, and\n-crc writes the checksums of each file to .NAME.crc. " +
				"The target - is standard output." + threadsHelp},
		{names: []string{"getmerge"}, usage: "[-nl] [-skip-empty-file] <src> <localdst>",
			flags: []string{"nl", "skip-empty-file"}, min: 2, max: many, run: getmerge,
			help: "Concatenates files, or the files in a directory in the order of their names, into one " +
				"local file. -nl adds a newline\nafter each file. -skip-empty-file adds no newline after " +
				"an empty file."},
		{names: []string{"moveFromLocal"}, usage: "[-f] [-p] [-l] [-d] <localsrc> ... <dst>",
			flags: []string{"f", "p", "l", "d"}, min: 1, max: many, run: moveFromLocal,
			help: "Copies like -put, but removes each source after copying it."},
		{names: []string{"moveToLocal"}, usage: "<src> <localdst>", max: many, run: moveToLocal,
			help: "Not implemented, as in Hadoop. Use -get and then -rm."},
		{names: []string{"mv"}, usage: "<src> ... <dst>", min: 2, max: many, run: mv,
			help: "Moves files and directories within one file system; never replaces a file.\nSeveral " +
				"sources need an existing directory as the target."},
		{names: []string{"put", "copyFromLocal"}, usage: "[-f] [-p] [-l] [-d] " + threadsUsage + "<localsrc> ... <dst>",
			flags: []string{"f", "p", "l", "d"}, values: threads, min: 1, max: many, run: put,
			help: "Copies files and directories from this machine. -f overwrites, -p preserves timestamps, " +
				"owner, group and permissions, -l\nwrites one replica, and -d writes without a temporary " +
				"file (<dst>._COPYING_). The source - is standard input." + threadsHelp},
	}
}

// changing returns the commands that change files in place.
func changing() []*command {
	return []*command{
		{names: []string{"chgrp"}, usage: "[-R] GROUP PATH...", flags: []string{"R"}, min: 2, max: many, run: chgrp,
			help: "Changes the group of files. -R includes all files below directories."},
		{names: []string{"chmod"}, usage: "[-R] <MODE[,MODE]... | OCTALMODE> PATH...", flags: []string{"R"}, min: 2,
			max: many, loose: true, run: chmod,
			help: "Changes permissions. MODE is made of [ugoa], + - or =, and [rwxXt]: u+x,g-w; without " +
				"[ugoa] it applies to\nall and ignores the umask. OCTALMODE has three digits, or four with " +
				"1 for the sticky bit. -R includes all files below\ndirectories."},
		{names: []string{"chown"}, usage: "[-R] [OWNER][:[GROUP]] PATH...", flags: []string{"R"}, min: 2, max: many,
			run:  chown,
			help: "Changes the owner, the group or both. -R includes all files below directories."},
		{names: []string{"mkdir"}, usage: "[-p] <path> ...", flags: []string{"p"}, min: 1, max: many, run: mkdir,
			help: "Creates directories. -p also creates missing parents and accepts directories that " +
				"already exist."},
		{names: []string{"setrep"}, usage: "[-R] [-w] <rep> <path> ...", flags: []string{"R", "w"}, min: 2, max: many,
			run: setrep,
			help: "Sets the number of replicas of files and of all files below directories. -w waits until " +
				"all blocks have that number of\nreplicas. -R has no effect."},
		{names: []string{"touch"}, usage: "[-a] [-m] [-t TIMESTAMP (yyyyMMdd:HHmmss) ] [-c] <path> ...",
			flags: []string{"a", "m", "c"}, values: []string{"t"}, min: 1, max: many, run: touch,
			help: "Sets the modification time (-m), the access time (-a) or both to now or to TIMESTAMP. " +
				"Creates missing files unless -c\nis set."},
		{names: []string{"touchz"}, usage: "<path> ...", min: 1, max: many, run: touchz,
			help: "Creates empty files. An existing file that is not empty is an error."},
		{names: []string{"truncate"}, usage: "[-w] <length> <path> ...", flags: []string{"w"}, min: 2, max: many,
			run:  truncate,
			help: "Truncates files to a length. -w waits until the storage has truncated the last block."},
	}
}

// deleting returns the commands that delete.
func deleting() []*command {
	return []*command{
		{names: []string{"expunge"}, usage: "[-immediate] [-fs <path>]", flags: []string{"immediate"}, values: []string{"fs"},
			max: many, run: expunge,
			help: "Deletes trash checkpoints that are older than fs.trash.interval, and creates a " +
				"checkpoint of the current trash.\n-immediate deletes all trash. -fs selects another file " +
				"system."},
		{names: []string{"rm"}, usage: "[-f] [-r|-R] [-skipTrash] [-safely] <src> ...",
			flags: []string{"f", "r", "R", "skipTrash", "safely"}, min: 1, max: many, run: rm,
			help: "Deletes files. -r also deletes directories and their contents. -f ignores missing " +
				"files. If fs.trash.interval is above 0,\nfiles are moved to .Trash in your home directory " +
				"unless -skipTrash is set. -safely asks before it deletes a directory with\nmore than " +
				"hadoop.shell.safely.delete.limit.num.files files."},
		{names: []string{"rmr"}, usage: "<src> ...", min: 1, max: many, deprecated: "-rm -r", run: rmr},
		{names: []string{"rmdir"}, usage: "[--ignore-fail-on-non-empty] <dir> ...",
			flags: []string{"-ignore-fail-on-non-empty"}, min: 1, max: many, run: rmdir,
			help: "Deletes empty directories."},
	}
}

// guarding returns the commands for access control lists and extended attributes.
func guarding() []*command {
	return []*command{
		{names: []string{"getfacl"}, usage: "[-R] <path>", flags: []string{"R"}, max: many, run: getfacl,
			help: "Prints the access control lists of files and directories. -R includes all files below " +
				"directories."},
		{names: []string{"getfattr"}, usage: "[-R] {-n name | -d} [-e en] <path>", flags: []string{"R", "d"},
			values: []string{"n", "e"}, max: many, run: getfattr,
			help: "Prints the extended attribute -n NAME, or with -d all attributes. -R includes all files " +
				"below directories. -e is the\nencoding of values: text, hex or base64."},
		{names: []string{"setfacl"}, usage: "[-R] [{-b|-k} {-m|-x <acl_spec>} <path>]|[--set <acl_spec> <path>]",
			flags: []string{"R", "b", "k", "m", "x", "-set"}, max: many, run: setfacl,
			help: "Changes access control lists: -m adds or changes entries, -x removes entries, --set " +
				"replaces the list, -b removes all\nentries except the permission bits, and -k removes the " +
				"default entries. Entries have the form\n[default:]user|group|mask|other:[NAME]:rwx and " +
				"are separated by commas. -R includes all files below directories."},
		{names: []string{"setfattr"}, usage: "{-n name [-v value] | -x name} <path>", values: []string{"n", "v", "x"},
			max: many, run: setfattr,
			help: "Sets the extended attribute -n NAME to -v VALUE (text, \"text\", 0xHEX or 0sBASE64), or " +
				"removes -x NAME. Names start with\nuser., trusted., security., system. or raw."},
	}
}

// keeping returns the commands for snapshots.
func keeping() []*command {
	return []*command{
		{names: []string{"createSnapshot"}, usage: "<snapshotDir> [<snapshotName>]", max: many, run: createSnapshot,
			help: "Creates the snapshot DIR/.snapshot/NAME of a directory. An administrator must first " +
				"allow snapshots of the directory\n(dfsadmin -allowSnapshot)."},
		{names: []string{"deleteSnapshot"}, usage: "<snapshotDir> <snapshotName>", max: many, run: deleteSnapshot,
			help: "Deletes a snapshot."},
		{names: []string{"renameSnapshot"}, usage: "<snapshotDir> <oldName> <newName>", max: many, run: renameSnapshot,
			help: "Renames a snapshot."},
	}
}
