package arith

import (
	"errors"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// variables is an Env of plain variables and indexed arrays.
type variables map[string]string

func (m variables) Resolve(name string, element bool, subscript string) (Place, error) {
	if !element {
		return Place{Name: name}, nil
	}
	n, err := Parse(subscript).Eval(m, 0)
	return Place{Name: name, Element: true, Index: n}, err
}

func key(p Place) string {
	if p.Element && p.Index != 0 {
		return p.Name + "[" + strconv.FormatInt(p.Index, 10) + "]"
	}
	return p.Name
}

func (m variables) Load(p Place) (string, error) { return m[key(p)], nil }
func (m variables) Store(p Place, v int64) error {
	m[key(p)] = strconv.FormatInt(v, 10)
	return nil
}
func (m variables) Parse(text string) *Expr { return Parse(text) }

var expressions = []string{
	"", " ", "1", "1+2*3", "(1+2)*3", "-2**2", "2**3**2", "2**0", "2**-1", "7/2", "-7/2", "-7%3", "7%-3", "1/0", "1 / 0", "5%0", "1+1/ (1-1)", "1<<3", "1<<64", "1<<-1", "-1>>1", "1<2", "2<=2", "3>4", "4>=4", "1==1", "1!=1", "!0", "!5", "~0", "- -1", "--1", "++1", "-+-1",
	"1&&0", "1||0", "0||0", "0&&1/0", "1||1/0", "1?2:3", "0?2:3", "1?2:1/0", "0?1/0:4", "1?2", "1?", "1?:2", "1?2:", "0?1:0?2:3", "1,2", "1,", ",1", "a=5", "a=5,a+1", "a+=2", "b*=3", "b/=0", "b%=0", "b<<=2", "b>>=1", "b&=1", "b|=8", "b^=3", "a=b=7", "1=2", "a+1=2", "b++", "b--", "++b", "--b", "b+++1", "b---1", "b++=7", "--b=7", "++b++", "b++ + ++b",
	"x", "y", "z", "loop", "bad", "unset", "expr*2", "0x1f", "0X1F", "017", "08", "09", "0x", "0xg", "2#101", "16#ff", "36#z", "64#@", "64#_", "37#A", "36#A", "2#2", "1#1", "65#1", "2#", "#1", "0#1", "08#1", "9223372036854775807", "9223372036854775808", "-9223372036854775808", "9223372036854775807+1", "-9223372036854775808/-1", "-9223372036854775808%-1", "99999999999999999999",
	"1+", "+", "*", "1 2", "1 x", "(1", "1)", "()", "((1))", "1+*2", "a b", "@", "1@", "1 @ 2", "a@b", "1.5", "1$", "a.b", "'1'", "\"1\"", "$x", "1;2", "a[0]", "a[1]=5", "a[1]=5,a[1]+1", "a[1", "a]", "a[b]=2,a[3]", "a[1]++", "++a[2]", "a[i++]=i", "a[a[0]]", "b=1,b?b:0", "1?a=2:3", "0?a=2:3", "a=1?2:3", "!a=1", "1&&a=2", "~", "!", "1!", "1!=", "1=", "=1", "==1", "1<", "1<<", "a<<=", "1 ? 2 : 3 ? 4 : 5", "1+ +1", "1- -1", "1 - - 1", "x=y=3,x+y", "10 # 5", "1,2,3", "(1,2)+1", "0x7fffffffffffffff", "0xffffffffffffffff", "07777777777777777777777",
	"b **2", "b* *2", "b ** 2 ** 1", "1 && 1 || 0", "1 | 2 ^ 3 & 4", "2+3<<1", "1<2<3", "3>2>1", "1==1==1", "a=", "a+=", "a=+", "1:2", "?1:2", "1??", "a ? b", "++", "--", "+ +", "a++b", "a--b", "a++ ++b", "- 5", "5 -", "!!5", "~~5", "~-5", "-~5", "\t1\n+\r2",
}

func TestAnswersAreBashs(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash to compare with")
	}
	for _, e := range expressions {
		t.Run(e, func(t *testing.T) {
			cmd := exec.Command(bash, "-c", `b=5 y=z z=42 loop=loop bad='1+' expr='2+3' i=1; a=(10 20); let -- "$1"; s=$?; (( s = s )); echo "v=$a,$b"; a=(10 20) b=5 i=1; echo "$(( 0 ))"; r=$1; declare -i v; v="$r"; echo "v=$v"`, "bash", e)
			cmd.Env = []string{"LC_ALL=C.UTF-8"}
			out, _ := cmd.CombinedOutput()
			env := variables{"b": "5", "y": "z", "z": "42", "loop": "loop", "bad": "1+", "expr": "2+3", "i": "1", "a": "10", "a[1]": "20"}
			_, err := Parse(e).Eval(env, 0)
			var got strings.Builder
			if err != nil {
				fmt.Fprintf(&got, "bash: line 1: let: %s\n", err)
			}
			fmt.Fprintf(&got, "v=%s,%s\n0\n", env["a"], env["b"])
			env = variables{"b": "5", "y": "z", "z": "42", "loop": "loop", "bad": "1+", "expr": "2+3", "i": "1", "a": "10", "a[1]": "20"}
			n, err := Parse(e).Eval(env, 0)
			if err != nil {
				fmt.Fprintf(&got, "bash: line 1: %s\n", err)
			} else {
				fmt.Fprintf(&got, "v=%d\n", n)
			}
			require.Equal(t, string(out), got.String())
		})
	}
}

func TestNestingIsBounded(t *testing.T) {
	for _, e := range []string{strings.Repeat("(", 300000), strings.Repeat("- ", 300000) + "1", strings.Repeat("1?", 300000), strings.Repeat("a=", 300000) + "1", strings.Repeat("1**", 300000) + "1", strings.Repeat("!", 300000) + "1"} {
		_, err := Parse(e).Eval(variables{}, 0)
		require.Error(t, err)
	}
	n, err := Parse(strings.Repeat("1+", 300000)+"1").Eval(variables{}, 0)
	require.NoError(t, err)
	require.EqualValues(t, 300001, n)
}

func TestErrorsOfTheEnvironmentComeBack(t *testing.T) {
	_, err := Parse("1+x").Eval(failing{}, 0)
	require.ErrorIs(t, err, errUnbound)
}

var errUnbound = errors.New("unbound")

type failing struct{ variables }

func (failing) Load(Place) (string, error) { return "", errUnbound }

func BenchmarkIncrement(b *testing.B) {
	env := variables{"i": "0"}
	e := Parse("i=i*2+1&1023")
	for b.Loop() {
		e.Eval(env, 0)
	}
}
