// Package builtins holds the commands every shell has, one file each. They
// reach the world only through their Invocation.
package builtins

import (
	"context"
	"sync"

	"github.com/vsh-project/vsh/shell/command"
)

// entry is one line of the table of commands. Only its line is there when the
// process starts; build makes the rest, with the options and the help, when the
// command first runs.
type entry struct {
	name, summary string
	build         func(name string) *program

	once    sync.Once
	program *program
}

// entries are the commands by name.
var entries = [...]entry{
	{name: "[", summary: "evaluate a condition on files, strings and numbers", build: testProgram},
	{name: "arch", summary: "print the machine's architecture", build: archProgram},
	{name: "awk", summary: "pattern scanning and processing (-F -v -f, gawk functions)", build: awkProgram},
	{name: "b2sum", summary: "print or check BLAKE2b digests (-c --tag --quiet --status)", build: digestProgram},
	{name: "base32", summary: "encode or decode base32 (-d -i -w)", build: baseProgram},
	{name: "base64", summary: "encode or decode base64 (-d -i -w)", build: baseProgram},
	{name: "basename", summary: "print the last element of paths (-a -s SUFFIX)", build: basenameProgram},
	{name: "basenc", summary: "encode or decode in many alphabets (--base64url --base16 --base32hex …)", build: basencProgram},
	{name: "bc", summary: "calculate with any number of digits (-l)", build: bcProgram},
	{name: "bunzip2", summary: "bzip2 compression (-d -c -k -t)", build: packerProgram},
	{name: "bzcat", summary: "bzip2 compression (-d -c -k -t)", build: packerProgram},
	{name: "bzip2", summary: "bzip2 compression (-d -c -k -t)", build: packerProgram},
	{name: "cal", summary: "print a calendar (-3 -y -j -m -A -B)", build: calProgram},
	{name: "cat", summary: "print files (-n -b -s -A -v -E -T)", build: catProgram},
	{name: "chgrp", summary: "change groups (-R -v -h --reference)", build: chgrpProgram},
	{name: "chmod", summary: "change modes (-R -v -c --reference)", build: chmodProgram},
	{name: "chown", summary: "change owners (-R -v -h --reference --from)", build: chownProgram},
	{name: "cksum", summary: "print or check checksums (-a ALGORITHM -c --untagged)", build: cksumProgram},
	{name: "cmp", summary: "compare two files byte by byte (-s -l -b -n -i)", build: cmpProgram},
	{name: "column", summary: "arrange lines in columns or tables (-t -s SEP -o SEP -N NAMES -J)", build: columnProgram},
	{name: "comm", summary: "compare two sorted files line by line (-1 -2 -3)", build: commProgram},
	{name: "cp", summary: "copy files and directories (-r -a -p -n -u -t -v --parents)", build: cpProgram},
	{name: "csplit", summary: "cut a file where lines match (-f -n -b -k -s -z --suppress-matched)", build: csplitProgram},
	{name: "cut", summary: "print parts of lines (-f LIST -d X -b -c -s --complement --output-delimiter)", build: cutProgram},
	{name: "date", summary: "print dates (-d STRING -u -r FILE -I -R +FORMAT)", build: dateProgram},
	{name: "dd", summary: "copy and convert blocks (if= of= bs= count= skip= seek= conv= iflag= oflag= status=)", build: ddProgram},
	{name: "df", summary: "show the space of storages (-h -i -k -T -P --output)", build: dfProgram},
	{name: "diff", summary: "compare files line by line (-u -c -r -q -y -w -b -B -i -N)", build: diffProgram},
	{name: "dir", summary: "list files in columns, escaped (ls -C -b)", build: lsProgram},
	{name: "dirname", summary: "print paths without their last element", build: dirnameProgram},
	{name: "du", summary: "sum up file sizes (-s -h -a -c -d N -b)", build: duProgram},
	{name: "echo", summary: "print a line (-n -e -E)", build: echoProgram},
	{name: "egrep", summary: "grep -E", build: grepProgram},
	{name: "env", summary: "run a command in a changed environment (-i -u NAME -C DIR -S NAME=VALUE)", build: envProgram},
	{name: "envsubst", summary: "replace $NAME and ${NAME} in standard input by environment variables (-v)", build: envsubstProgram},
	{name: "expand", summary: "turn TABs into spaces (-t LIST -i)", build: expandProgram},
	{name: "expr", summary: "evaluate an expression (+ - * / % = < > : | & length substr index match)", build: exprProgram},
	{name: "factor", summary: "print the prime factors of numbers", build: factorProgram},
	{name: "false", summary: "do nothing, unsuccessfully", build: trueProgram},
	{name: "fgrep", summary: "grep -F", build: grepProgram},
	{name: "file", summary: "tell what files hold (-b -i --mime-type --mime-encoding -L -z -f)", build: fileProgram},
	{name: "find", summary: "search for files (-name -type -size -mtime -path -regex -prune -printf -exec -delete)", build: findProgram},
	{name: "fmt", summary: "fill paragraphs (-w WIDTH -s -u -p PREFIX -c -t)", build: fmtProgram},
	{name: "fold", summary: "break long lines (-w COLUMNS -s -b)", build: foldProgram},
	{name: "gawk", summary: "pattern scanning and processing (-F -v -f, gawk functions)", build: awkProgram},
	{name: "getopt", summary: "parse the options of a script (-o SHORT -l LONG -n NAME -q -u -a)", build: getoptProgram},
	{name: "grep", summary: "search text (-r -n -i -l -L -c -v -o -w -x -E -F -P -e -f -A -B -C -m -q -s -z --include --exclude --exclude-dir)", build: grepProgram},
	{name: "groups", summary: "print the groups of users", build: groupsProgram},
	{name: "gunzip", summary: "decompress .gz files (-k -c -l -t)", build: gzipProgram},
	{name: "gzip", summary: "compress files (-d -k -c -l -t -r -1..-9)", build: gzipProgram},
	{name: "hd", summary: "dump bytes in hexadecimal, octal or a format (-C -c -b -x -n -s -v -e)", build: hexdumpProgram},
	{name: "head", summary: "print the first lines or bytes of files (-n -c -q -v -z)", build: headProgram},
	{name: "hexdump", summary: "dump bytes in hexadecimal, octal or a format (-C -c -b -x -n -s -v -e)", build: hexdumpProgram},
	{name: "hostid", summary: "print the host's number", build: hostidProgram},
	{name: "hostname", summary: "print the host's name (-s -d -f -i)", build: hostnameProgram},
	{name: "iconv", summary: "convert text from one encoding to another (-f -t -c -o -l)", build: iconvProgram},
	{name: "id", summary: "print user and groups (-u -g -G -n)", build: idProgram},
	{name: "install", summary: "copy files and set their modes (-d -D -m -t -v)", build: installProgram},
	{name: "join", summary: "join lines of two sorted files on a field (-1 -2 -j -t -a -v -o -e)", build: joinProgram},
	{name: "jq", summary: "query and transform JSON (-r -c -n -s -e -R -S -j, --arg, --argjson, --slurpfile)", build: jqProgram},
	{name: "link", summary: "make one hard link", build: linkProgram},
	{name: "ln", summary: "make links (-s -f -n -r -v -T)", build: lnProgram},
	{name: "logname", summary: "print the user's login name", build: lognameProgram},
	{name: "look", summary: "print the lines of a sorted file that begin with a text (-d -f -t)", build: lookProgram},
	{name: "ls", summary: "list files (-l -a -R -t -S -h -d -1)", build: lsProgram},
	{name: "md5sum", summary: "print or check MD5 digests (-c --tag --quiet --status)", build: digestProgram},
	{name: "mkdir", summary: "make directories (-p -m -v)", build: mkdirProgram},
	{name: "mkfifo", summary: "make named pipes (-m MODE)", build: mkfifoProgram},
	{name: "mktemp", summary: "make a temporary file or directory (-d -u -p -t)", build: mktempProgram},
	{name: "mv", summary: "move or rename files (-n -f -i -u -v -t -b)", build: mvProgram},
	{name: "nice", summary: "run a command (-n ADJUSTMENT)", build: niceProgram},
	{name: "nl", summary: "number lines (-b STYLE -n FORMAT -w -s -v -i)", build: nlProgram},
	{name: "nohup", summary: "run a command", build: nohupProgram},
	{name: "nproc", summary: "print the number of processors: 1", build: nprocProgram},
	{name: "numfmt", summary: "convert numbers to and from units (--to --from iec|iec-i|si --field --padding --suffix --format)", build: numfmtProgram},
	{name: "od", summary: "dump bytes (-A RADIX -t TYPE -c -x -j -N -v -w)", build: odProgram},
	{name: "paste", summary: "join lines of files side by side (-d LIST -s)", build: pasteProgram},
	{name: "patch", summary: "apply a diff to files (-p -R -i -N -F -b --dry-run --merge)", build: patchProgram},
	{name: "pathchk", summary: "check whether names are valid or portable (-p -P)", build: pathchkProgram},
	{name: "pr", summary: "paginate or columnate files for printing (-COLUMNS -m -t -n -h -l -w -s)", build: prProgram},
	{name: "printenv", summary: "print environment variables", build: printenvProgram},
	{name: "printf", summary: "print by a format", build: printfProgram},
	{name: "pwd", summary: "print the working directory (-L -P)", build: pwdProgram},
	{name: "readlink", summary: "show where links lead (-f -e -m -n)", build: readlinkProgram},
	{name: "realpath", summary: "print absolute paths without links (-e -m -s --relative-to)", build: realpathProgram},
	{name: "rev", summary: "print lines with their characters reversed", build: revProgram},
	{name: "rg", summary: "search files recursively, honouring .gitignore (-n -l -c -i -S -w -F -P -g -t -o -r -A -B -C --files --hidden --json)", build: rgProgram},
	{name: "rm", summary: "remove files (-r -f -i -d -v)", build: rmProgram},
	{name: "rmdir", summary: "remove empty directories (-p -v)", build: rmdirProgram},
	{name: "sed", summary: "edit text line by line (-n -E -i[SUFFIX] -e -f -s -z; s y d p a i c and the rest)", build: sedProgram},
	{name: "seq", summary: "print numbers in sequence ([FIRST [STEP]] LAST; -f -s -w)", build: seqProgram},
	{name: "setsid", summary: "run a command", build: setsidProgram},
	{name: "sha1sum", summary: "print or check SHA1 digests (-c --tag --quiet --status)", build: digestProgram},
	{name: "sha224sum", summary: "print or check SHA224 digests (-c --tag --quiet --status)", build: digestProgram},
	{name: "sha256sum", summary: "print or check SHA256 digests (-c --tag --quiet --status)", build: digestProgram},
	{name: "sha384sum", summary: "print or check SHA384 digests (-c --tag --quiet --status)", build: digestProgram},
	{name: "sha512sum", summary: "print or check SHA512 digests (-c --tag --quiet --status)", build: digestProgram},
	{name: "shred", summary: "overwrite files (-u -z -n)", build: shredProgram},
	{name: "shuf", summary: "print lines in random order (-n -e -i -r -o -z)", build: shufProgram},
	{name: "sleep", summary: "wait (NUMBER[smhd]...)", build: sleepProgram},
	{name: "sort", summary: "sort lines (-n -r -u -k -t -f -h -V -s -c -m -o -z -b -d -g -i -M -R)", build: sortProgram},
	{name: "split", summary: "cut a file into pieces (-l -b -C -n -a -d -x --additional-suffix --filter)", build: splitProgram},
	{name: "stat", summary: "describe files (-c FORMAT -L -f -t)", build: statProgram},
	{name: "stdbuf", summary: "run a command (-i -o -e MODE)", build: stdbufProgram},
	{name: "strings", summary: "print the printable strings in files (-n -t -f -e -w -s)", build: stringsProgram},
	{name: "sum", summary: "print 16-bit checksums and block counts (-r -s)", build: sumProgram},
	{name: "sync", summary: "write files out to their storage", build: syncProgram},
	{name: "tac", summary: "print lines last to first (-s SEPARATOR -b -r)", build: tacProgram},
	{name: "tail", summary: "print the last lines or bytes of files (-n [+]N -c -f -F -q -v)", build: tailProgram},
	{name: "tar", summary: "make, list and extract archives (c x t r u A d -f -z -j -J -C -T -X -v -O -k -p --exclude --transform --strip-components)", build: tarProgram},
	{name: "tee", summary: "copy standard input to files and standard output (-a -i -p)", build: teeProgram},
	{name: "test", summary: "evaluate a condition on files, strings and numbers", build: testProgram},
	{name: "timeout", summary: "run a command for a limited time (-s SIGNAL -k DURATION)", build: timeoutProgram},
	{name: "touch", summary: "set file times, making missing files (-d -t -r -a -m -c)", build: touchProgram},
	{name: "tr", summary: "translate, delete or squeeze bytes (-c -d -s -t)", build: trProgram},
	{name: "tree", summary: "draw a directory tree (-a -d -f -L -P -I --prune --gitignore -s -h -D -J -X)", build: treeProgram},
	{name: "true", summary: "do nothing, successfully", build: trueProgram},
	{name: "truncate", summary: "set file sizes (-s SIZE -r FILE -c)", build: truncateProgram},
	{name: "tsort", summary: "order strings by pairs of before and after", build: tsortProgram},
	{name: "tty", summary: "tell whether stdin is a terminal: it is none", build: ttyProgram},
	{name: "uname", summary: "print names of the system (-a -s -n -r -v -m -o)", build: unameProgram},
	{name: "unexpand", summary: "turn blanks into TABs (-a -t LIST)", build: unexpandProgram},
	{name: "uniq", summary: "leave out repeated adjacent lines (-c -d -D -u -i -f -s -w)", build: uniqProgram},
	{name: "unlink", summary: "remove one name", build: unlinkProgram},
	{name: "unxz", summary: "xz compression (-d -c -k -t)", build: packerProgram},
	{name: "unzip", summary: "list, test and extract zip archives (-l -o -n -q -j -p -d -x)", build: unzipProgram},
	{name: "unzstd", summary: "zstd compression (-d -c -k -t)", build: packerProgram},
	{name: "vdir", summary: "list files at length, escaped (ls -l -b)", build: lsProgram},
	{name: "wc", summary: "count lines, words, characters, bytes (-l -w -m -c -L)", build: wcProgram},
	{name: "which", summary: "find commands in PATH (-a)", build: whichProgram},
	{name: "whoami", summary: "print the user's name", build: whoamiProgram},
	{name: "xargs", summary: "build and run commands from input (-n -I -0 -d -L -P -r -t)", build: xargsProgram},
	{name: "xxd", summary: "dump bytes in hexadecimal, or undo it (-p -r -i -b -c -g -l -s)", build: xxdProgram},
	{name: "xz", summary: "xz compression (-d -c -k -t)", build: packerProgram},
	{name: "xzcat", summary: "xz compression (-d -c -k -t)", build: packerProgram},
	{name: "yes", summary: "print a line again and again", build: yesProgram},
	{name: "zcat", summary: "print decompressed .gz files", build: gzipProgram},
	{name: "zcmp", summary: "cmp of compressed files", build: zdiffProgram},
	{name: "zdiff", summary: "diff of compressed files", build: zdiffProgram},
	{name: "zegrep", summary: "grep in compressed files", build: zgrepProgram},
	{name: "zfgrep", summary: "grep in compressed files", build: zgrepProgram},
	{name: "zgrep", summary: "grep in compressed files", build: zgrepProgram},
	{name: "zip", summary: "make zip archives (-r -q -j -u -d -m -x -i -0..-9)", build: zipProgram},
	{name: "zipinfo", summary: "list zip archives in detail (-1 -l -v)", build: zipinfoProgram},
	{name: "zstd", summary: "zstd compression (-d -c -k -t)", build: packerProgram},
	{name: "zstdcat", summary: "zstd compression (-d -c -k -t)", build: packerProgram},
}

// All returns the commands by name.
func All() []command.Command {
	all := make([]command.Command, len(entries))
	for i := range entries {
		e := &entries[i]
		all[i] = command.Command{Name: e.name, Summary: e.summary, Run: e.run}
	}
	return all
}

func (e *entry) run(ctx context.Context, invocation *command.Invocation) error {
	e.once.Do(func() {
		e.program = e.build(e.name)
		e.program.name = e.name
	})
	return e.program.Run(ctx, invocation)
}
