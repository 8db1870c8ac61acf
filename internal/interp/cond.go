package interp

import "mvdan.cc/sh/v3/syntax"

// cond prepares [[ ]]. First, simple version.
func (c *compiler) cond(x *syntax.TestClause) node { return condNode{} }

type condNode struct{}

func (condNode) run(p *proc) { p.status = 0 }
