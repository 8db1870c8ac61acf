package builtins

import (
	"bytes"
	"io/fs"
	"path"
	"strings"

	"github.com/vsh-project/vsh/builtins/internal/patch"
	"github.com/vsh-project/vsh/vfs"
)

// fileTypeOf is the type of file the header is about.
func fileTypeOf(h *patch.Header) fs.FileMode {
	mode := h.Mode[patch.Old]
	if mode == 0 {
		mode = h.Mode[patch.New]
	}
	if mode&0o170000 == 0o120000 {
		return fs.ModeSymlink
	}
	return 0
}

// typesDiffer says whether the header turns one type of file into another.
func typesDiffer(h *patch.Header) bool {
	old, new := h.Mode[patch.Old]&0o170000, h.Mode[patch.New]&0o170000
	return old != 0 && new != 0 && old != new
}

// patchOutcome is what applying one file's hunks came to.
type patchOutcome struct {
	target   *patch.Target
	hunks    int
	failed   int
	mismatch bool
	rejects  bytes.Buffer
}

// file applies the patch of one file.
func (p *patchCommand) file() error {
	h := p.header
	if !p.skip && typesDiffer(h) {
		p.say("File %s: can't change file type from 0%o to 0%o.\n", p.quoted(p.name), h.Mode[side(p.reverse)]&0o170000, h.Mode[side(!p.reverse)]&0o170000)
		p.skip, p.failed = true, true
	}
	output := ""
	if !p.skip {
		output = p.output
	}
	if output == "" && !p.skip {
		if output = p.name; h.Copy || h.Rename {
			output = h.Names[patch.Old]
			if p.name == output {
				output = h.Names[patch.New]
			}
		}
	}
	if h.Git && !p.skip {
		if p.files.queued(output) {
			if err := p.files.flush(); err != nil {
				return err
			}
			p.stat()
		}
	}
	o := &patchOutcome{target: &patch.Target{IgnoreSpace: p.ignoreSpace, Define: p.define, Stop: func() bool { return p.ctx.Err() != nil }}}
	if !p.skip {
		if err := p.load(o); err != nil {
			return err
		}
		defer p.Host().Release(4 * int64(textSize(o.target.Lines)))
	}
	if h.Format == patch.Ed {
		return p.edScript(o, output)
	}
	if !p.skip && h.Format == patch.GitBinary {
		p.say("File %s: git binary diffs are not supported.\n", p.quoted(output))
		p.skip, p.failed = true, true
	}
	if !p.skip && !p.silent {
		verb, what := "patching", "file"
		if p.dryRun {
			verb = "checking"
		}
		if fileTypeOf(h) == fs.ModeSymlink {
			what = "symbolic link"
		}
		p.say("%s %s %s", verb, what, p.quoted(output))
		if output != p.name {
			how := "read"
			if h.Copy {
				how = "copied"
			} else if h.Rename {
				how = "renamed"
			}
			p.say(" (%s from %s)", how, p.name)
		}
		p.say("\n")
		if p.verbose {
			p.say("Using Plan A...\n")
		}
	}
	p.source.Rewind()
	applyAnyway := p.merge
	for {
		if err := p.ctx.Err(); err != nil {
			return err
		}
		hunk, err := p.source.Hunk()
		if err != nil {
			return p.fatal("%s", err)
		}
		if hunk == nil {
			break
		}
		p.hunk(o, hunk, output, &applyAnyway)
	}
	if !p.skip {
		o.target.Finish()
		if err := p.place(o, output); err != nil {
			return err
		}
	}
	return p.report(o, output)
}

func textSize(lines [][]byte) (size int) {
	for _, l := range lines {
		size += len(l) + 32
	}
	return size
}

// load reads the file that is patched.
func (p *patchCommand) load(o *patchOutcome) error {
	h := p.header
	wanted := fileTypeOf(h)
	if p.info == nil && p.target != "" && !p.missing {
		p.stat()
	}
	if p.info == nil {
		return nil
	}
	if p.info.FileMode.Type() != wanted {
		what := "regular file"
		if wanted == fs.ModeSymlink {
			what = "symbolic link"
		}
		p.say("File %s is not a %s -- refusing to patch\n", p.quoted(p.name), what)
		p.skip, p.failed = true, true
		return nil
	}
	if wanted == 0 && !p.readOnlyIgnored && p.files.view.Access(p.ctx, p.name, vfs.AccessWrite) != nil {
		p.say("File %s is read-only; ", p.quoted(p.name))
		if p.readOnlyBad {
			p.say("refusing to patch\n")
			p.skip, p.failed = true, true
			return nil
		}
		p.say("trying to patch anyway\n")
	}
	text, err := p.files.read(p, p.name, wanted)
	if err != nil {
		if p.ends(err) {
			return err
		}
		return p.fatal("Can't open file %s : %s", p.quoted(p.name), vfs.Words(err))
	}
	o.target.Lines = patch.SplitLines(text)
	if err := p.Host().Charge(4 * int64(textSize(o.target.Lines))); err != nil {
		return err
	}
	if word := h.Prereq; word != "" && !hasWord(text, word) {
		switch {
		case p.force:
			if !p.silent {
				p.say("Warning: this file doesn't appear to be the %s version -- patching anyway.\n", word)
			}
		case p.batch:
			return p.fatal("This file doesn't appear to be the %s version -- aborting.", word)
		default:
			p.say("This file doesn't appear to be the %s version -- patch anyway? [n] ", word)
			err := p.fatal("aborted")
			p.say("\n")
			return err
		}
	} else if word != "" && p.verbose {
		p.say("Good.  This file appears to be the %s version.\n", word)
	}
	return nil
}

