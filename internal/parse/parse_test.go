package parse

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"mvdan.cc/sh/v3/syntax"
)

// messages are what bash -c prints for a source, without "bash: -c: ".
func messages(source string, o Options) string {
	p := New("", []byte(source), o)
	var b strings.Builder
	for {
		l, err := p.Next()
		if err == io.EOF {
			return b.String()
		}
		var e *Error
		if errors.As(err, &e) {
			b.WriteString(e.Error())
			if e.Status == StatusRecovered {
				b.WriteByte('\n')
				continue
			}
			return b.String()
		}
		for _, w := range l.Warnings {
			b.WriteString((&Error{Lines: []Message{w}}).Error() + "\n")
		}
	}
}

// The expected messages are bash 5.2's.
func TestSyntaxErrors(t *testing.T) {
	near := func(line, token, text string) string {
		return "line " + line + ": syntax error near unexpected token `" + token + "'\nline " + line + ": `" + text + "'"
	}
	unmatched := func(line, closer string) string {
		return "line " + line + ": unexpected EOF while looking for matching `" + closer + "'"
	}
	end := func(line string) string { return "line " + line + ": syntax error: unexpected end of file" }
	for source, want := range map[string]string{
		"echo a\necho b; fi":           near("2", "fi", "echo b; fi"),
		"if true; then echo":           end("2"),
		"if true; then\necho x\nelse":  end("4"),
		"foo() {\necho x\n":            end("3"),
		"echo \"abc":                   unmatched("1", `"`),
		"echo a\necho \"abc\nfoo\nbar": unmatched("2", `"`),
		"echo 'abc":                    unmatched("1", "'"),
		"echo $(foo":                   unmatched("2", ")"),
		"echo ${foo":                   unmatched("1", "}"),
		"echo `foo":                    unmatched("1", "`"),
		"echo $((1+2":                  unmatched("1", ")"),
		"$((1+2)":                      unmatched("1", ")"),
		"((1+":                         unmatched("1", ")"),
		"x=(1 2":                       unmatched("1", ")"),
		"a[1 2":                        unmatched("1", "]"),
		"a=(b \"c)":                    unmatched("1", `"`) + "\n" + end("2"),
		")":                            near("1", ")", ")"),
		"a && ;":                       near("1", ";", "a && ;"),
		"|| a":                         near("1", "||", "|| a"),
		"a |||b":                       near("1", "|", "a |||b"),
		"for":                          near("1", "newline", "for"),
		"for x y":                      near("1", "y", "for x y"),
		"for x in a b do echo; done":   near("1", "done", "for x in a b do echo; done"),
		"while; do :; done":            near("1", ";", "while; do :; done"),
		"f( { echo; }":                 near("1", "{", "f( { echo; }"),
		"f() echo":                     near("1", "echo", "f() echo"),
		"f() { }":                      near("1", "}", "f() { }"),
		"echo a(b)":                    near("1", "(", "echo a(b)"),
		"a b ()":                       near("1", "(", "a b ()"),
		"cat <<":                       near("1", "newline", "cat <<"),
		"> ;":                          near("1", ";", "> ;"),
		"a=(b) d (e)":                  near("1", "(", "a=(b) d (e)"),
		"ls a=(1)":                     near("1", "(", "ls a=(1)"),
		"case x in a) b;; ;; esac":     near("1", ";;", "case x in a) b;; ;; esac"),
		"case x in a b) c;; esac":      near("1", "b", "case x in a b) c;; esac"),
		"{ a; )":                       near("1", ")", "{ a; )"),
		"{ a; } b":                     near("1", "b", "{ a; } b"),
		"if a; then ! fi":              near("1", "fi", "if a; then ! fi"),
		"a | ! b":                      near("1", "!", "a | ! b"),
		"echo $(fi)":                   near("1", "fi", "echo $(fi)"),
		"echo \"x\n$(fi)\"":            near("2", "fi", "$(fi)\""),
		"echo $(if a; b)":              near("1", ")", "echo $(if a; b)"),
		"coproc":                       near("1", "newline", "coproc"),
		"(a))":                         near("1", ")", "(a))"),
		"a=(1 2; 3)\necho":             near("1", ";", "a=(1 2; 3)") + "\n",
		"[[ -f ]]":                     "line 1: unexpected argument `]]' to conditional unary operator",
		"[[ a b ]]":                    "line 1: conditional binary operator expected",
		"[[ a == ]]":                   "line 1: unexpected argument `]]' to conditional binary operator",
		"[[ ( a ]]":                    "line 1: unexpected token `]]', expected `)'",
		"[[ a\n]]":                     "line 1: unexpected token `newline', conditional binary operator expected",
		"[[ && a ]]":                   "line 1: unexpected token `&&' in conditional command",
		"[[ -f a b ]]":                 "line 1: syntax error in conditional expression",
		"[[ a ) ]]":                    "line 1: syntax error in conditional expression: unexpected token `)'",
		"[[ a == b":                    "line 1: unexpected EOF while looking for `]]'",
		"for ((i=0;i<3)); do :; done": "line 1: syntax error: arithmetic expression required\n" +
			"line 1: syntax error: `((i=0;i<3))'",
		"cat <<EOF\nabc": "line 2: warning: here-document at line 1 delimited by end-of-file (wanted `EOF')\n",
	} {
		assert.Equal(t, want, messages(source, Options{}), "%s", source)
	}
}

