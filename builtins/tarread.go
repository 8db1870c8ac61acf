package builtins

import (
	"github.com/vsh-project/vsh/builtins/internal/tarformat"
)

// readMembers goes through the archive and does visit for each member that is
// asked for; visit reads or skips its data.
func (t *tarCommand) readMembers(visit func(r *tarReader, m *tarMember) error) error {
	closeIndex, err := t.openIndex()
	if err != nil {
		return err
	}
	defer closeIndex()
	if err := t.gatherNames(); err != nil {
		return err
	}
	in, err := t.openInput(false)
	if err != nil {
		return err
	}
	defer in.close()
	r := &tarReader{tarInput: in, t: t}
	if t.hasVolume {
		if err := r.checkLabel(); err != nil {
			return err
		}
	}
	if err := t.eachMember(r, visit); err != nil {
		return err
	}
	if t.finish != nil {
		finish := t.finish
		t.finish = nil
		defer finish()
	}
	if err := in.finish(); err != nil {
		return err
	}
	t.reportMissing()
	if t.totals {
		t.printTotals(false)
	}
	return nil
}

func (t *tarCommand) eachMember(r *tarReader, visit func(r *tarReader, m *tarMember) error) error {
	state := tarUnread
	for {
		if err := t.ctx.Err(); err != nil {
			return err
		}
		before := state
		m, now, err := r.next()
		if err != nil {
			return err
		}
		state = now
		switch state {
		case tarGood:
			last, err := t.oneMember(r, m, visit)
			if err != nil || last {
				return err
			}
		case tarZeroBlock:
			if t.blockNumbers {
				t.list("block %d: ** Block of NULs **\n", r.ordinal())
			}
			r.advance()
			if t.ignoreZeros {
				state = before
				continue
			}
			ordinal := r.ordinal()
			_, state, err = r.next()
			if err != nil {
				return err
			}
			if state != tarZeroBlock {
				t.warning("alone-zero-block", "A lone zero block at %d", ordinal)
			}
			return nil
		case tarAtEnd:
			if t.blockNumbers {
				t.list("block %d: ** End of File **\n", r.ordinal())
			}
			return nil
		case tarBadBlock:
			r.advance()
			switch before {
			case tarUnread:
				t.fault("This does not look like a tar archive")
				fallthrough
			case tarZeroBlock, tarGood:
				if t.blockNumbers {
					t.list("block %d: ", r.ordinal())
				}
				t.fault("Skipping to next header")
			}
		}
	}
}

// oneMember visits a member if it is asked for; last says that none after it can be.
func (t *tarCommand) oneMember(r *tarReader, m *tarMember, visit func(r *tarReader, m *tarMember) error) (last bool, err error) {
	asked, err := t.asked(m.name)
	if err != nil {
		return false, err
	}
	if !asked || t.hasNewer && m.modified.Before(t.newer) || t.excluded(m.name, nil) {
		if m.kind != tarformat.VolumeName && m.kind != tarformat.MultiVol {
			if m.kind == tarformat.Directory && t.showOmitted {
				t.warnf("%s: Omitting", t.colonName(m.name))
			}
			return false, r.skipData(m)
		}
	}
	t.transformMember(m)
	if err := visit(r, m); err != nil {
		return false, err
	}
	return t.allFound(m), nil
}
