package builtins

import "testing"

// The expected texts are those of the real programs.
func TestTree(t *testing.T) {
	runTable(t, []string{"a/b/g.c=x", "a/f.txt=hi", "a/b/c/.h=", "z/", "l -> a/f.txt", "dl -> a", "a/n\nl="}, []tableCase{
		{"the tree", "tree", "", ".\n├── a\n│\u00a0\u00a0 ├── b\n│\u00a0\u00a0 │\u00a0\u00a0 ├── c\n│\u00a0\u00a0 │\u00a0\u00a0 └── g.c\n│\u00a0\u00a0 ├── f.txt\n│\u00a0\u00a0 └── n\\012l\n├── dl -> a\n├── l -> a/f.txt\n└── z\n\n6 directories, 4 files\n"},
		{"hidden files", "tree -a a", "", "a\n├── b\n│\u00a0\u00a0 ├── c\n│\u00a0\u00a0 │\u00a0\u00a0 └── .h\n│\u00a0\u00a0 └── g.c\n├── f.txt\n└── n\\012l\n\n3 directories, 4 files\n"},
		{"directories", "tree -d", "", ".\n├── a\n│\u00a0\u00a0 └── b\n│\u00a0\u00a0     └── c\n├── dl -> a\n└── z\n\n6 directories\n"},
		{"a level", "tree -L 1", "", ".\n├── a\n├── dl -> a\n├── l -> a/f.txt\n└── z\n\n4 directories, 1 file\n"},
		{"full paths without lines", "tree -fi a", "", "a\na/b\na/b/c\na/b/g.c\na/f.txt\na/n\\012l\n\n3 directories, 3 files\n"},
		{"a pattern", "tree -P '*.c' a", "", "a\n└── b\n    ├── c\n    └── g.c\n\n3 directories, 1 file\n"},
		{"a pattern without empty directories", "tree -P '*.c' --prune a", "", "a\n└── b\n    └── g.c\n\n2 directories, 1 file\n"},
		{"a pattern for directories too", "tree --matchdirs -P 'b*' a", "", "a\n└── b\n    ├── c\n    └── g.c\n\n3 directories, 1 file\n"},
		{"what to leave out", "tree -I '*.c|c' a", "", "a\n├── b\n├── f.txt\n└── n\\012l\n\n2 directories, 2 files\n"},
		{"marks", "tree -F", "", "./\n├── a/\n│\u00a0\u00a0 ├── b/\n│\u00a0\u00a0 │\u00a0\u00a0 ├── c/\n│\u00a0\u00a0 │\u00a0\u00a0 └── g.c\n│\u00a0\u00a0 ├── f.txt\n│\u00a0\u00a0 └── n\\012l\n├── dl -> a/\n├── l -> a/f.txt\n└── z/\n\n6 directories, 4 files\n"},
		{"modes and sizes", "tree -ps --noreport a/b/g.c l", "", "[-rw-r--r--           1]  a/b/g.c  [error opening dir]\n[lrwxrwxrwx           7]  l  [error opening dir]\n"},
		{"quoted names", "tree -Q a", "", "\"a\"\n├── \"b\"\n│\u00a0\u00a0 ├── \"c\"\n│\u00a0\u00a0 └── \"g.c\"\n├── \"f.txt\"\n└── \"n\\012l\"\n\n3 directories, 3 files\n"},
		{"links followed once", "tree -l", "", ".\n├── a\n│\u00a0\u00a0 ├── b\n│\u00a0\u00a0 │\u00a0\u00a0 ├── c\n│\u00a0\u00a0 │\u00a0\u00a0 └── g.c\n│\u00a0\u00a0 ├── f.txt\n│\u00a0\u00a0 └── n\\012l\n├── dl -> a  [recursive, not followed]\n├── l -> a/f.txt\n└── z\n\n6 directories, 4 files\n"},
		{"too many entries", "tree --filelimit 2 a", "", "a  [3 entries exceeds filelimit, not opening dir]\n\n1 directory, 0 files\n"},
		{"other lines", "tree --charset=ascii a", "", "a\n|-- b\n|   |-- c\n|   `-- g.c\n|-- f.txt\n`-- n\\012l\n\n3 directories, 3 files\n"},
		{"JSON", "tree -J a z", "", "[\n  {\"type\":\"directory\",\"name\":\"a\",\"contents\":[\n    {\"type\":\"directory\",\"name\":\"b\",\"contents\":[\n      {\"type\":\"directory\",\"name\":\"c\"},\n      {\"type\":\"file\",\"name\":\"g.c\"}\n    ]},\n    {\"type\":\"file\",\"name\":\"f.txt\"},\n    {\"type\":\"file\",\"name\":\"n\\nl\"}\n  ]},\n  {\"type\":\"directory\",\"name\":\"z\"}\n,\n  {\"type\":\"report\",\"directories\":3,\"files\":3}\n]\n"},
		{"XML", "tree -X a", "", "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<tree>\n  <directory name=\"a\">\n    <directory name=\"b\">\n      <directory name=\"c\"></directory>\n      <file name=\"g.c\"></file>\n    </directory>\n    <file name=\"f.txt\"></file>\n    <file name=\"n\nl\"></file>\n  </directory>\n  <report>\n    <directories>3</directories>\n    <files>3</files>\n  </report>\n</tree>\n"},
		{"JSON of what is not there", "tree -J nope", "", "[\n,\"name\":\"nope\",\"contents\":[{\"error\": \"error opening dir\"}\n\n  ]}\n,\n  {\"type\":\"report\",\"directories\":0,\"files\":0}\n]\n[exit status 2]\n"},
		{"a list of paths", "tree --fromfile", "a/b\na/c\nd\n", ".\n├── a\n│\u00a0\u00a0 ├── b\n│\u00a0\u00a0 └── c\n└── d\n\n2 directories, 3 files\n"},
		{"a missing directory", "tree nope", "", "nope  [error opening dir]\n\n0 directories, 0 files\n[exit status 2]\n"},
		{"a file", "tree a/f.txt", "", "a/f.txt  [error opening dir]\n\n0 directories, 1 file\n"},
		{"no level", "tree -L 0", "", "tree: Invalid level, must be greater than 0.\n[exit status 1]\n"},
		{"a level that is missing", "tree -L", "", "tree: Missing argument to -L option.\n[exit status 1]\n"},
		{"no such order", "tree --sort=x", "", "name,version,size,mtime,ctime\ntree: Sort type 'x' not valid, should be one of: [exit status 1]\n"},
	})
}
