package builtins

import (
	"fmt"
	"io"

	"github.com/vsh-project/vsh/builtins/internal/digest"
	"github.com/vsh-project/vsh/internal/getopt"
	"github.com/vsh-project/vsh/internal/lines"
)

// cksumCommand prints the checksums that have no digest form, for cksum and sum.
type cksumCommand struct {
	*call
	kind string // crc, bsd, sysv
	end  byte
}

func cksumRun(c *call) error {
	algorithms := []string{"bsd", "sysv", "crc", "md5", "sha1", "sha224", "sha256", "sha384", "sha512", "blake2b", "sm3"}
	d := &digestCommand{call: c, end: '\n', byTag: true}
	algorithm, untagged, debug, tagged := "crc", false, false, false
	operands, err := c.parse(func(p *getopt.Parser) error {
		switch p.Key {
		case 'a':
			i, err := c.argumentMatchExact("--algorithm", p.Value, algorithms)
			if err != nil {
				return err
			}
			algorithm, d.byTag = algorithms[i], false
		case digestUntagged:
			untagged, tagged = true, false
		case digestTag:
			untagged, tagged = false, true
		case digestDebug:
			debug = true
		case 'b', 't':
			return c.tryHelp()
		default:
			return d.option(p)
		}
		return nil
	})
	if err != nil {
		return err
	}
	d.kind = digestByName(algorithm)
	if d.length.bits != 0 && algorithm != "blake2b" {
		return c.fatalf("--length is only supported with --algorithm=blake2b")
	}
	if d.kind != nil {
		if err := d.applyLength(); err != nil {
			return err
		}
	} else if d.check && !d.byTag {
		return c.fatalf("--check is not supported with --algorithm={bsd,sysv,crc}")
	}
	d.tag = false
	if err := d.conflicts(); err != nil {
		return err
	}
	if tagged || !untagged {
		d.tag = true
	}
	if debug && algorithm == "crc" && !d.check {
		c.warnf("using generic hardware support")
	}
	if d.kind == nil && !d.check {
		return (&cksumCommand{call: c, kind: algorithm, end: d.end}).run(operands)
	}
	return d.run(operands)
}

func (s *cksumCommand) run(operands []string) error {
	block := make([]byte, lines.BlockSize)
	named := len(operands) > 0
	return s.closeLines(s.eachInput(operands, func(name string, r io.Reader) error {
		var sum digest.Checksum
		switch s.kind {
		case "bsd":
			sum = digest.NewBSD()
		case "sysv":
			sum = digest.NewSysV()
		default:
			sum = digest.NewCRC()
		}
		var length uint64
		if err := s.eachBlock(r, block, func(p []byte) {
			length += uint64(len(p))
			sum.Write(p)
		}); err != nil {
			return err
		}
		switch s.kind {
		case "bsd":
			fmt.Fprintf(s.out, "%05d %5d", sum.Value(), (length+1023)/1024)
		case "sysv":
			fmt.Fprintf(s.out, "%d %d", sum.Value(), (length+511)/512)
		default:
			fmt.Fprintf(s.out, "%d %d", sum.Value(), length)
		}
		if named {
			s.out.WriteString(" " + name)
		}
		return s.out.WriteByte(s.end)
	}))
}

func cksumProgram(string) *program {
	return &program{
		stdinClosed: "standard input",
		output:      outputStyle{flushesLines: true},
		usage: `cksum [OPTION]... [FILE]...
Print checksums and lengths of the files, or of standard input for none or "-".

  -a, --algorithm=NAME  bsd, sysv, crc (default), md5, sha1, sha224, sha256, sha384,
                        sha512, blake2b, sm3
  -c, --check           read checksums from the files and check them
  -l, --length=BITS     of blake2b: a multiple of 8, at most 512
      --tag             print in BSD's form (default)
      --untagged        print HEX  NAME
  -z, --zero            end lines with NUL and escape no names
      --debug           say how the CRC is computed

With --check:
      --ignore-missing  pass over files that are not there
      --quiet           print no OK
      --status          print nothing, only exit
      --strict          fail for lines that are no checksum lines
  -w, --warn            name such lines`,
		options: getopt.Spec{Options: append(digestCheckOptions(),
			getopt.Option{Key: 'a', Long: "algorithm", Argument: getopt.Required}, getopt.Option{Key: 'l', Long: "length", Argument: getopt.Required},
			getopt.Option{Key: digestUntagged, Long: "untagged"}, getopt.Option{Key: digestDebug, Long: "debug"},
			getopt.Option{Key: 'b'}, getopt.Option{Key: 't'})},
		run: cksumRun,
	}
}