// Each is accepted by bash, whatever happens when it runs; the last line is
// there to fail, so that an early end shows.
func TestAccepted(t *testing.T) {
	for _, source := range []string{
		"m[a b]=1 m['k]']=3 m[${a[0]}]=6", "echo ${x~} ${x~~} ${x~a}", "! ! a; !", "time ! a | b; time; ! time a; time -p -- a",
		"cat <<$x\na\n$x", "cat <<'E F'\na\nE F", "cat <<\"\"\na\n", "cat <<E\\\nOF\na\nEOF", "((echo a); echo b); ((echo a) )", "echo $((echo a); echo b)",
		"a=(1 2) cmd", "let; let x=1 'y = 2' z=(1+2)", "declare 1x=2 a-b=c -A m=([a]=1) x+=1", "export a-b=1", "echo ${##1} ${###a*} ${!-x} ${!:-x} ${#-x} ${#?x} ${!#}", "echo ${x!} ${} ${x[} ${1x} ${x|y}",
		"cat <<EOF\n$(fi) ${x\nEOF", "echo `fi`", "for 1x in a; do b; done", "for $x in a; do b; done", "select x; { a; }",
		"f() { :; } && a; function b { :; } | c", "$x() { :; }", "a[1]=(2)", "[[ $x =~ ^(a|b c)+$ ]]; [[ a == @(b|c d) ]]", "a=([1]=[2] b[3] ['e']+=3)",
		"echo a\rb", "echo \xff\xfe", "echo a#b # 'c", "case x in (a) b & esac; case in in x) ;; esac", "a | time b", "coproc cat >f", "echo $(case x in a) b;; esac)",
		"echo ${x/a\\/b/c} ${x////_} ${x:a?b:c:d} ${x: -1} ${x::2} \"${x:-'}'}\"", "((a<<2, b>>=1)); for ((;;)); { a; }", "]=1; x]; {a; a} b", "echo $[a[1]+2] $", "f.a() { :; }", "exec {a[1]}>&- {b}<c; echo {d[1]}",
	} {
		got := messages(source+"\nfi", Options{ExtGlob: func() bool { return true }})
		lines := strings.Split(got, "\n")
		require.GreaterOrEqual(t, len(lines), 2, "%s: %s", source, got)
		assert.Equal(t, "`fi'", lines[len(lines)-1][strings.Index(lines[len(lines)-1], "`"):], "%s: %s", source, got)
	}
}

