package fs

// commands lists the shell's commands by name. It is a function, not a variable: -help is in it and lists it.
func commands() []*command {
	return []*command{
		{names: []string{"appendToFile"}, usage: "<localsrc> ... <dst>", min: 0, max: many, run: appendToFile,
			help: "Appends local files to one file, which is made if it does not exist. The source - is standard input."},
		{names: []string{"cat"}, usage: "[-ignoreCrc] <src> ...", flags: []string{"ignoreCrc"}, min: 1, max: many, run: cat,
			help: "Prints files as they are. -ignoreCrc is accepted; where storage checks data itself it stays checked."},
		{names: []string{"checksum"}, usage: "<src> ...", min: 1, max: many, run: checksum,
			help: "Prints the checksums that the storage keeps of files; NONE where it keeps none."},
		{names: []string{"chgrp"}, usage: "[-R] GROUP PATH...", flags: []string{"R"}, min: 2, max: many, run: chgrp,
			help: "Changes the group of files; -R of all below directories, too."},
		{names: []string{"chmod"}, usage: "[-R] <MODE[,MODE]... | OCTALMODE> PATH...", flags: []string{"R"}, min: 2, max: many, loose: true, run: chmod,
			help: "Changes permissions. MODE is made of [ugoa], + - or =, and [rwxXt]: u+x,g-w; without [ugoa] it means all, and no umask\n" +
				"counts. OCTALMODE has three digits, or four with 1 for the sticky bit. -R goes down directories."},
		{names: []string{"chown"}, usage: "[-R] [OWNER][:[GROUP]] PATH...", flags: []string{"R"}, min: 2, max: many, run: chown,
			help: "Changes owner, group or both; -R of all below directories, too."},
		{names: []string{"count"}, usage: "[-q] [-h] [-v] <path> ...", flags: []string{"q", "h", "v"}, min: 1, max: many, run: count,
			help: "Counts directories, files and bytes: DIR_COUNT FILE_COUNT CONTENT_SIZE PATHNAME. -q puts quotas before\n" +
				"(QUOTA REM_QUOTA SPACE_QUOTA REM_SPACE_QUOTA), -v a header line above, -h writes sizes for people."},
		{names: []string{"cp"}, usage: "[-f] [-p] [-d] <src> ... <dst>", flags: []string{"f", "p", "d"}, min: 2, max: many, run: cp,
			help: "Copies files and directories; several go into a directory that exists. -f overwrites, -p keeps times, owner, group and\n" +
				"permissions, -d writes without a temporary file (<dst>._COPYING_)."},
		{names: []string{"df"}, usage: "[-h] [<path> ...]", flags: []string{"h"}, max: many, run: df,
			help: "Shows capacity and free space of the storage that holds a path; -h writes sizes for people."},
		{names: []string{"du"}, usage: "[-s] [-h] [-v] [-x] <path> ...", flags: []string{"s", "h", "v", "x"}, min: 1, max: many, run: du,
			help: "Shows the bytes of files, the bytes with all their replicas, and names; of a directory one line for each entry. -s sums each\n" +
				"argument up, -h writes sizes for people, -v prints a header line. -x leaves snapshots out, of which none are counted."},
		{names: []string{"dus"}, usage: "<path> ...", min: 1, max: many, deprecated: "du -s", run: dus},
		{names: []string{"find"}, usage: "<path> ... <expression> ...", max: many, raw: true, run: findFiles,
			help: "Finds files below paths (default: the working directory). Expressions: -name PATTERN, -iname PATTERN (any case), -print,\n" +
				"-print0, joined by -a, -and or nothing: all must hold. Without -print or -print0 every file found is printed."},
		{names: []string{"get", "copyToLocal"}, usage: "[-f] [-p] [-ignoreCrc] <src> ... <localdst>",
			flags: []string{"f", "p", "ignoreCrc"}, min: 1, max: many, run: get,
			help: "Copies files and directories to this machine. -f overwrites, -p keeps times, owner, group and permissions. The target -\n" +
				"is standard output."},
		{names: []string{"getmerge"}, usage: "[-nl] [-skip-empty-file] <src> ... <localdst>", flags: []string{"nl", "skip-empty-file"}, min: 2, max: many, run: getmerge,
			help: "Joins files, or the files in directories by name, to one local file. -nl ends each with a newline; -skip-empty-file\n" +
				"not the empty ones."},
		{names: []string{"head"}, usage: "<file>", min: 1, max: 1, run: head,
			help: "Prints the first 1024 bytes of a file."},
		{names: []string{"help"}, usage: "[cmd ...]", max: many, raw: true, run: help,
			help: "Explains a command, or all of them."},
		{names: []string{"ls"}, usage: "[-C] [-d] [-h] [-q] [-R] [-t] [-S] [-r] [-u] [<path> ...]",
			flags: []string{"C", "d", "h", "q", "R", "t", "S", "r", "u"}, max: many, run: ls,
			help: "Lists files, and what is in directories: permissions, replicas, owner, group, bytes, time of change, name.\n" +
				"  -C  names only\n  -d  directories themselves, not what is in them\n  -h  sizes for people\n  -q  ? for characters that do not print\n" +
				"  -R  down all directories\n  -t  newest first\n  -S  largest first\n  -r  the other way round\n  -u  by and with time of access"},
		{names: []string{"lsr"}, usage: "[<path> ...]", max: many, deprecated: "ls -R", run: lsr},
		{names: []string{"mkdir"}, usage: "[-p] <path> ...", flags: []string{"p"}, min: 1, max: many, run: mkdir,
			help: "Makes directories. With -p their parents, too, and one that exists is no error."},
		{names: []string{"moveFromLocal"}, usage: "[-f] [-p] [-d] <localsrc> ... <dst>", flags: []string{"f", "p", "d"}, min: 1, max: many, run: moveFromLocal,
			help: "As -put, but removes each source after it was copied."},
		{names: []string{"mv"}, usage: "<src> ... <dst>", min: 2, max: many, run: mv,
			help: "Moves files and directories within one file system; several go into a directory that exists. Nothing is replaced."},
		{names: []string{"put", "copyFromLocal"}, usage: "[-f] [-p] [-d] <localsrc> ... <dst>", flags: []string{"f", "p", "d"}, min: 1, max: many, run: put,
			help: "Copies files and directories of this machine. -f overwrites, -p keeps times, owner, group and permissions, -d writes without\n" +
				"a temporary file (<dst>._COPYING_). The source - is standard input."},
		{names: []string{"rm"}, usage: "[-f] [-r|-R] [-skipTrash] <src> ...", flags: []string{"f", "r", "R", "skipTrash"}, min: 1, max: many, run: rm,
			help: "Deletes files; with -r directories and all in them. -f is silent about what does not exist. There is no trash, so\n" +
				"-skipTrash changes nothing."},
		{names: []string{"rmr"}, usage: "<src> ...", min: 1, max: many, deprecated: "-rm -r", run: rmr},
		{names: []string{"rmdir"}, usage: "[--ignore-fail-on-non-empty] <dir> ...", flags: []string{"-ignore-fail-on-non-empty"}, min: 1, max: many, run: rmdir,
			help: "Deletes empty directories."},
		{names: []string{"stat"}, usage: "[format] <path> ...", min: 1, max: many, run: stat,
			help: "Prints facts about files: %a %A permissions (octal, letters), %b bytes, %F type, %g group, %n name, %o block size,\n" +
				"%r replicas, %u owner, %x %X time of access, %y %Y time of change (UTC, milliseconds since 1970). The default is %y."},
		{names: []string{"tail"}, usage: "[-f] [-s <sleep interval>] <file>", flags: []string{"f"}, values: []string{"s"}, min: 1, max: 1, run: tail,
			help: "Prints the last 1024 bytes of a file; with -f also what is appended from then on, looking every -s milliseconds (5000)."},
		{names: []string{"test"}, usage: "-[defswrz] <path>", flags: []string{"d", "e", "f", "s", "w", "r", "z"}, min: 1, max: 1, run: test,
			help: "Answers by its exit code, 0 = yes: -d is a directory, -e exists, -f is a file, -s is a file with something in it,\n" +
				"-w may be written, -r may be read, -z is empty."},
		{names: []string{"text"}, usage: "[-ignoreCrc] <src> ...", flags: []string{"ignoreCrc"}, min: 1, max: many, run: text,
			help: "Prints files as text: compressed ones are decompressed."},
		{names: []string{"touch"}, usage: "[-a] [-m] [-t TIMESTAMP (yyyyMMdd:HHmmss) ] [-c] <path> ...",
			flags: []string{"a", "m", "c"}, values: []string{"t"}, min: 1, max: many, run: touch,
			help: "Sets time of change (-m), of access (-a) or both to now or to -t. A missing file is made, unless -c."},
		{names: []string{"touchz"}, usage: "<path> ...", min: 1, max: many, run: touchz,
			help: "Makes empty files; a file that has something in it is an error."},
		{names: []string{"truncate"}, usage: "[-w] <length> <path> ...", flags: []string{"w"}, min: 2, max: many, run: truncate,
			help: "Cuts files to a length. -w waits until the storage is done, which it always is here."},
		{names: []string{"usage"}, usage: "[cmd ...]", max: many, raw: true, run: usage,
			help: "Prints the options of a command, or of all."},
	}
}
