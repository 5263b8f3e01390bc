package fs

// commands lists the shell's commands. It is a function, not a variable: -help is in it and lists it.
func commands() []*command {
	all := [][]*command{looking(), copying(), changing(), deleting(), guarding(), keeping()}
	var out []*command
	for _, some := range all {
		out = append(out, some...)
	}
	return out
}

// looking are the commands that change nothing.
func looking() []*command {
	return []*command{
		{names: []string{"cat"}, usage: "[-ignoreCrc] <src> ...", flags: []string{"ignoreCrc"}, min: 1, max: many, run: cat,
			help: "Prints files as they are. -ignoreCrc is accepted; where storage checks data itself it stays checked."},
		{names: []string{"checksum"}, usage: "[-v] <src> ...", flags: []string{"v"}, min: 1, max: many, run: checksum,
			help: "Prints the checksums that the storage keeps of files; NONE where it keeps none. -v adds the size of blocks, on which\n" +
				"HDFS's depend."},
		{names: []string{"count"}, usage: "[-q] [-h] [-v] [-t [<storage type>]] [-u] [-x] [-e] [-s] <path> ...",
			flags: []string{"q", "h", "v", "u", "x", "e", "s"}, values: []string{"t"}, min: 1, max: many, run: count,
			help: "Counts directories, files and bytes: DIR_COUNT FILE_COUNT CONTENT_SIZE PATHNAME. -q puts quotas before\n" +
				"(QUOTA REM_QUOTA SPACE_QUOTA REM_SPACE_QUOTA), -u shows them alone; -t, with one of these, those of types of storage,\n" +
				"separated by commas. -v prints a header line, -h writes sizes for people, -x leaves out what only snapshots hold, -e adds\n" +
				"the erasure coding policy, -s the counts of snapshots."},
		{names: []string{"df"}, usage: "[-h] [<path> ...]", flags: []string{"h"}, max: many, run: df,
			help: "Shows capacity and free space of the storage that holds a path; -h writes sizes for people."},
		{names: []string{"du"}, usage: "[-s] [-h] [-v] [-x] <path> ...", flags: []string{"s", "h", "v", "x"}, max: many, run: du,
			help: "Shows the bytes of files, the bytes with all their replicas, and names; of a directory one line for each entry. -s sums each\n" +
				"argument up, -h writes sizes for people, -v prints a header line, -x leaves out what only snapshots hold."},
		{names: []string{"dus"}, usage: "<path> ...", max: many, deprecated: "du -s", run: dus},
		{names: []string{"find"}, usage: "<path> ... <expression> ...", max: many, raw: true, run: findFiles,
			help: "Finds files below paths (default: the working directory). Expressions: -name PATTERN, -iname PATTERN (any case), -print,\n" +
				"-print0, joined by -a, -and or nothing: all must hold. Without -print or -print0 every file found is printed."},
		{names: []string{"head"}, usage: "<file>", min: 1, max: 1, run: head,
			help: "Prints the first 1024 bytes of a file."},
		{names: []string{"help"}, usage: "[cmd ...]", max: many, raw: true, run: help,
			help: "Explains a command, or all of them."},
		{names: []string{"ls"}, usage: "[-C] [-d] [-h] [-q] [-R] [-t] [-S] [-r] [-u] [-e] [<path> ...]",
			flags: []string{"C", "d", "h", "q", "R", "t", "S", "r", "u", "e"}, max: many, run: ls,
			help: "Lists files, and what is in directories: permissions, replicas, owner, group, bytes, time of change, name.\n" +
				"  -C  names only\n  -d  directories themselves, not what is in them\n  -h  sizes for people\n  -q  ? for characters that do not print\n" +
				"  -R  down all directories\n  -t  newest first\n  -S  largest first\n  -r  the other way round\n  -u  by and with time of access\n" +
				"  -e  with the erasure coding policy"},
		{names: []string{"lsr"}, usage: "[<path> ...]", max: many, deprecated: "ls -R", run: lsr},
		{names: []string{"stat"}, usage: "[format] <path> ...", min: 1, max: many, run: stat,
			help: "Prints facts about files: %a %A permissions (octal, letters), %b bytes, %F type, %g group, %n name, %o block size,\n" +
				"%r replicas, %u owner, %x %X time of access, %y %Y time of change (UTC, milliseconds since 1970). The default is %y."},
		{names: []string{"tail"}, usage: "[-f] [-s <sleep interval>] <file>", flags: []string{"f"}, values: []string{"s"}, min: 1, max: 1, run: tail,
			help: "Prints the last 1024 bytes of a file; with -f also what is appended from then on, looking every -s milliseconds (5000)."},
		{names: []string{"test"}, usage: "-[defswrz] <path>", flags: []string{"d", "e", "f", "s", "w", "r", "z"}, min: 1, max: 1, run: test,
			help: "Answers by its exit code, 0 = yes: -d is a directory, -e exists, -f is a file, -s is a file with something in it,\n" +
				"-w may be written, -r may be read, -z is empty."},
		{names: []string{"text"}, usage: "[-ignoreCrc] <src> ...", flags: []string{"ignoreCrc"}, min: 1, max: many, run: text,
			help: "Prints files as text: compressed ones are decompressed, SequenceFiles and Avro files are printed record by record."},
		{names: []string{"usage"}, usage: "[cmd ...]", max: many, raw: true, run: usage,
			help: "Prints the options of a command, or of all."},
	}
}

