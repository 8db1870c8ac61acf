package builtins

import "testing"

func TestJq(t *testing.T) {
	runTable(t, []string{"in.json={\"b\":1,\"a\":[1,null,\"x\"]}\n", "p.jq=#!/usr/bin/jq -f\n.b\n", "lib/m.jq=def f: .+1;"}, []tableCase{
		{"keys keep the order they came in", "jq -c .", `{"b":1,"a":{"z":1,"y":2}}`, "{\"b\":1,\"a\":{\"z\":1,\"y\":2}}\n"},
		{"-S sorts keys at every level", "jq -cS .", `{"b":1,"a":{"z":1,"y":2}}`, "{\"a\":{\"y\":2,\"z\":1},\"b\":1}\n"},
		{"results are indented by two", "jq . in.json", "", "{\n  \"b\": 1,\n  \"a\": [\n    1,\n    null,\n    \"x\"\n  ]\n}\n"},
		{"no program is the identity", "jq", "1 2", "1\n2\n"},
		{"an error goes on with the next input", "jq .+1", "1 \"a\" 2", "2\n3\njq: error (at <stdin>:0): string (\"a\") and number (1) cannot be added\n"},
		{"the last input decides the status", "jq .+1", "1 \"a\"", "2\njq: error (at <stdin>:0): string (\"a\") and number (1) cannot be added\n[exit status 5]\n"},
		{"a faulty text ends the inputs", "jq .", "1 {", "1\nparse error: Unfinished JSON term at EOF at line 1, column 3\n[exit status 4]\n"},
		{"a missing file is passed over", "jq -c .b nope in.json", "", "1\njq: error: Could not open file nope: No such file or directory\n[exit status 2]\n"},
		{"a program that cannot be compiled", "jq -n nope", "", "jq: error: nope/0 is not defined at <top-level>, line 1:\nnope\njq: 1 compile error\n[exit status 3]\n"},
		{"an unknown option", "jq -n --bogus .", "", "jq: Unknown option --bogus\nUse jq --help for help with command-line options,\nor see the jq manpage, or online docs  at https://stedolan.github.io/jq\n[exit status 2]\n"},
		{"a program may begin with a minus sign", "jq -n -1", "", "-1\n"},
		{"-e tells null from a value", "jq -e .[]", "[1,null]", "1\nnull\n[exit status 1]\n"},
		{"-e tells no result", "jq -e empty", "1", "[exit status 4]\n"},
		{"named arguments, the first of a name counts", "jq -nc --arg a 1 --arg a 2 --argjson b [2] '[$a,$b],$ARGS.named'", "", "[\"1\",[2]]\n{\"a\":\"1\",\"b\":[2]}\n"},
		{"--args makes operands arguments", "jq -nc $ARGS --args a --jsonargs 1", "", "{\"positional\":[\"a\",1],\"named\":{}}\n"},
		{"-f takes the program from a file", "jq -f p.jq in.json", "", "1\n"},
		{"-L finds modules", "jq -n -L lib 'import \"m\" as m; 1|m::f'", "", "2\n"},
		{"-s joins inputs", "jq -sc .", "1 2", "[1,2]\n"},
		{"-R takes lines", "jq -R .", "a\nb", "\"a\"\n\"b\"\n"},
		{"-j prints no newlines", "jq -nj '1,\"a\"'", "", "1a"},
		{"--tab indents by a tab", "jq -n --tab [1]", "", "[\n\t1\n]\n"},
		{"--stream yields paths", "jq -c --stream .", `{"a":[1,{}]}`, "[[\"a\",0],1]\n[[\"a\",1],{}]\n[[\"a\",1]]\n[[\"a\"]]\n"},
		{"--seq prints a separator", "jq -n --seq 1", "", "\x1e1\n"},
		{"colors", "jq -nCc '[null,\"a\"]'", "", "\x1b[1;39m[\x1b[1;30mnull\x1b[0m\x1b[1;39m,\x1b[0;32m\"a\"\x1b[0m\x1b[1;39m\x1b[1;39m]\x1b[0m\n"},
		{"halt_error writes a text as it is", "jq -n '\"bye\"|halt_error(3)'", "", "bye[exit status 3]\n"},
		{"debug writes to stderr", "jq -n '1|debug'", "", "1\n[\"DEBUG:\",1]\n"},
	})
}
