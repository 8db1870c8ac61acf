package builtins

import (
	"github.com/vsh-project/vsh/internal/getopt"
)

const (
	tarOptACLs = 1000 + iota
	tarOptAddFile
	tarOptAnchored
	tarOptAtimePreserve
	tarOptBackup
	tarOptCheckDevice
	tarOptCheckpoint
	tarOptCheckpointAction
	tarOptClamp
	tarOptDelayDirectories
	tarOptDelete
	tarOptExclude
	tarOptExcludeBackups
	tarOptExcludeCaches
	tarOptExcludeCachesAll
	tarOptExcludeCachesUnder
	tarOptExcludeIgnore
	tarOptExcludeIgnoreRecursive
	tarOptExcludeTag
	tarOptExcludeTagAll
	tarOptExcludeTagUnder
	tarOptExcludeVCS
	tarOptExcludeVCSIgnores
	tarOptForceLocal
	tarOptFullTime
	tarOptGroup
	tarOptGroupMap
	tarOptHardDereference
	tarOptHoleDetection
	tarOptIgnoreCase
	tarOptIgnoreCommandError
	tarOptIgnoreFailedRead
	tarOptIndexFile
	tarOptKeepDirectoryLink
	tarOptKeepNewer
	tarOptLevel
	tarOptLzip
	tarOptLzma
	tarOptLzop
	tarOptMode
	tarOptMtime
	tarOptNewerMtime
	tarOptNoACLs
	tarOptNoAnchored
	tarOptNoAutoCompress
	tarOptNoCheckDevice
	tarOptNoDelayDirectories
	tarOptNoIgnoreCase
	tarOptNoIgnoreCommandError
	tarOptNoNull
	tarOptNoOverwriteDir
	tarOptNoQuoteChars
	tarOptNoRecursion
	tarOptNoSameOwner
	tarOptNoSamePermissions
	tarOptNoSeek
	tarOptNoUnquote
	tarOptNoVerbatim
	tarOptNoWildcards
	tarOptNoWildcardsSlash
	tarOptNull
	tarOptNumericOwner
	tarOptOccurrence
	tarOptOldArchive
	tarOptOneFileSystem
	tarOptOneTopLevel
	tarOptOverwrite
	tarOptOverwriteDir
	tarOptOwner
	tarOptOwnerMap
	tarOptPax
	tarOptPosix
	tarOptQuoteChars
	tarOptQuotingStyle
	tarOptRecordSize
	tarOptRecursion
	tarOptRecursiveUnlink
	tarOptRemoveFiles
	tarOptRestrict
	tarOptRmt
	tarOptRsh
	tarOptSameOwner
	tarOptShowDefaults
	tarOptShowOmitted
	tarOptShowRanges
	tarOptShowTransformed
	tarOptSkipOld
	tarOptSort
	tarOptSparseVersion
	tarOptStrip
	tarOptSuffix
	tarOptTestLabel
	tarOptToCommand
	tarOptTotals
	tarOptTransform
	tarOptUnquote
	tarOptUsage
	tarOptUTC
	tarOptVerbatim
	tarOptVolno
	tarOptWarning
	tarOptWildcards
	tarOptWildcardsSlash
	tarOptXattrMask
	tarOptXattrs
	tarOptZstd
)

