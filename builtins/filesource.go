package builtins

import (
	"bytes"
	"path"
	"strings"
)

// text finds out what a text is about by its first words and lines.
func (m fileMagic) text(t fileText) fileResult {
	data := t.data
	if strings.HasPrefix(t.mime, "utf-16") {
		return fileResult{}
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	s := string(data[:min(len(data), 8<<10)])
	if r := fileShebang(s); r.text != "" {
		return r
	}
	if r := fileMarkup(s); r.text != "" {
		return r
	}
	if r := filePrefix(s); r.text != "" {
		return r
	}
	return fileSource(s)
}

// fileShebang reads the line that names an interpreter.
func fileShebang(s string) fileResult {
	line, _, _ := strings.Cut(s, "\n")
	line, ok := strings.CutPrefix(line, "#!")
	if !ok {
		return fileResult{}
	}
	line = strings.Trim(line, " \t\r")
	program, rest, _ := strings.Cut(line, " ")
	name := path.Base(program)
	if name == "env" && strings.HasPrefix(program, "/") {
		line = strings.TrimLeft(rest, " \t")
		program, _, _ = strings.Cut(line, " ")
		name = program
		if name == "sh" {
			name = ""
		}
	}
	absolute := strings.HasPrefix(program, "/") || program == name
	script := func(text, mime string) fileResult {
		return fileResult{text: text + " text executable", mime: mime}
	}
	if !absolute {
		name = ""
	}
	switch {
	case name == "sh" && strings.HasPrefix(program, "/"):
		return script("POSIX shell script", "text/x-shellscript")
	case name == "bash" || name == "rbash":
		return script("Bourne-Again shell script", "text/x-shellscript")
	case name == "zsh":
		return script("Paul Falstad's zsh script", "text/x-shellscript")
	case name == "ksh":
		return script("Korn shell script", "text/x-shellscript")
	case name == "csh":
		return script("C shell script", "text/x-shellscript")
	case name == "tcsh":
		return script("Tenex C shell script", "text/x-shellscript")
	case name == "fish":
		return script("fish shell script", "text/x-shellscript")
	case strings.HasPrefix(name, "python") && program != "python" || name == "python" && strings.HasPrefix(s, "#!/usr/bin/env"):
		return script("Python script", "text/x-script.python")
	case name == "perl":
		return fileResult{text: "Perl script text executable", mime: "text/x-perl"}
	case name == "ruby":
		return script("Ruby script", "text/x-ruby")
	case name == "node" || name == "nodejs":
		return fileResult{text: "Node.js script executable", mime: "application/javascript"}
	case name == "awk" || name == "gawk" || name == "mawk" || name == "nawk":
		return script(map[string]string{"awk": "awk script", "gawk": "GNU awk script", "mawk": "mawk script", "nawk": "new awk script"}[name], "text/x-awk")
	case name == "lua":
		return script("Lua script", "text/x-lua")
	case name == "php":
		return script("PHP script", "text/x-php")
	case name == "tclsh" || name == "wish":
		return script("Tcl/Tk script", "text/x-tcl")
	}
	return script("a "+line+" script", "text/plain")
}

func filePrefixFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}

func fileMarkup(s string) fileResult {
	trimmed := strings.TrimLeft(s, " \t\r\n")
	lower := strings.ToLower(s[:min(len(s), 4096)])
	switch {
	case strings.HasPrefix(s, "<?php") || strings.HasPrefix(s, "<?\n") || strings.HasPrefix(s, "<?\r"):
		return fileResult{text: "PHP script", mime: "text/x-php"}
	case (strings.HasPrefix(s, "<?xml") || strings.HasPrefix(trimmed, "<svg")) && strings.Contains(lower, "<svg"):
		return fileResult{text: "SVG Scalable Vector Graphics image", mime: "image/svg+xml", encoding: "whole"}
	case strings.HasPrefix(s, "<?xml version="):
		version := ""
		if len(s) > 15 {
			quoted := s[15:]
			if end := strings.IndexByte(quoted, s[14]); end > 0 {
				version = quoted[:end] + " "
			}
		}
		return fileResult{text: "XML " + version + "document", mime: "text/xml"}
	}
	for _, tag := range [...]string{"<!doctype html", "<html", "<head", "<title", "<script", "<style", "<table", "<a href="} {
		if strings.Contains(lower, tag) {
			return fileResult{text: "HTML document", mime: "text/html"}
		}
	}
	return fileResult{}
}

