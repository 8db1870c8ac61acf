package builtins

import (
	"fmt"
	"io"
)

// writeVersion answers --version: the first line is that of the program whose
// answers ours are, since scripts look for it; the second says whose this is.
func writeVersion(out io.Writer, name string) {
	fmt.Fprintf(out, "%s\nAnswered by vsh 0.1 under the MIT licence.\n", likeVersion(name))
}

func likeVersion(name string) string {
	switch name {
	case "awk", "gawk":
		return "GNU Awk 5.2.1, API 3.2"
	case "grep", "egrep", "fgrep":
		return name + " (GNU grep) 3.8"
	case "rg":
		return "ripgrep 13.0.0"
	case "sed":
		return "sed (GNU sed) 4.9"
	case "find", "xargs":
		return name + " (GNU findutils) 4.9.0"
	case "diff", "cmp", "diff3", "sdiff":
		return name + " (GNU diffutils) 3.8"
	case "patch":
		return "GNU patch 2.7.6"
	case "tar":
		return "tar (GNU tar) 1.34"
	case "gzip", "zgrep", "zdiff", "zcmp":
		return name + " 1.12"
	case "gunzip", "zcat":
		return name + " (gzip) 1.12"
	case "bc", "dc":
		return name + " 1.07.1"
	case "tree":
		return "tree v2.1.0"
	case "jq":
		return "jq-1.6"
	case "file":
		return "file-5.44"
	case "envsubst":
		return "envsubst (GNU gettext-runtime) 0.21"
	case "iconv":
		return "iconv (GNU libc) 2.36"
	case "strings":
		return "GNU strings (GNU Binutils) 2.40"
	case "getopt", "column", "hexdump", "hd", "rev", "look", "cal", "setsid":
		return name + " from util-linux 2.38.1"
	case "xxd":
		return "xxd 2022-01-14"
	case "time":
		return "time (GNU Time)"
	case "zip":
		return "This is Zip 3.0 (July 5th 2008), by Info-ZIP."
	case "unzip":
		return "UnZip 6.00 of 20 April 2009, by Debian. Original by Info-ZIP."
	case "zipinfo":
		return "ZipInfo 3.00 of 20 April 2009, by Greg Roelofs and the Info-ZIP group."
	case "hostname", "which", "xz", "zstd":
		return name + " (vsh) 0.1"
	}
	return name + " (GNU coreutils) 9.1"
}
