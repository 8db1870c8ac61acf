package interp

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/vsh-project/vsh/internal/budget"
)

// TestExpansions holds what bash 5.2 prints.
func TestExpansions(t *testing.T) {
	for _, c := range expansionCases {
		t.Run(c.name, func(t *testing.T) {
			out, status := runScript(t, newTestSession(t, nil), c.script)
			if out != c.want || status != c.status {
				t.Errorf("%s\n got %q %d\nwant %q %d", c.script, out, status, c.want, c.status)
			}
		})
	}
}

var expansionCases = []coreCase{
	{"split: quoted list keeps elements and glues its ends", `n() { printf "%s:" $#; printf "<%s>" "$@"; echo; }; set -- "a b" c; n "x$@y" x"$*"y`, "3:<xa b><cy><xa b cy>\n", 0},
	{"split: an empty list is no field", `n() { printf "%s:" $#; printf "<%s>" "$@"; echo; }; set --; n "$@"; n ""; n "$@$u"; n "$@" ""; n ""$@`, "0:<>\n1:<>\n0:<>\n1:<>\n1:<>\n", 0},
	{"split: an empty list in a word", `n() { printf "%s:" $#; printf "<%s>" "$@"; echo; }; set --; n "x$@y" "${u:-$@}" "${@+x}"`, "2:<xy><>\n", 0},
	{"split: unquoted empties vanish", `n() { printf "%s:" $#; printf "<%s>" "$@"; echo; }; set -- a "" b; n $@; n $*; n x$@y`, "2:<a><b>\n2:<a><b>\n2:<xa><by>\n", 0},
	{"split: a separator that is no blank keeps empties", `n() { printf "%s:" $#; printf "<%s>" "$@"; echo; }; IFS=:; set -- a "" b; n $@ ; n $*; n "$*"`, "3:<a><><b>\n3:<a><><b>\n1:<a::b>\n", 0},
	{"split: without IFS characters nothing is split", `n() { printf "%s:" $#; printf "<%s>" "$@"; echo; }; IFS=; set -- "a b" "" c; n $@; n $*; n "$*"`, "2:<a b><c>\n2:<a b><c>\n1:<a bc>\n", 0},
	{"split: blanks around other separators", `n() { printf "%s:" $#; printf "<%s>" "$@"; echo; }; IFS=" :"; a=" : a : b : "; n $a; a=" :x"; n $a; a="a  :  : b"; n $a`, "3:<><a><b>\n2:<><x>\n3:<a><><b>\n", 0},
	{"split: a trailing separator ends a field only", `n() { printf "%s:" $#; printf "<%s>" "$@"; echo; }; IFS=:; a="a:"; n $a; a=":"; n $a; n $a$a; n $a""; n ""$a`, "1:<a>\n1:<>\n2:<><>\n2:<><>\n1:<>\n", 0},
	{"split: split text glues to its neighbours", `n() { printf "%s:" $#; printf "<%s>" "$@"; echo; }; a=" x y "; n b$a"c"$a; n ""$a; n $a$a`, "6:<b><x><y><c><x><y>\n3:<><x><y>\n4:<x><y><x><y>\n", 0},
	{"split: literals are not split", `n() { printf "%s:" $#; printf "<%s>" "$@"; echo; }; IFS=:; n a:b; a=a:b; n $a:c`, "1:<a:b>\n2:<a><b:c>\n", 0},
	{"split: lists as one string", `set -- "a b" c; IFS=:; y=$@; echo "$y"; y=$*; echo "$y"; y="${@:1}"; echo "$y"; y=${@#a}; echo "$y"`, "a b c\na b:c\na b:c\n b:c\n", 0},
	{"split: lists in here-documents", "set -- \"a b\" c; a=(1 2); IFS=:; cat_() { while read -r l; do echo \"$l\"; done; }; cat_ <<E\n$@ / $* / ${a[*]} / ${a[@]:0}\nE", "a b c / a b c / 1:2 / 1 2\n", 0},
	{"split: operand words are split where unquoted", `n() { printf "%s:" $#; printf "<%s>" "$@"; echo; }; n ${u-'a b' "c  d" e}; n "${u-"a b" c}"; n "${u-'a b'}"; n ${u-a\ b\$c}; n "${u-a\ b\$c}"`, "3:<a b><c  d><e>\n1:<a b c>\n1:<'a b'>\n1:<a b$c>\n1:<a\\ b$c>\n", 0},
	{"parameters: defaults", `e=; echo ${u-d} ${e-d} ${u:-d} ${e:-d} ${u+a} [${e+a}] [${e:+a}] ${u=x} $u ${e:=y} $e`, "d d d [a] [] x x y y\n", 0},
	{"parameters: errors end the shell", `echo ${u?}; echo not here`, "bash: line 1: u: parameter not set\n", 127},
	{"parameters: errors with a word", `echo ${u:?my $((1+1)) words}; echo not here`, "bash: line 1: u: my 2 words\n", 127},
	{"parameters: errors end a subshell", `(echo ${u?gone}); echo $?`, "bash: line 1: u: gone\n1\n", 0},
	{"parameters: nounset", `set -u; echo "$@" "${a[@]}" ${u-ok}; echo $u; echo no`, "ok\nbash: line 1: u: unbound variable\n", 127},
	{"parameters: nounset names elements", `set -u; declare -A m; echo "${m[k]}"`, "bash: line 1: m[k]: unbound variable\n", 127},
	{"parameters: prefixes and suffixes", `p=/usr/local/x.tar.gz; echo ${p##*/} ${p%/*} ${p%%.*} ${p##*.} ${p#/} ${p%.nope} ${p#*/usr}`, "x.tar.gz /usr/local /usr/local/x gz usr/local/x.tar.gz /usr/local/x.tar.gz /local/x.tar.gz\n", 0},
	{"parameters: replacement", `s=hello; echo ${s/l/L} ${s//l/L} ${s/#he/X} ${s/%lo/X} ${s/l} ${s//[el]/.} ${s/#/x} ${s/%/x} ${s/%l/x}`, "heLlo heLLo Xllo helX helo h...o xhello hellox hello\n", 0},
	{"parameters: the match in a replacement", `s=hello; x="&"; y="\&"; echo ${s/l/[&]} ${s/l/\&} ${s/l/"&"} ${s/l/$x} ${s/l/"$x"} ${s/l/$y} ${s/l/"$y"}; shopt -u patsub_replacement; echo ${s/l/&&}`, "he[l]lo he&lo he&lo hello he&lo he&lo he\\&lo\nhe&&lo\n", 0},
	{"parameters: patterns that match nothing", `s=abc; echo ${s//?(z)/r} ${s/?(z)/r}; shopt -s extglob; echo ${s//?(z)/r}; e=; echo [${e//*/z}] [${e/x/z}]`, "abc abc\nrarbrc\n[z] []\n", 0},
	{"parameters: case", `x=abcABC; y=éà; echo ${x^} ${x^^} ${x,} ${x,,} ${x~} ${x~~} ${x^^[a]} ${x,,[A-B]} ${x^^b*} ${y^} ${y^^}`, "AbcABC ABCABC abcABC abcabc AbcABC ABCabc AbcABC abcabC aBcABC Éà ÉÀ\n", 0},
	{"parameters: substrings", `x=héllo; echo ${x:1:2} ${x: -2} ${x:0:-1} [${x:5}] [${x:6}] ${x:(-3):2} ${x: -10:2} ${#x}; i=2; echo ${x:i:i-1} ${x:$i}`, "él lo héll [] [] ll 5\nl llo\n", 0},
	{"parameters: a substring of negative length", `x=abc; echo ${x:1:-5}; echo no`, "bash: line 1: -5: substring expression < 0\n", 1},
	{"parameters: slices of lists", `set -- a b c d; echo ${@:1:2} ${@: -1} ${@:5} ${@:2}; a=([2]=x [5]=y [9]=z); echo ${a[@]:2:2} ${a[@]:3:1} ${a[@]: -5}`, "a b d b c d\nx y y y z\n", 0},
	{"parameters: lengths", `a=(x yy); declare -A m=([k]=v); set -- 1 2 3; echo ${#a[@]} ${#a} ${#a[1]} ${#m[@]} ${#} ${#@} ${#*} ${#u}`, "2 1 2 1 3 3 3 0\n", 0},
	{"parameters: names and keys", `ab=1; ac=2; declare -a arr=([3]=x [7]=y); s=5; echo ${!a@} "${!arr[@]}" ${!s[@]}`, "ab ac arr 3 7 0\n", 0},
	{"parameters: indirection", `x=y; y=5; a=(p q); z="a[1]"; w="a[@]"; set -- one; k=1; echo ${!x} ${!z} ${!w} ${!k} ${!x:-d} ${!u-d}`, "bash: line 1: u: invalid indirect expansion\n", 1},
	{"parameters: indirection to no name", `x="a b"; echo ${!x}; echo no`, "bash: line 1: a b: invalid variable name\n", 1},
	{"parameters: bad substitution", `echo ${x!}; echo no`, "bash: line 1: ${x!}: bad substitution\n", 1},
	{"parameters: quoting transformations", `x="a'b"; y=$'a\nb'; e=; a=(1 '2 3'); echo ${x@Q} ${y@Q} ${e@Q} [${u@Q}] "${a[@]@Q}"; z='a\tb'; echo "${z@E}"`, "'a'\\''b' $'a\\nb' '' [] '1' '2 3'\na\tb\n", 0},
	{"parameters: transformations of attributes", `declare -rix i=5; a=(1 2); declare -A m=([k]='v w'); echo ${i@a} ${i@A} ${a@a} "${a[@]@A}" "${a[@]@K}" "${m[@]@k}" ${u@A}`, "irx declare -irx i='5' a declare -a a=([0]=\"1\" [1]=\"2\") 0 \"1\" 1 \"2\" k v w\n", 0},
	{"parameters: assignment to positions is refused", `echo ${1:=5}; echo no`, "bash: line 1: $1: cannot assign in this way\n", 1},
	{"parameters: assignment respects readonly", `readonly q; echo ${q:=5}; echo no`, "bash: line 1: q: readonly variable\n", 1},
	{"parameters: negative subscripts", `a=(1 2 3); echo ${a[-1]} ${a[-4]}; echo after`, "bash: line 1: a: bad array subscript\n3\nafter\n", 0},
	{"parameters: prompt expansion", `x="\u \$ \\ \\x \w $((1+1))"; cd /; echo "${x@P}"`, "root $ \\ \\x / 2\n", 0},
	{"braces: lists and sequences", `echo {a,b}{c,d} {1..3} {3..1} {1..10..3} {01..3} {-01..1} {a..e} {e..a..2} x{,y}z`, "ac ad bc bd 1 2 3 3 2 1 1 4 7 10 01 02 03 -01 000 001 a b c d e e c a xz xyz\n", 0},
	{"braces: nested", `echo {a,{b,c},d}e {{1..2},{a..b}} {1..{2,3}} {{a,b}} {a}b,c}`, "ae be ce de 1 2 a b 1..2 1..3 {a} {b} a}b c\n", 0},
	{"braces: no expansions", `echo {a} {} a{}b {a,b a,b} {1..a} {1...3} {..} {1..2..3..4} \{a,b} {a,b\} "{a,b}" {"1"..3} {1.5..2}`, "{a} {} a{}b {a,b a,b} {1..a} {1...3} {..} {1..2..3..4} {a,b} {a,b} {a,b} {1..3} {1.5..2}\n", 0},
	{"braces: quotes hide commas", `echo {"a,b",c} {a\,b,c} {a,'b c'}`, "a,b c a,b c a b c\n", 0},
	{"braces: other expansions come later", `a=1; ab=2; echo {$a,$ab} $a{b,c} ${a}{b,c} {$(echo x,y),z} {~,/x}/y`, "1 2 2 1b 1c x,y z /root/y /x/y\n", 0},
	{"braces: assignments have none", `a={1,2}; echo "$a" b={1,2}; set +B; echo {a,b}`, "{1,2} b=1 b=2\n{a,b}\n", 0},
	{"braces: empty words vanish", `n() { printf "%s:" $#; printf "<%s>" "$@"; echo; }; n {,a} {,}; n {,}x ""{,}`, "1:<a>\n4:<x><x><><>\n", 0},
	{"pathnames: plain patterns", `: > a.c; : > b.c; : > .h; : > "s p"; echo *.c ? [ab].c [!a]* .h* *.nope "*".c \*; for f in s*; do echo "<$f>"; done`, "a.c b.c ? a.c b.c b.c s p .h *.nope *.c *\n<s p>\n", 0},
	{"pathnames: patterns from variables", `: > x1; : > "a*b"; g="*"; h="a\**"; echo $g "$g" $h`, "a*b x1 * a*b\n", 0},
	{"pathnames: nullglob, dotglob, nocaseglob", `: > A; : > .b; shopt -s nullglob; echo *.x y; shopt -s dotglob; echo *; shopt -s nocaseglob; echo a*`, "y\n.b A\nA\n", 0},
	{"pathnames: failglob", `shopt -s failglob; echo *.nope; echo no`, "bash: line 1: no match: *.nope\n", 1},
	{"pathnames: extglob", ": > a.txt; : > b.c; shopt -s extglob\necho !(*.txt) @(a|b)* +([a-b]).c", "b.c a.txt b.c b.c\n", 0},
	{"pathnames: GLOBIGNORE", `: > a; : > .x; : > c.txt; GLOBIGNORE="*.txt"; echo *; GLOBIGNORE="*"; echo *`, ".x a\n*\n", 0},
	{"pathnames: noglob", `: > a; set -f; echo *`, "*\n", 0},
	{"words: tilde", `HOME=/h; echo ~ ~/x "~" \~ ~"x" a=~ a=b:~ b:~ x~ ~nosuchuser; a=~:~/x:"~"; echo $a ${u:-~} "${u:-~}"; b=(x=~); echo $b`, "/h /h/x ~ ~ ~x a=/h a=b:/h b:~ x~ ~nosuchuser\n/h:/h/x:~ /h ~\nx=~\n", 0},
	{"words: ANSI-C quotes", `printf '%s|' $'\x41\u00e9\101\cA\e\'"' $'a\0b' $'\xZ' $'\q' $'\?'; echo`, "AéA\x01\x1b'\"|a|\\xZ|\\q|?|\n", 0},
	{"words: command substitution", "echo \"$(echo \"a  b\")\" $(printf \"x\\n\\n\") `echo a\\`echo b\\`c`; x=$(false); echo $? $(false) $?", "a  b x abc\n1 1\n", 0},
	{"words: here-documents", "cat_() { while IFS= read -r l; do echo \"$l\"; done; }; x=1; cat_ <<E\n$x \\$x \"q\" 'q' \\\\ \\a ${u:-\"a b\"} $((x+1))\nE\ncat_ <<'E'\n$x \\\\\nE", "1 $x \"q\" 'q' \\ \\a a b 2\n$x \\\\\n", 0},
	{"words: patterns in case and [[", `x="a*"; case abc in "$x") echo q;; $x) echo u;; esac; [[ abc == a"*" ]] || echo no; [[ abc == a* ]] && echo yes`, "u\nno\nyes\n", 0},
	{"words: regular expressions", `[[ a.c =~ a\.c && abc =~ ^a(b)(c)$ ]] && echo ${BASH_REMATCH[@]}; [[ abc =~ "a.c" ]] || echo literal; re="a.c"; [[ abc =~ $re ]] && echo special`, "abc b c\nliteral\nspecial\n", 0},
	{"words: subscripts", `declare -A m; k="a b"; m[$k]=1; m["c d"]=2; m[e f]=3; echo ${m[a b]} ${m["c d"]} ${m[$k]} ${#m[@]}; a=(1 2 3); i=1; echo ${a[i+1]} ${a[$i]} $((a[i]+=5)) ${a[1]}`, "1 2 1 3\n3 2 7 7\n", 0},
}