// filePrefix knows texts by how they begin.
func filePrefix(s string) fileResult {
	whole := func(text, mime string) fileResult { return fileResult{text: text, mime: mime, encoding: "whole"} }
	has := func(p string) bool { return strings.HasPrefix(s, p) }
	switch {
	case has("%!PS-Adobe-"):
		line, _, _ := strings.Cut(s[len("%!PS-Adobe-"):], "\n")
		return whole("PostScript document text conforming DSC level "+strings.TrimRight(line, "\r"), "application/postscript")
	case has("%!"):
		return whole("PostScript document text", "application/postscript")
	case has(`{\rtf`):
		version := ""
		if len(s) > 5 {
			version = ", version " + s[5:6]
		}
		return whole("Rich Text Format data"+version, "text/rtf")
	case has("-----BEGIN CERTIFICATE REQUEST"):
		return whole("PEM certificate request", "text/plain")
	case has("-----BEGIN CERTIFICATE"):
		return whole("PEM certificate", "text/plain")
	case has("-----BEGIN RSA PRIVATE"):
		return whole("PEM RSA private key", "text/plain")
	case has("-----BEGIN DSA PRIVATE"):
		return whole("PEM DSA private key", "text/plain")
	case has("-----BEGIN EC PRIVATE"):
		return whole("PEM EC private key", "text/plain")
	case has("-----BEGIN OPENSSH PRIVATE KEY"):
		return whole("OpenSSH private key", "text/plain")
	case has("-----BEGIN PGP SIGNED MESSAGE-"):
		return whole("PGP signed message", "text/PGP")
	case has("-----BEGIN PGP PUBLIC KEY BLOCK-"):
		return whole("PGP public key block", "application/pgp-keys")
	case has("-----BEGIN PGP MESSAGE-"):
		return whole("PGP message", "application/pgp-encrypted")
	case has("ssh-rsa "):
		return whole("OpenSSH RSA public key", "text/plain")
	case has("ssh-ed25519 "):
		return whole("OpenSSH ED25519 public key", "text/plain")
	case has("ecdsa-sha2-nistp"):
		return whole("OpenSSH ECDSA public key", "text/plain")
	case has("BEGIN:VCALENDAR"):
		return whole("vCalendar calendar file", "text/calendar")
	case has("#EXTM3U"):
		return fileResult{text: "M3U playlist", mime: "text/plain"}
	case filePrefixFold(s, "@echo off"):
		return fileResult{text: "DOS batch file", mime: "text/x-msdos-batch"}
	case has("Received:"):
		return fileResult{text: "RFC 822 mail", mime: "message/rfc822"}
	case has("Return-Path:"):
		return fileResult{text: "SMTP mail", mime: "message/rfc822"}
	case has("From:") || has("Date:"):
		return fileResult{text: "news or mail", mime: "message/rfc822"}
	case has("MIME-Version:"):
		return fileResult{text: "MIME entity", mime: "text/plain"}
	case has("diff ") && !strings.Contains(s, "\n+++ "), has("Only in "):
		return fileResult{text: "diff output", mime: "text/x-diff"}
	case has("*** ") && strings.Contains(s, "\n--- "):
		return fileResult{text: "context diff output", mime: "text/x-diff"}
	case fileUnified(s):
		return fileResult{text: "unified diff output", mime: "text/x-diff"}
	case has("=pod\n") || has("=head1 ") || has("=head2 "):
		return fileResult{text: "Perl POD document", mime: "text/plain"}
	case has(`\input texinfo`):
		return fileResult{text: "TeX document", mime: "text/x-tex"}
	}
	return fileResult{}
}

func fileUnified(s string) bool {
	at := 0
	if !strings.HasPrefix(s, "--- ") {
		if at = strings.Index(s, "\n--- ") + 1; at == 0 {
			return false
		}
	}
	_, rest, _ := strings.Cut(s[at:], "\n")
	if !strings.HasPrefix(rest, "+++ ") {
		return false
	}
	_, rest, _ = strings.Cut(rest, "\n")
	return strings.HasPrefix(rest, "@@ ")
}