func TestLinesBeforeTheErrorAreYielded(t *testing.T) {
	p := New("", []byte("echo a\n\nif b\nthen c; fi; d\necho e; fi\n"), Options{})
	l, err := p.Next()
	require.NoError(t, err)
	assert.Equal(t, 1, l.Base+int(l.Stmts[0].Pos().Line()))
	l, err = p.Next()
	require.NoError(t, err)
	require.Len(t, l.Stmts, 2)
	assert.Equal(t, 3, l.Base+int(l.Stmts[0].Pos().Line()))
	assert.Equal(t, 4, l.Base+int(l.Stmts[1].Pos().Line()))
	assert.Equal(t, "if b\nthen c; fi", strings.TrimSuffix(l.Text(l.Stmts[0]), ";"))
	_, err = p.Next()
	require.Error(t, err)
}

func TestAliases(t *testing.T) {
	aliases := map[string]string{"ll": "ls -l", "ls": "ls --color", "sudo": "sudo ", "iff": "if", "e": "echo 'a"}
	o := Options{ExpandAliases: func() bool { return true }, Alias: func(n string) (string, bool) { v, ok := aliases[n]; return v, ok }}
	for source, want := range map[string]string{
		"ll x":               "ls --color -l x",
		"a; ll":              "a; ls --color -l",
		"echo ll":            "echo ll",
		"sudo ll":            "sudo ls --color -l",
		"\\ll 'll' x=1":      "\\ll 'll' x=1",
		"x=1 ll":             "x=1 ls --color -l",
		"iff a; then ll; fi": "if a; then ls --color -l; fi",
		"$(ll)":              "$(ls --color -l)",
		"e b'":               "echo 'a b'",
	} {
		p := New("", []byte(source), o)
		l, err := p.Next()
		require.NoError(t, err, source)
		var parts []string
		for _, st := range l.Stmts {
			parts = append(parts, strings.TrimSuffix(l.Text(st), ";"))
		}
		assert.Equal(t, want, strings.NewReplacer(" ;", ";", " )", ")").Replace(strings.Join(strings.Fields(strings.Join(parts, "; ")), " ")), source)
	}
}

func TestAliasesThatDoubleAreBounded(t *testing.T) {
	looks := 0
	o := Options{ExpandAliases: func() bool { return true }, Alias: func(n string) (string, bool) {
		looks++
		return n + "x; " + n + "x", strings.HasPrefix(n, "a") && len(n) < 60
	}}
	_, err := New("", []byte("a\n"), o).Next()
	require.ErrorContains(t, err, "aliases expand to too much")
	require.Less(t, looks, 10_000)
	l, err := New("", []byte(strings.Repeat("ls; ", 2000)+"\n"), Options{ExpandAliases: o.ExpandAliases, Alias: func(n string) (string, bool) { return "ls -l", n == "ls" }}).Next()
	require.NoError(t, err)
	require.Len(t, l.Stmts, 2000)
}

func TestAliasOfManyLines(t *testing.T) {
	o := Options{ExpandAliases: func() bool { return true }, Alias: func(n string) (string, bool) { return "echo a\necho b", n == "two" }}
	p := New("", []byte("two\ntwo c; d\n"), o)
	var got []string
	for {
		l, err := p.Next()
		if err == io.EOF {
			break
		}
		require.NoError(t, err)
		for _, s := range l.Stmts {
			got = append(got, strings.TrimRight(l.Text(s), " ;"))
		}
	}
	assert.Equal(t, []string{"echo a", "echo b", "echo a", "echo b  c", "d"}, got)
}

func TestTextOfMendedNodes(t *testing.T) {
	for source, want := range map[string][]string{
		"a=(1  2) b=3 c=(4) cmd x":             {"a=(1  2)", "b=3", "c=(4)", "cmd", "x"},
		"let x=(1+2) y; ":                      {"let", "x=(1+2)", "y"},
		"echo `a \\`b\\`` $[1+2] ${x~} @(a|b)": {"echo", "`a \\`b\\``", "$[1+2]", "${x~}", "@(a|b)"},
		"m['a b']=1 n=2":                       {"m['a b']=1", "n=2"},
		"a | time b":                           {"time", "b"},
	} {
		l, err := New("", []byte(source), Options{ExtGlob: func() bool { return true }}).Next()
		require.NoError(t, err, source)
		cmd := l.Stmts[0].Cmd
		if b, ok := cmd.(*syntax.BinaryCmd); ok {
			cmd = b.Y.Cmd
		}
		c := cmd.(*syntax.CallExpr)
		var got []string
		for _, a := range c.Assigns {
			got = append(got, l.Text(a))
		}
		for _, w := range c.Args {
			got = append(got, l.Text(w))
		}
		assert.Equal(t, want, got, source)
	}
}