// TestExpansionsAreBounded runs what would take memory or time without end.
func TestExpansionsAreBounded(t *testing.T) {
	for name, script := range map[string]string{
		"a sequence":               "echo {1..100000000}",
		"a product":                "echo {1..100}{1..100}{1..100}{1..100}",
		"many choices":             "echo " + strings.Repeat("{a,b}", 2000),
		"a replacement that grows": "x=a; for i in {1..20}; do x=$x$x; done; y=${x//a/bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb}",
		"a value that is split":    "x='a '; for i in {1..21}; do x=$x$x; done; set -- $x",
		"a quoted value":           "x=a; for i in {1..23}; do x=$x$x; done; echo ${x@Q}${x@Q}${x@Q}",
	} {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			out, status := runScript(t, newTestSession(t, budget.New(16<<20)), script)
			if status != statusLimit || !strings.Contains(out, "memory budget") {
				t.Errorf("status %d, output %.100q", status, out)
			}
			if d := time.Since(start); d > time.Minute {
				t.Errorf("took %v", d)
			}
		})
	}
}

// TestNestingThatIsTooDeepSaysSo: what cannot be read is not taken as text.
func TestNestingThatIsTooDeepSaysSo(t *testing.T) {
	const n = 1500
	braces := strings.Repeat("{a,", n) + "b" + strings.Repeat("}", n)
	groups := strings.Repeat("@(a|", n) + "b" + strings.Repeat(")", n)
	for script, want := range map[string]string{
		"echo " + braces:                                                       "bash: line 1: brace expansion nested deeper than 1000\n",
		"eval 'echo " + braces + "'":                                           "bash: line 1: brace expansion nested deeper than 1000\n",
		"for i in " + braces + "; do :; done":                                  "bash: line 1: brace expansion nested deeper than 1000\n",
		"x='" + groups + "'; [[ a == $x ]]; echo no":                           "bash: line 1: pattern groups nested deeper than 1000\n",
		"x='" + groups + "'; shopt -s extglob; case a in $x) ;; esac":          "bash: line 1: pattern groups nested deeper than 1000\n",
		"x='" + groups + "'; shopt -s extglob; y=aab; echo ${y#$x}":            "bash: line 1: pattern groups nested deeper than 1000\n",
		"x='" + groups + "'; shopt -s extglob; : >a; echo $x":                  "bash: line 1: pattern groups nested deeper than 1000\n",
		"GLOBIGNORE='" + groups + "'; shopt -s extglob; : >a; echo *; echo no": "bash: line 1: pattern groups nested deeper than 1000\n",
	} {
		s := newTestSession(t, budget.New(64<<20))
		out, status := runScript(t, s, script)
		if out != want || status != 137 {
			t.Errorf("%.60s: %.200q, %d", script, out, status)
		}
		if out, status := runScript(t, s, "echo on"); out != "on\n" || status != 0 {
			t.Errorf("the next run: %q, %d", out, status)
		}
	}
}