// fileSource tells programming languages apart by their lines.
func fileSource(s string) fileResult {
	all := strings.Split(s, "\n")
	any := func(test func(line string) bool) bool {
		for _, line := range all {
			if test(strings.TrimSuffix(line, "\r")) {
				return true
			}
		}
		return false
	}
	begins := func(prefixes ...string) bool {
		return any(func(line string) bool {
			for _, p := range prefixes {
				if strings.HasPrefix(line, p) {
					return true
				}
			}
			return false
		})
	}
	switch {
	case begins(`\documentclass`):
		return fileResult{text: "LaTeX 2e document", mime: "text/x-tex"}
	case begins(`\section`, `\chapter`, `\begin`, `\setlength`):
		return fileResult{text: "LaTeX document", mime: "text/x-tex"}
	case filePackage(all):
		return fileResult{text: "Perl5 module source", mime: "text/plain"}
	case any(filePythonLine):
		return fileResult{text: "Python script text executable", mime: "text/x-script.python"}
	case strings.HasPrefix(s, `"""`):
		return fileResult{text: "Python script text executable", mime: "text/plain"}
	case any(fileJavaImport) || begins("public class "):
		return fileResult{text: "Java source", mime: "text/x-java"}
	case begins("'use strict'", `"use strict"`, "module.exports", "export default", "(function", "import {") || any(fileRequire):
		return fileResult{text: "JavaScript source", mime: "application/javascript"}
	case begins("namespace ", "class ") && strings.ContainsAny(s, "{;") && !begins("  def ", "def ", "end") || strings.Contains(s, "using namespace"):
		return fileResult{text: "C++ source", mime: "text/x-c++"}
	case begins("#include", "#ifndef", "#ifdef", "#pragma", "extern ") || any(fileStruct) || strings.Contains(s, "main("):
		return fileResult{text: "C source", mime: "text/x-c"}
	case any(func(line string) bool {
		return strings.HasPrefix(line, "class ") || strings.HasPrefix(line, "module ")
	}) && any(func(line string) bool { return strings.TrimLeft(line, " \t") == "end" }):
		return fileResult{text: "Ruby script", mime: "text/x-ruby"}
	case begins("all:", ".PHONY", "CFLAGS", "LDFLAGS"):
		return fileResult{text: "makefile script", mime: "text/x-makefile"}
	case begins("(defun ", "(setq ", "(defvar ", "(defparam "):
		return fileResult{text: "Lisp/Scheme program", mime: "text/x-lisp"}
	case any(func(line string) bool {
		line = strings.TrimLeft(line, " \t")
		return strings.HasPrefix(line, ".globl") || strings.HasPrefix(line, ".asciiz") || line == ".text" || line == ".data"
	}):
		return fileResult{text: "assembler source", mime: "text/x-asm"}
	case len(s) > 2 && s[0] == '.' && versionAlpha(s[1]) && s[1] < 'a' && s[2] < 'a', strings.HasPrefix(s, `.\"`), strings.HasPrefix(s, `'\"`):
		return fileResult{text: "troff or preprocessor input", mime: "text/troff"}
	}
	return fileResult{}
}

// filePackage finds Perl's package line, which ends in a semicolon.
func filePackage(lines []string) bool {
	for _, line := range lines {
		if name, ok := strings.CutPrefix(line, "package "); ok {
			name, ended := strings.CutSuffix(strings.TrimRight(name, " \t\r"), ";")
			return ended && strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_:. ") == ""
		}
	}
	return false
}

func filePythonLine(line string) bool {
	trimmed := strings.TrimLeft(line, " \t")
	ends := strings.HasSuffix(strings.TrimRight(line, " \t"), ":")
	switch {
	case strings.HasPrefix(trimmed, "def ") && strings.Contains(line, "(") && strings.Contains(line, "):"):
		return true
	case strings.HasPrefix(line, "class ") && ends:
		return true
	case strings.HasPrefix(line, "from ") && strings.Contains(line, " import "):
		return true
	case strings.HasPrefix(line, "try:"), strings.HasPrefix(line, "except") && ends:
		return true
	case strings.HasPrefix(line, "if __name__"):
		return true
	}
	return false
}

func fileJavaImport(line string) bool {
	return strings.HasPrefix(line, "import ") && strings.HasSuffix(line, ";") && !strings.ContainsAny(line, `"'{`)
}

func fileRequire(line string) bool {
	for _, word := range [...]string{"const ", "var ", "let "} {
		if strings.HasPrefix(line, word) && strings.Contains(line, "require(") {
			return true
		}
	}
	return strings.HasPrefix(line, "import ") && strings.Contains(line, ` from "`) || strings.HasPrefix(line, "import ") && strings.Contains(line, " from '")
}

func fileStruct(line string) bool {
	return strings.HasPrefix(line, "struct ") && strings.Contains(line, "{")
}