func tarOptions() []getopt.Option {
	const none, required, optional = getopt.None, getopt.Required, getopt.Optional
	return []getopt.Option{
		{Key: 'A', Long: "catenate"}, {Key: 'A', Long: "concatenate"}, {Key: 'c', Long: "create"}, {Key: tarOptDelete, Long: "delete"},
		{Key: 'd', Long: "diff"}, {Key: 'd', Long: "compare"}, {Key: 'r', Long: "append"}, {Key: tarOptTestLabel, Long: "test-label"}, {Key: 't', Long: "list"},
		{Key: 'u', Long: "update"}, {Key: 'x', Long: "extract"}, {Key: 'x', Long: "get"},
		{Key: tarOptCheckDevice, Long: "check-device"}, {Key: 'g', Long: "listed-incremental", Argument: required}, {Key: 'G', Long: "incremental"},
		{Key: tarOptHoleDetection, Long: "hole-detection", Argument: required}, {Key: tarOptIgnoreFailedRead, Long: "ignore-failed-read"}, {Key: tarOptLevel, Long: "level", Argument: required},
		{Key: tarOptNoCheckDevice, Long: "no-check-device"}, {Key: tarOptNoSeek, Long: "no-seek"}, {Key: 'n', Long: "seek"}, {Key: tarOptOccurrence, Long: "occurrence", Argument: optional},
		{Key: tarOptSparseVersion, Long: "sparse-version", Argument: required}, {Key: 'S', Long: "sparse"},
		{Key: tarOptKeepDirectoryLink, Long: "keep-directory-symlink"}, {Key: tarOptKeepNewer, Long: "keep-newer-files"}, {Key: 'k', Long: "keep-old-files"}, {Key: tarOptNoOverwriteDir, Long: "no-overwrite-dir"},
		{Key: tarOptOneTopLevel, Long: "one-top-level", Argument: optional}, {Key: tarOptOverwrite, Long: "overwrite"}, {Key: tarOptOverwriteDir, Long: "overwrite-dir"}, {Key: tarOptRecursiveUnlink, Long: "recursive-unlink"},
		{Key: tarOptRemoveFiles, Long: "remove-files"}, {Key: tarOptSkipOld, Long: "skip-old-files"}, {Key: 'U', Long: "unlink-first"}, {Key: 'W', Long: "verify"},
		{Key: tarOptIgnoreCommandError, Long: "ignore-command-error"}, {Key: tarOptNoIgnoreCommandError, Long: "no-ignore-command-error"}, {Key: 'O', Long: "to-stdout"}, {Key: tarOptToCommand, Long: "to-command", Argument: required},
		{Key: tarOptAtimePreserve, Long: "atime-preserve", Argument: optional}, {Key: tarOptClamp, Long: "clamp-mtime"}, {Key: tarOptDelayDirectories, Long: "delay-directory-restore"},
		{Key: tarOptGroup, Long: "group", Argument: required}, {Key: tarOptGroupMap, Long: "group-map", Argument: required}, {Key: tarOptMode, Long: "mode", Argument: required}, {Key: tarOptMtime, Long: "mtime", Argument: required},
		{Key: 'm', Long: "touch"}, {Key: tarOptNoDelayDirectories, Long: "no-delay-directory-restore"}, {Key: tarOptNoSameOwner, Long: "no-same-owner"}, {Key: tarOptNoSamePermissions, Long: "no-same-permissions"},
		{Key: tarOptNumericOwner, Long: "numeric-owner"}, {Key: tarOptOwner, Long: "owner", Argument: required}, {Key: tarOptOwnerMap, Long: "owner-map", Argument: required},
		{Key: 'p', Long: "preserve-permissions"}, {Key: 'p', Long: "same-permissions"}, {Key: tarOptSameOwner, Long: "same-owner"}, {Key: tarOptSort, Long: "sort", Argument: required},
		{Key: 's', Long: "preserve-order"}, {Key: 's', Long: "same-order"},
		{Key: tarOptACLs, Long: "acls"}, {Key: tarOptNoACLs, Long: "no-acls"}, {Key: tarOptNoACLs, Long: "no-selinux"}, {Key: tarOptNoACLs, Long: "no-xattrs"}, {Key: tarOptACLs, Long: "selinux"}, {Key: tarOptXattrs, Long: "xattrs"},
		{Key: tarOptXattrMask, Long: "xattrs-exclude", Argument: required}, {Key: tarOptXattrMask, Long: "xattrs-include", Argument: required},
		{Key: tarOptForceLocal, Long: "force-local"}, {Key: 'f', Long: "file", Argument: required}, {Key: 'F', Long: "info-script", Argument: required}, {Key: 'F', Long: "new-volume-script", Argument: required},
		{Key: 'L', Long: "tape-length", Argument: required}, {Key: 'M', Long: "multi-volume"}, {Key: tarOptRmt, Long: "rmt-command", Argument: required}, {Key: tarOptRsh, Long: "rsh-command", Argument: required}, {Key: tarOptVolno, Long: "volno-file", Argument: required},
		{Key: 'b', Long: "blocking-factor", Argument: required}, {Key: 'B', Long: "read-full-records"}, {Key: 'i', Long: "ignore-zeros"}, {Key: tarOptRecordSize, Long: "record-size", Argument: required},
		{Key: 'H', Long: "format", Argument: required}, {Key: tarOptOldArchive, Long: "old-archive"}, {Key: tarOptOldArchive, Long: "portability"}, {Key: tarOptPax, Long: "pax-option", Argument: required}, {Key: tarOptPosix, Long: "posix"}, {Key: 'V', Long: "label", Argument: required},
		{Key: 'a', Long: "auto-compress"}, {Key: 'I', Long: "use-compress-program", Argument: required}, {Key: 'j', Long: "bzip2"}, {Key: 'J', Long: "xz"}, {Key: tarOptLzip, Long: "lzip"}, {Key: tarOptLzma, Long: "lzma"}, {Key: tarOptLzop, Long: "lzop"},
		{Key: tarOptNoAutoCompress, Long: "no-auto-compress"}, {Key: tarOptZstd, Long: "zstd"}, {Key: 'z', Long: "gzip"}, {Key: 'z', Long: "gunzip"}, {Key: 'z', Long: "ungzip"}, {Key: 'Z', Long: "compress"}, {Key: 'Z', Long: "uncompress"},
		{Key: tarOptBackup, Long: "backup", Argument: optional}, {Key: tarOptHardDereference, Long: "hard-dereference"}, {Key: 'h', Long: "dereference"}, {Key: 'K', Long: "starting-file", Argument: required},
		{Key: tarOptNewerMtime, Long: "newer-mtime", Argument: required}, {Key: 'N', Long: "newer", Argument: required}, {Key: 'N', Long: "after-date", Argument: required}, {Key: tarOptOneFileSystem, Long: "one-file-system"},
		{Key: 'P', Long: "absolute-names"}, {Key: tarOptSuffix, Long: "suffix", Argument: required}, {Key: tarOptStrip, Long: "strip-components", Argument: required}, {Key: tarOptTransform, Long: "transform", Argument: required}, {Key: tarOptTransform, Long: "xform", Argument: required},
		{Key: tarOptCheckpoint, Long: "checkpoint", Argument: optional}, {Key: tarOptCheckpointAction, Long: "checkpoint-action", Argument: required}, {Key: tarOptFullTime, Long: "full-time"}, {Key: tarOptIndexFile, Long: "index-file", Argument: required},
		{Key: 'l', Long: "check-links"}, {Key: tarOptNoQuoteChars, Long: "no-quote-chars", Argument: required}, {Key: tarOptQuoteChars, Long: "quote-chars", Argument: required}, {Key: tarOptQuotingStyle, Long: "quoting-style", Argument: required},
		{Key: 'R', Long: "block-number"}, {Key: tarOptShowDefaults, Long: "show-defaults"}, {Key: tarOptShowOmitted, Long: "show-omitted-dirs"}, {Key: tarOptShowRanges, Long: "show-snapshot-field-ranges"},
		{Key: tarOptShowTransformed, Long: "show-transformed-names"}, {Key: tarOptShowTransformed, Long: "show-stored-names"}, {Key: tarOptTotals, Long: "totals", Argument: optional}, {Key: tarOptUTC, Long: "utc"},
		{Key: 'v', Long: "verbose"}, {Key: tarOptWarning, Long: "warning", Argument: required}, {Key: 'w', Long: "interactive"}, {Key: 'w', Long: "confirmation"}, {Key: 'o'},
		{Key: '?', Long: "help"}, {Key: tarOptRestrict, Long: "restrict"}, {Key: tarOptUsage, Long: "usage"}, {Key: keyVersion, Long: "version"},
		{Key: '0'}, {Key: '1'}, {Key: '2'}, {Key: '3'}, {Key: '4'}, {Key: '5'}, {Key: '6'}, {Key: '7'},
		{Key: tarOptAddFile, Long: "add-file", Argument: required}, {Key: 'C', Long: "directory", Argument: required}, {Key: tarOptExclude, Long: "exclude", Argument: required}, {Key: 'X', Long: "exclude-from", Argument: required},
		{Key: tarOptExcludeCaches, Long: "exclude-caches"}, {Key: tarOptExcludeCachesUnder, Long: "exclude-caches-under"}, {Key: tarOptExcludeCachesAll, Long: "exclude-caches-all"},
		{Key: tarOptExcludeTag, Long: "exclude-tag", Argument: required}, {Key: tarOptExcludeIgnore, Long: "exclude-ignore", Argument: required},
		{Key: tarOptExcludeIgnoreRecursive, Long: "exclude-ignore-recursive", Argument: required}, {Key: tarOptExcludeTagUnder, Long: "exclude-tag-under", Argument: required},
		{Key: tarOptExcludeTagAll, Long: "exclude-tag-all", Argument: required}, {Key: tarOptExcludeVCS, Long: "exclude-vcs"}, {Key: tarOptExcludeVCSIgnores, Long: "exclude-vcs-ignores"},
		{Key: tarOptExcludeBackups, Long: "exclude-backups"}, {Key: tarOptNoNull, Long: "no-null"},
		{Key: tarOptNoRecursion, Long: "no-recursion"}, {Key: tarOptNoUnquote, Long: "no-unquote"}, {Key: tarOptNoVerbatim, Long: "no-verbatim-files-from"}, {Key: tarOptNull, Long: "null"},
		{Key: tarOptRecursion, Long: "recursion"}, {Key: 'T', Long: "files-from", Argument: required}, {Key: tarOptUnquote, Long: "unquote"},
		{Key: tarOptVerbatim, Long: "verbatim-files-from"},
		{Key: tarOptAnchored, Long: "anchored"}, {Key: tarOptIgnoreCase, Long: "ignore-case"}, {Key: tarOptNoAnchored, Long: "no-anchored"}, {Key: tarOptNoIgnoreCase, Long: "no-ignore-case"},
		{Key: tarOptNoWildcards, Long: "no-wildcards"}, {Key: tarOptNoWildcardsSlash, Long: "no-wildcards-match-slash"}, {Key: tarOptWildcards, Long: "wildcards"}, {Key: tarOptWildcardsSlash, Long: "wildcards-match-slash"},
	}
}