// TestBracesOfHostileWords must not take quadratic time.
func TestBracesOfHostileWords(t *testing.T) {
	const n = 200_000
	start := time.Now()
	for _, text := range []string{
		strings.Repeat("{", n), strings.Repeat("{,", n), strings.Repeat("}", n), strings.Repeat("{", n) + strings.Repeat("}", n),
		strings.Repeat("{a,", n) + strings.Repeat("}", n), strings.Repeat("{}", n), strings.Repeat("{a}", n) + ",b}",
	} {
		findBraces([]item{{text: text}})
	}
	if d := time.Since(start); d > time.Minute {
		t.Errorf("took %v", d)
	}
}

// TestExpansionIsCancelled looks at the context inside one expansion.
func TestExpansionIsCancelled(t *testing.T) {
	for name, script := range map[string]string{
		"a replacement": "x=a; for i in {1..22}; do x=$x$x; done; shopt -s extglob; while :; do y=${x//+(a|b)c/d}; done",
		"a split":       "x='a '; for i in {1..16}; do x=$x$x; done; while :; do set -- $x; done",
		"a sequence":    "for i in {1..1000000000}; do :; done",
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
			defer cancel()
			start := time.Now()
			newTestSession(t, nil).Run(ctx, RunOptions{Script: script, Command: true})
			if d := time.Since(start); d > time.Minute {
				t.Errorf("ended after %v", d)
			}
		})
	}
}