// Options that the commands which copy have in common.
var (
	threads      = []string{"t", "q"}
	threadsUsage = "[-t <thread count>] [-q <thread pool queue size>] "
	threadsHelp  = "\n-t copies so many files at a time; -q is accepted."
)

// copying are the commands that move bytes.
func copying() []*command {
	return []*command{
		{names: []string{"appendToFile"}, usage: "[-n] <localsrc> ... <dst>", flags: []string{"n"}, max: many, run: appendToFile,
			help: "Appends local files to one file, which is made if it does not exist. The source - is standard input. -n is accepted."},
		{names: []string{"concat"}, usage: "<target path> <src path> <src path> ...", max: many, run: concat,
			help: "Joins files of one directory to the first of them without copying; the others are gone afterwards."},
		{names: []string{"cp"}, usage: "[-f] [-p | -p[topax]] [-d] " + threadsUsage + "<src> ... <dst>",
			flags: []string{"f", "d"}, attached: "p", values: threads, min: 2, max: many, run: cp,
			help: "Copies files and directories; several go into a directory that exists. -f overwrites, -p keeps times (t), owner and group\n" +
				"(o), permissions (p), or what its letters say, also access-control lists (a) and attributes (x). -d writes without a\n" +
				"temporary file (<dst>._COPYING_)." + threadsHelp},
		{names: []string{"get", "copyToLocal"}, usage: "[-f] [-p] [-crc] [-ignoreCrc] " + threadsUsage + "<src> ... <localdst>",
			flags: []string{"f", "p", "crc", "ignoreCrc"}, values: threads, min: 1, max: many, run: get,
			help: "Copies files and directories to this machine. -f overwrites, -p keeps times, owner, group and permissions, -crc writes the\n" +
				"file .NAME.crc of checksums beside each. The target - is standard output." + threadsHelp},
		{names: []string{"getmerge"}, usage: "[-nl] [-skip-empty-file] <src> <localdst>", flags: []string{"nl", "skip-empty-file"}, min: 2, max: many, run: getmerge,
			help: "Joins files, or the files in directories by name, to one local file. -nl ends each with a newline; -skip-empty-file\n" +
				"not the empty ones."},
		{names: []string{"moveFromLocal"}, usage: "[-f] [-p] [-l] [-d] <localsrc> ... <dst>", flags: []string{"f", "p", "l", "d"}, min: 1, max: many, run: moveFromLocal,
			help: "As -put, but removes each source after it was copied."},
		{names: []string{"moveToLocal"}, usage: "<src> <localdst>", max: many, run: moveToLocal,
			help: "Not implemented, here as in Hadoop: use -get and then -rm."},
		{names: []string{"mv"}, usage: "<src> ... <dst>", min: 2, max: many, run: mv,
			help: "Moves files and directories within one file system; several go into a directory that exists. Nothing is replaced."},
		{names: []string{"put", "copyFromLocal"}, usage: "[-f] [-p] [-l] [-d] " + threadsUsage + "<localsrc> ... <dst>",
			flags: []string{"f", "p", "l", "d"}, values: threads, min: 1, max: many, run: put,
			help: "Copies files and directories of this machine. -f overwrites, -p keeps times, owner, group and permissions, -l keeps one\n" +
				"replica, -d writes without a temporary file (<dst>._COPYING_). The source - is standard input." + threadsHelp},
	}
}

