package getopt

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var table = Spec{Options: []Option{
	{Key: 'a', Long: "all"}, {Key: 'b', Long: "bytes", Argument: Required}, {Key: 'c', Long: "color", Argument: Optional},
	{Key: 256, Long: "almost"}, {Key: 'q', Long: "quiet"}, {Key: 'q', Long: "quell"}, {Key: 'n'}, {Key: 257, Long: "colorful"},
}}

// show runs a parser and writes what it found: options, then operands, or the error.
func show(spec Spec, line string) string {
	p := New(&spec, strings.Fields(line))
	var b strings.Builder
	for p.Next() {
		key := fmt.Sprintf("%d", p.Key)
		if p.Key < 128 && p.Key > 32 {
			key = string(p.Key)
		}
		b.WriteString(key)
		if p.HasValue {
			b.WriteString("=" + p.Value)
		}
		b.WriteByte(' ')
	}
	if err := p.Err(); err != nil {
		return b.String() + "! " + err.Error()
	}
	return b.String() + "| " + strings.Join(p.Operands(), " ")
}

// The messages are those of GNU programs.
func TestNext(t *testing.T) {
	for _, c := range []struct{ rule, line, want string }{
		{"options and operands mix", "x -a y -n z", "a n | x y z"},
		{"-- ends the options", "-a -- -n x", "a | -n x"},
		{"-- after operands", "x -- -n", "| x -n"},
		{"- is an operand", "- -a", "a | -"},
		{"letters are bundled", "-anq", "a n q | "},
		{"an argument in the same word", "-abx", "a b=x | "},
		{"an argument in the next word", "-ab x y", "a b=x | y"},
		{"an argument may look like an option", "-b -a", "b=-a | "},
		{"an argument may be --", "-b -- -a", "b=-- a | "},
		{"an optional argument stands in the same word only", "-c x -cy", "c c=y | x"},
		{"a long option", "--all", "a | "},
		{"an argument after =", "--bytes=5", "b=5 | "},
		{"an empty argument after =", "--bytes= x", "b= | x"},
		{"an argument in the next word of a long option", "--bytes 5 x", "b=5 | x"},
		{"an optional argument of a long option stands after = only", "--color x --color=y", "c c=y | x"},
		{"an abbreviation", "--by=5", "b=5 | "},
		{"an exact name wins over longer ones", "--color", "c | "},
		{"names of one option are not ambiguous", "--que --qui", "q q | "},
		{"names of one option share a prefix", "--qu", "q | "},
		{"an ambiguous abbreviation", "--al", "! option '--al' is ambiguous; possibilities: '--all' '--almost'"},
		{"an ambiguous abbreviation with an argument", "--col=x", "! option '--col=x' is ambiguous; possibilities: '--color' '--colorful'"},
		{"an empty name lists what differs from the first", "--=x", "! option '--=x' is ambiguous; possibilities: '--all' '--bytes' '--color' '--almost' '--quiet' '--quell' '--colorful'"},
		{"an unknown letter", "-ax", "a ! invalid option -- 'x'"},
		{"an unknown name", "--foo=1", "! unrecognized option '--foo=1'"},
		{"an argument that is not taken", "--all=1", "! option '--all' doesn't allow an argument"},
		{"an argument that is not taken by an abbreviation", "--alm=1", "! option '--almost' doesn't allow an argument"},
		{"a missing argument of a letter", "-b", "! option requires an argument -- 'b'"},
		{"a missing argument of a name", "--by", "! option '--bytes' requires an argument"},
		{"a byte that is no letter", "-\xff", "! invalid option -- '\xff'"},
	} {
		t.Run(c.rule, func(t *testing.T) { require.Equal(t, c.want, show(table, c.line)) })
	}
}

func TestOrder(t *testing.T) {
	stop, inOrder := table, table
	stop.Order, inOrder.Order = Stop, InOrder
	require.Equal(t, "a | x -n", show(stop, "-a x -n"), "the first operand ends the options")
	require.Equal(t, "a | -n", show(stop, "-a -- -n"), "so does --")
	require.Equal(t, "a 1=x n 1=y | ", show(inOrder, "-a x -n y"), "operands are reported where they stand")
	require.Equal(t, "1=x | -n", show(inOrder, "x -- -n"), "what follows -- is left over")
}

func TestNumbers(t *testing.T) {
	digits, numbers, single := table, table, table
	digits.Digits, numbers.Numbers, single.LongOnly = true, true, true
	require.Equal(t, "0=12 a | ", show(digits, "-12a"), "digits are joined to a number")
	require.Equal(t, "a n 0=3 | x", show(digits, "-an3 x"), "a number may stand among letters")
	require.Equal(t, "a | -1 -.5 x", show(numbers, "-a -1 -.5 x"), "negative numbers are operands")
	require.Equal(t, "a b=5 | x", show(single, "-all -bytes 5 x"), "one dash introduces long names")
	require.Equal(t, "! unrecognized option '-foo'", show(single, "-foo"), "and stands in messages")
}

func TestWhatStandsAround(t *testing.T) {
	p := New(&table, []string{"-n", "x", "-ab5", "-q", "y"})
	require.True(t, p.Next())
	require.True(t, p.Next())
	require.Equal(t, 'a', p.Key)
	require.True(t, p.Next())
	require.Equal(t, "5", p.Value)
	require.True(t, p.Attached)
	require.Equal(t, "-b", p.Typed)
	require.Equal(t, []string{"-n", "x", "-a"}, p.Before(), "letters bundled before it come as a word of their own")
	require.Equal(t, []string{"-q", "y"}, p.Rest())
	next, ok := p.Peek()
	require.True(t, ok)
	require.Equal(t, "-q", next)
	p.Skip()
	require.False(t, p.Next())
	require.Equal(t, []string{"x", "y"}, p.Operands())
}

func FuzzNext(f *testing.F) {
	f.Add("-ab5 --col x -- y")
	f.Fuzz(func(t *testing.T, line string) {
		args := strings.Split(line, " ")
		p := New(&table, args)
		found := 0
		for p.Next() {
			found++
		}
		require.LessOrEqual(t, found, len(line)+1)
		require.LessOrEqual(t, len(p.Operands()), len(args))
	})
}
