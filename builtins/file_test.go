package builtins

import "testing"

// The expected texts are those of the real programs.
func TestFile(t *testing.T) {
	runTable(t, []string{"a=hello\n", "b=h\x0d\n", "c=é\n", "e=", "e.json={\"a\":1}", "f=#!/bin/sh\necho\n", "g=no newline", "h=\x00\x01\x02", "d/", "l -> a", "m -> gone", "csv=a,b\n1,2\n3,4\n", "p.py=#!/usr/bin/env python3\n", "x.html=<!DOCTYPE html>\n<html>\n", "x.xml=<?xml version=\"1.0\"?>\n<a/>\n", "x.c=#include <stdio.h>\nint main(void) {}\n", "nd={\"a\":1}\n{\"a\":2}\n", "utf16=\xff\xfea\x00\x0a\x00", "latin=caf\xe9\x0a", "png=\x89PNG\x0d\x0a\x1a\x0a\x00\x00\x00\x0dIHDR\x00\x00\x00\x10\x00\x00\x00\x08\x08\x02\x00\x00\x00", "gif=GIF89a\x10\x00\x08\x00", "pdf=%PDF-1.4\n", "diff=--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y\n", "key=-----BEGIN OPENSSH PRIVATE KEY-----\nb\n"}, []tableCase{
		{"kinds of text", "file a b c e e.json f g h nd csv", "", "a:      ASCII text\nb:      ASCII text, with CRLF line terminators\nc:      Unicode text, UTF-8 text\ne:      empty\ne.json: JSON text data\nf:      POSIX shell script, ASCII text executable\ng:      ASCII text, with no line terminators\nh:      data\nnd:     New Line Delimited JSON text data\ncsv:    CSV text\n"},
		{"encodings", "file utf16 latin", "", "utf16: Unicode text, UTF-16, little-endian text\nlatin: ISO-8859 text\n"},
		{"names and links", "file d l m", "", "d: directory\nl: symbolic link to a\nm: broken symbolic link to gone\n"},
		{"a link's target", "file -L l", "", "l: ASCII text\n"},
		{"scripts and markup", "file p.py x.html x.xml x.c diff key", "", "p.py:   Python script, ASCII text executable\nx.html: HTML document, ASCII text\nx.xml:  XML 1.0 document, ASCII text\nx.c:    C source, ASCII text\ndiff:   unified diff output, ASCII text\nkey:    OpenSSH private key\n"},
		{"images", "file png gif pdf", "", "png: PNG image data, 16 x 8, 8-bit/color RGB, non-interlaced\ngif: GIF image data, version 89a, 16 x 8\npdf: PDF document, version 1.4\n"},
		{"MIME", "file -i a d p.py png l m", "", "a:    text/plain; charset=us-ascii\nd:    inode/directory; charset=binary\np.py: text/x-script.python; charset=us-ascii\npng:  image/png; charset=binary\nl:    inode/symlink; charset=binary\nm:    inode/symlink\n"},
		{"a MIME type", "file --mime-type a gif e.json", "", "a:      text/plain\ngif:    image/gif\ne.json: application/json\n"},
		{"an encoding", "file -b --mime-encoding a c h", "", "us-ascii\nutf-8\nbinary\n"},
		{"brief", "file -b a d", "", "ASCII text\ndirectory\n"},
		{"standard input", "file -", "data\n", "/dev/stdin: ASCII text\n"},
		{"another separator", "file -F = a d", "", "a= ASCII text\nd= directory\n"},
		{"no padding", "file -N a e.json", "", "a: ASCII text\ne.json: JSON text data\n"},
		{"a missing file is no error", "file nope a", "", "nope: cannot open `nope' (No such file or directory)\na:    ASCII text\n"},
		{"with -E it is", "file -E nope a", "", "nope: ERROR: cannot stat `nope' (No such file or directory)\na:    ASCII text\n[exit status 1]\n"},
		{"a list", "file -f -", "a\nd\n", "a: ASCII text\nd: directory\n"},
	})
}