// hasWord finds a word between blanks.
func hasWord(text []byte, word string) bool {
	for _, w := range bytes.Fields(text) {
		if string(w) == word {
			return true
		}
	}
	return false
}

// hunk finds a hunk's place and applies it.
func (p *patchCommand) hunk(o *patchOutcome, h *patch.Hunk, output string, applyAnyway *bool) {
	o.hunks++
	t := o.target
	if p.reverse {
		h.Swap()
	}
	where, fuzz := 0, 0
	if !p.skip {
		most := 0
		if !p.merge {
			most = min(p.fuzz, max(h.Prefix, h.Suffix))
		}
		for {
			where = t.Locate(h, fuzz)
			if where == 0 || fuzz > 0 || t.Offset != 0 {
				o.mismatch = true
			}
			if o.hunks == 1 && where == 0 && !p.force && !*applyAnyway && p.reverse == p.reverseGiven {
				h.Swap()
				where = t.Locate(h, fuzz)
				question := "Reversed (or previously applied)"
				if p.reverse {
					question = "Unreversed"
				}
				if where != 0 && p.okToReverse("%s patch detected!", question) {
					p.reverse = !p.reverse
				} else {
					h.Swap()
					if where != 0 {
						*applyAnyway = true
						fuzz--
						where = 0
					}
				}
			}
			if p.skip || where != 0 {
				break
			}
			if fuzz++; fuzz > most {
				break
			}
		}
	}
	at := where
	if at == 0 {
		at = h.First
	}
	at += t.Shift
	if p.merge && !p.skip && where == 0 {
		report, clean := t.Merge(h, p.diff3)
		p.failed = p.failed || !clean
		if !p.silent && report != "" {
			p.say("Hunk #%d %s.\n", o.hunks, report)
		}
		return
	}
	emptied := where == 1 && p.header.Absent[side(p.reverse)] == 2 && p.info != nil && p.info.Bytes > 0
	applies := !p.skip && where != 0 && !emptied
	if applies {
		if applies = t.Apply(h, where); !applies {
			p.say("misordered hunks! output would be garbled\n")
		}
	}
	if !applies {
		o.failed++
		if p.verbose || !p.skip && !p.silent {
			what, why := "FAILED", ""
			if p.skip {
				what = "ignored"
			} else if p.otherLineEnds(t, h, at) {
				why = " (different line endings)"
			}
			p.say("Hunk #%d %s at %d%s.\n", o.hunks, what, at, why)
		}
		unified := p.unifiedRejects || !p.contextRejects && p.header.Format == patch.Unified
		patch.Reject(&o.rejects, h, p.header, o.failed == 1, p.reverse, t.Shift, unified)
		return
	}
	if p.verbose || !p.silent && !p.merge && (fuzz > 0 || t.Offset != 0) {
		p.say("Hunk #%d succeeded at %d", o.hunks, at)
		if fuzz > 0 {
			p.say(" with fuzz %d", fuzz)
		}
		if t.Offset != 0 {
			plural := "s"
			if t.Offset == 1 {
				plural = ""
			}
			p.say(" (offset %d line%s)", t.Offset, plural)
		}
		p.say(".\n")
	}
}

// otherLineEnds says whether only the carriage returns may keep a hunk out.
func (p *patchCommand) otherLineEnds(t *patch.Target, h *patch.Hunk, at int) bool {
	if len(h.Old) == 0 || at < 1 || at > len(t.Lines) {
		return false
	}
	return bytes.HasSuffix(h.Old[0].Text, []byte("\r\n")) != bytes.HasSuffix(t.Lines[at-1], []byte("\r\n"))
}