func tarProgram(name string) *program {
	return &program{
		trouble: tarStatusFailed,
		usage: name + ` [OPTION...] [FILE]...
Keep many files in one archive, and get them out again. The first word may be
letters without a dash: tar czf ARCHIVE FILE...

What to do:
  -c, --create  -x, --extract, --get  -t, --list
  -r, --append             add files at the archive's end
  -u, --update             add files newer than their copy in the archive
  -A, --catenate, --concatenate  add other archives
  -d, --diff, --compare    compare the archive with the files
      --delete             take members out
      --test-label         show or test the archive's label
On what:
  -f, --file=ARCHIVE       "-" is standard input or output, the default
  -C, --directory=DIR      names that follow are of DIR
  -T, --files-from=FILE    names are in FILE, one a line (--null: NUL after each)
  -X, --exclude-from=FILE  --exclude=PATTERN  --exclude-vcs  --exclude-backups
      --exclude-caches[-all|-under]  --exclude-tag[-all|-under]=FILE  --exclude-vcs-ignores
      --[no-]anchored  --[no-]ignore-case  --[no-]wildcards[-match-slash]
      --no-recursion  --add-file=NAME  --[no-]unquote  --verbatim-files-from
  -N, --newer=DATE  --newer-mtime=DATE  -K, --starting-file=NAME  --occurrence[=N]
  -h, --dereference  --hard-dereference  --one-file-system  -S, --sparse
How it is written:
  -z, --gzip  -j, --bzip2  -J, --xz  --zstd  -I, --use-compress-program=PROGRAM
  -a, --auto-compress      as the archive's name ends
  -H, --format=gnu|oldgnu|pax|posix|ustar|v7  --pax-option=LIST  -V, --label=TEXT
  -b, --blocking-factor=N  --record-size=N  -W, --verify
      --owner=NAME[:UID]  --group=NAME[:GID]  --owner-map=FILE  --group-map=FILE
      --mode=CHANGES  --mtime=DATE  --clamp-mtime  --numeric-owner  --sort=ORDER
      --remove-files       remove what has been added
      --ignore-failed-read -l, --check-links
How it is taken out:
  -O, --to-stdout  --to-command=COMMAND
  -k, --keep-old-files  --skip-old-files  --keep-newer-files  --overwrite
  -U, --unlink-first  --recursive-unlink  --backup[=CONTROL]  --suffix=TEXT
      --no-overwrite-dir  --keep-directory-symlink  --one-top-level[=DIR]
  -m, --touch  -p, --preserve-permissions  --no-same-permissions
      --same-owner  --no-same-owner, -o  --delay-directory-restore
      --strip-components=N  --transform=EXPRESSION, --xform=EXPRESSION
  -P, --absolute-names     keep a leading / and ..
  -i, --ignore-zeros  -B  -n, --seek
What is said:
  -v, --verbose            names; -vv, or -tv: a long line
      --full-time  --utc  -R, --block-number  --index-file=FILE  --totals
      --show-transformed-names  --show-omitted-dirs  --quoting-style=STYLE
      --checkpoint[=N]  --checkpoint-action=ACTION  --warning=KEYWORD
  -w, --interactive        ask before each file`,
		options: getopt.Spec{Options: tarOptions()},
		run:     tarRun,
	}
}
