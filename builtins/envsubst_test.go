package builtins

import "testing"

// The expected texts are those of the real programs.
func TestEnvsubst(t *testing.T) {
	runTable(t, []string{}, []tableCase{
		{"both forms", "env A=1 envsubst", "$A ${A} $UNSET.\n", "1 1 .\n"},
		{"what is no reference", "env A=1 envsubst", "$1 ${A $$A ${A:-x} $", "$1 ${A $1 ${A:-x} $"},
		{"only some", "env A=1 B=2 envsubst $A", "$A ${B}", "1 ${B}"},
		{"a list of names", "envsubst -v '$A ${B} x $C_d'", "", "A\nB\nC_d\n"},
		{"no names", "envsubst -v", "", "envsubst: missing arguments\n[exit status 1]\n"},
		{"too many operands", "envsubst a b", "", "envsubst: too many arguments\n[exit status 1]\n"},
	})
}