// place puts the result where it belongs.
func (p *patchCommand) place(o *patchOutcome, output string) error {
	h, t := p.header, o.target
	if p.output != "" {
		p.files.output.Write(t.Out.Bytes())
		return nil
	}
	backup := p.backup || p.mismatchBackup && (o.mismatch || o.failed > 0)
	gone := h.Absent[side(!p.reverse)] == 2
	if t.Out.Len() == 0 && (p.removeEmpty || gone && !p.posix || fileTypeOf(h) == fs.ModeSymlink) {
		return p.files.remove(output, backup)
	}
	if t.Out.Len() > 0 && gone && (p.removeEmpty || !p.posix) && !(p.merge && p.failed) {
		o.mismatch, p.failed = true, true
		if !p.silent {
			p.say("Not deleting file %s as content differs from patch\n", p.quoted(output))
		}
	}
	oldMode, newMode := h.Mode[side(p.reverse)], h.Mode[side(!p.reverse)]
	if o.failed >= o.hunks && !(newMode != 0 && oldMode != newMode) && !h.Copy && !h.Rename {
		if o.hunks > 0 && backup && !p.dryRun {
			if err := p.files.backUp(output); err != nil {
				return err
			}
		}
		if p.info == nil && o.hunks > 0 {
			return p.fatal("Can't reopen file %s : %s", p.quoted(output), vfs.Words(vfs.ENOENT))
		}
		return nil
	}
	w := patchWrite{name: output, text: bytes.Clone(t.Out.Bytes()), backup: backup, link: fileTypeOf(h) == fs.ModeSymlink, mode: p.newMode(newMode)}
	if stamp := h.Times[side(!p.reverse)]; (p.setTime || p.setUTC) && stamp.Known {
		old := h.Times[side(p.reverse)]
		switch {
		case !p.force && p.info != nil && h.Absent[side(p.reverse)] != 2 && old.Known && !old.Time.Equal(p.info.Modified):
			p.say("Not setting time of file %s (time mismatch)\n", p.quoted(output))
		case !p.force && (o.mismatch || o.failed > 0):
			p.say("Not setting time of file %s (contents mismatch)\n", p.quoted(output))
		default:
			w.time = stamp.Time
		}
	}
	if h.Rename {
		w.from = p.name
	}
	return p.files.write(w)
}

// newMode is the mode the result has.
func (p *patchCommand) newMode(wanted uint32) fs.FileMode {
	switch {
	case wanted != 0:
		return fs.FileMode(wanted & 0o777)
	case p.info != nil:
		return p.info.FileMode & 0o777
	}
	return 0o666 &^ p.files.view.Umask()
}

// report says how many hunks failed, and keeps them.
func (p *patchCommand) report(o *patchOutcome, output string) error {
	if o.failed == 0 {
		return nil
	}
	p.failed = true
	plural, what := "s", "FAILED"
	if o.hunks == 1 {
		plural = ""
	}
	if p.skip {
		what = "ignored"
	}
	p.say("%d out of %d hunk%s %s", o.failed, o.hunks, plural, what)
	if output == "" || p.rejects == "-" {
		p.say("\n")
		return nil
	}
	name := p.rejects
	if name == "" {
		name = output + ".rej"
	}
	if p.dryRun {
		p.say("\n")
		return nil
	}
	p.say(" -- saving rejects to file %s\n", p.quoted(name))
	return p.files.reject(name, o.rejects.Bytes())
}

// emptyPatch copies the file named to the output named, as an empty patch does.
func (p *patchCommand) emptyPatch() error {
	p.name = p.target
	p.header = &patch.Header{Format: patch.Unified}
	if p.stat(); p.info == nil {
		return nil
	}
	o := &patchOutcome{target: &patch.Target{}}
	if err := p.load(o); err != nil || p.skip {
		return err
	}
	if _, err := p.View().Stat(p.ctx, path.Dir(p.output)); err != nil && !p.dryRun {
		return nil // what fails is said when the output is made
	}
	if !p.silent {
		p.say("patching file %s (read from %s)\n", p.quoted(p.output), p.name)
	}
	o.target.Finish()
	p.files.output.Write(o.target.Out.Bytes())
	return nil
}

// edScript applies what diff -e writes.
func (p *patchCommand) edScript(o *patchOutcome, output string) error {
	p.source.Rewind()
	script := p.source.Rest()
	if p.skip {
		p.failed = true
		return nil
	}
	lines, err := patch.RunEd(o.target.Lines, script)
	if err != nil {
		return p.fatal("%s", err)
	}
	o.target.Out.Write(bytes.Join(lines, nil))
	o.hunks = 1
	return p.place(o, output)
}

func parents(name string) []string {
	var all []string
	for i := 1; i < len(name); i++ {
		if name[i] == '/' && name[i-1] != '/' {
			all = append(all, strings.TrimRight(name[:i], "/"))
		}
	}
	return all
}
