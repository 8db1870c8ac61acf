package interp

// First, simple version: replaced by bash's form of a tree.

// print is the command as bash prints it.
func (c commandText) print() string { return c.text.source(c.tree.Pos(), c.tree.End()) }

// functionValue is an exported function's value in the environment: "() {…}".
func (p *proc) functionValue(f *function) string { return "() { :; }" }

// functionText is the function as declare -f prints it, without the newline.
func (p *proc) functionText(f *function) string { return f.name + " () \n{ \n}" }