func TestMarkers(t *testing.T) {
	word := func(source string) (*Line, *syntax.CallExpr) {
		l, err := New("", []byte(source), Options{ExtGlob: func() bool { return true }}).Next()
		require.NoError(t, err, source)
		c, _ := l.Stmts[0].Cmd.(*syntax.CallExpr)
		return l, c
	}
	_, c := word("echo ${x!}")
	text, bad := BadSubstitution(c.Args[1].Parts[0].(*syntax.ParamExp))
	assert.True(t, bad)
	assert.Equal(t, "${x!}", text)

	_, c = word("echo ${x~a}")
	pattern, toggle := CaseToggle(c.Args[1].Parts[0].(*syntax.ParamExp).Exp)
	assert.True(t, toggle)
	assert.Equal(t, "a", pattern.Lit())

	l, c := word("!")
	k, _ := Deferred(c)
	assert.Equal(t, Nothing, k)
	assert.True(t, l.Stmts[0].Negated)

	_, c = word("echo `fi`")
	k, text = Deferred(c.Args[1].Parts[0].(*syntax.CmdSubst).Stmts[0].Cmd.(*syntax.CallExpr))
	assert.Equal(t, SyntaxFailure, k)
	assert.Equal(t, "line 1: syntax error near unexpected token `fi'\nline 1: `fi'", text)

	_, c = word("m['a b'$x]=1")
	i := Subscript(c.Assigns[0].Index)
	assert.Len(t, i.Key.Parts, 2)
	assert.IsType(t, &syntax.DblQuoted{}, i.Arithmetic.Parts[0])

	_, c = word("m=([1]+=2)")
	assert.True(t, Subscript(c.Assigns[0].Array.Elems[0].Index).Append)
	_, c = word("echo $((a[1] + \"2\"))")
	assert.Len(t, Arithmetic(c.Args[1].Parts[0].(*syntax.ArithmExp).X).Parts, 1)
	_, c = word("echo a\rb@(c|d)\xff")
	assert.Equal(t, "a\rb@(c|d)\xff", Unmap(c.Args[1].Lit()))
}

func TestNestingIsBounded(t *testing.T) {
	for _, open := range []string{"(", "( ", "$(", "${a:-", "\"$(", "$((", "$[", "((", "{ ", "if ", "while ", "! time ", "[[ ! ", "[[ ( ", "a[${", "[[ a && ", "@(", "<(", "case x in x) ", "f() { ", "x=(${y[", "\"${a#'"} {
		for _, n := range []int{2000, 100000} {
			p := New("", []byte(strings.Repeat(open, n)), Options{ExtGlob: func() bool { return true }})
			_, err := p.Next()
			assert.Error(t, err, open)
		}
	}
	for _, chain := range []string{"a && ", "a | ", "a; ", "a\n", "x=1 ", "x=(1) ", "! ", "<f ", "a $((1+1)) "} {
		_, err := New("", []byte(strings.Repeat(chain, 50000)+"a"), Options{}).Next()
		assert.NoError(t, err, chain)
	}
}

func FuzzNext(f *testing.F) {
	for _, s := range []string{"echo a; fi", "m['a']=1", "[[ a && ! b ]]", "cat <<EOF\n$(a)\nEOF", "f() { :; } && b", "a=(1 [2]=3) b", "((a);b)", "`a`", "time ! a", "for ((;;)) { a; }"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, source string) {
		p := New("", []byte(source), Options{ExtGlob: func() bool { return true }})
		for range 10000 {
			l, err := p.Next()
			if err == nil {
				for _, st := range l.Stmts {
					l.Text(st)
				}
				continue
			}
			var e *Error
			if errors.As(err, &e) && e.Status != StatusRecovered || err == io.EOF {
				return
			}
		}
	})
}