// changing are the commands that change files where they are.
func changing() []*command {
	return []*command{
		{names: []string{"chgrp"}, usage: "[-R] GROUP PATH...", flags: []string{"R"}, min: 2, max: many, run: chgrp,
			help: "Changes the group of files; -R of all below directories, too."},
		{names: []string{"chmod"}, usage: "[-R] <MODE[,MODE]... | OCTALMODE> PATH...", flags: []string{"R"}, min: 2, max: many, loose: true, run: chmod,
			help: "Changes permissions. MODE is made of [ugoa], + - or =, and [rwxXt]: u+x,g-w; without [ugoa] it means all, and no umask\n" +
				"counts. OCTALMODE has three digits, or four with 1 for the sticky bit. -R goes down directories."},
		{names: []string{"chown"}, usage: "[-R] [OWNER][:[GROUP]] PATH...", flags: []string{"R"}, min: 2, max: many, run: chown,
			help: "Changes owner, group or both; -R of all below directories, too."},
		{names: []string{"mkdir"}, usage: "[-p] <path> ...", flags: []string{"p"}, min: 1, max: many, run: mkdir,
			help: "Makes directories. With -p their parents, too, and one that exists is no error."},
		{names: []string{"setrep"}, usage: "[-R] [-w] <rep> <path> ...", flags: []string{"R", "w"}, min: 2, max: many, run: setrep,
			help: "Sets the number of replicas of files, and of all files below directories. -w waits until all blocks have them. -R is\n" +
				"accepted."},
		{names: []string{"touch"}, usage: "[-a] [-m] [-t TIMESTAMP (yyyyMMdd:HHmmss) ] [-c] <path> ...",
			flags: []string{"a", "m", "c"}, values: []string{"t"}, min: 1, max: many, run: touch,
			help: "Sets time of change (-m), of access (-a) or both to now or to -t. A missing file is made, unless -c."},
		{names: []string{"touchz"}, usage: "<path> ...", min: 1, max: many, run: touchz,
			help: "Makes empty files; a file that has something in it is an error."},
		{names: []string{"truncate"}, usage: "[-w] <length> <path> ...", flags: []string{"w"}, min: 2, max: many, run: truncate,
			help: "Cuts files to a length. -w waits until the storage has cut the last block."},
	}
}

// deleting are the commands that delete.
func deleting() []*command {
	return []*command{
		{names: []string{"expunge"}, usage: "[-immediate] [-fs <path>]", flags: []string{"immediate"}, values: []string{"fs"}, max: many, run: expunge,
			help: "Deletes what has been in your trash for longer than fs.trash.interval says, and puts a date on the rest. -immediate deletes\n" +
				"all of it; -fs names another file system."},
		{names: []string{"rm"}, usage: "[-f] [-r|-R] [-skipTrash] [-safely] <src> ...", flags: []string{"f", "r", "R", "skipTrash", "safely"}, min: 1, max: many, run: rm,
			help: "Deletes files; with -r directories and all in them. -f is silent about what does not exist. With fs.trash.interval above 0\n" +
				"files go to .Trash in your home, unless -skipTrash. -safely asks before it deletes a directory of more than\n" +
				"hadoop.shell.safely.delete.limit.num.files files."},
		{names: []string{"rmr"}, usage: "<src> ...", min: 1, max: many, deprecated: "-rm -r", run: rmr},
		{names: []string{"rmdir"}, usage: "[--ignore-fail-on-non-empty] <dir> ...", flags: []string{"-ignore-fail-on-non-empty"}, min: 1, max: many, run: rmdir,
			help: "Deletes empty directories."},
	}
}

// guarding are the commands for access-control lists and attributes.
func guarding() []*command {
	return []*command{
		{names: []string{"getfacl"}, usage: "[-R] <path>", flags: []string{"R"}, max: many, run: getfacl,
			help: "Prints the access-control lists of files and directories; -R of all below, too."},
		{names: []string{"getfattr"}, usage: "[-R] {-n name | -d} [-e en] <path>", flags: []string{"R", "d"}, values: []string{"n", "e"}, max: many, run: getfattr,
			help: "Prints the extended attribute -n NAME, or with -d all of them; -R of all below, too. -e is the form of values: text, hex\n" +
				"or base64."},
		{names: []string{"setfacl"}, usage: "[-R] [{-b|-k} {-m|-x <acl_spec>} <path>]|[--set <acl_spec> <path>]",
			flags: []string{"R", "b", "k", "m", "x", "-set"}, max: many, run: setfacl,
			help: "Changes access-control lists: -m adds or changes entries, -x removes entries, --set replaces the list, -b removes all but\n" +
				"the permission bits, -k what is for new files. Entries are [default:]user|group|mask|other:[NAME]:rwx, separated by\n" +
				"commas. -R does all below directories, too."},
		{names: []string{"setfattr"}, usage: "{-n name [-v value] | -x name} <path>", values: []string{"n", "v", "x"}, max: many, run: setfattr,
			help: "Sets the extended attribute -n NAME to -v VALUE (text, \"text\", 0xHEX or 0sBASE64), or removes -x NAME. Names begin with\n" +
				"user., trusted., security., system. or raw."},
	}
}

// keeping are the commands for snapshots.
func keeping() []*command {
	return []*command{
		{names: []string{"createSnapshot"}, usage: "<snapshotDir> [<snapshotName>]", max: many, run: createSnapshot,
			help: "Keeps the present state of a directory as DIR/.snapshot/NAME. An administrator allows it first (dfsadmin -allowSnapshot)."},
		{names: []string{"deleteSnapshot"}, usage: "<snapshotDir> <snapshotName>", max: many, run: deleteSnapshot,
			help: "Deletes a snapshot."},
		{names: []string{"renameSnapshot"}, usage: "<snapshotDir> <oldName> <newName>", max: many, run: renameSnapshot,
			help: "Gives a snapshot another name."},
	}
}
