package jq

// definitionText is the definition, in jq, of a function that is not native.
func definitionText(key string) string {
	switch key {
	case "_assign/2":
		return `def _assign(paths; $v): reduce path(paths) as $p (.; setpath($p; $v));`
	case "_modify/2":
		// A path whose update yields nothing is removed at once, which moves
		// those after it: so does jq 1.6.
		return `def _modify(paths; f): reduce path(paths) as $p (.;
			label $done | (setpath($p; getpath($p) | f) | ., break $done), delpaths([$p]));`
	case "map/1":
		return `def map(f): [.[] | f];`
	case "select/1":
		return `def select(f): if f then . else empty end;`
	case "map_values/1":
		return `def map_values(f): .[] |= f;`
	case "del/1":
		return `def del(f): delpaths([path(f)]);`
	case "recurse/0":
		return `def recurse: recurse(.[]?);`
	case "recurse/1":
		return `def recurse(f): def again: ., (f | again); again;`
	case "recurse/2":
		return `def recurse(f; cond): def again: ., (f | select(cond) | again); again;`
	case "recurse_down/0":
		return `def recurse_down: recurse;`
	case "sort_by/1":
		return `def sort_by(f): _sort_by(map([f]));`
	case "group_by/1":
		return `def group_by(f): _group_by(map([f]));`
	case "unique/0":
		return `def unique: group_by(.) | map(.[0]);`
	case "unique_by/1":
		return `def unique_by(f): group_by(f) | map(.[0]);`
	case "min_by/1":
		return `def min_by(f): _min_by(map([f]));`
	case "max_by/1":
		return `def max_by(f): _max_by(map([f]));`
	case "to_entries/0":
		return `def to_entries: [keys_unsorted[] as $k | {key: $k, value: .[$k]}];`
	case "from_entries/0":
		return `def from_entries: map({(.key // .Key // .name // .Name): (if has("value") then .value else .Value end)}) | add | . //= {};`
	case "with_entries/1":
		return `def with_entries(f): to_entries | map(f) | from_entries;`
	case "reverse/0":
		return `def reverse: [.[length - 1 - range(0; length)]];`
	case "indices/1":
		return `def indices($i): if type == "array" and ($i | type) == "array" then .[$i]
			elif type == "array" then .[[$i]]
			elif type == "string" and ($i | type) == "string" then _strindices($i)
			else .[$i] end;`
	case "index/1":
		return `def index($i): indices($i) | .[0];`
	case "rindex/1":
		return `def rindex($i): indices($i) | .[-1:][0];`
	case "paths/0":
		return `def paths: path(recurse(if type == "array" or type == "object" then .[] else empty end)) | select(length > 0);`
	case "paths/1":
		return `def paths(f): . as $all | paths | select(. as $p | $all | getpath($p) | f);`
	case "leaf_paths/0":
		return `def leaf_paths: paths(scalars);`
	case "any/0":
		return `def any: any(.[]; .);`
	case "any/1":
		return `def any(f): any(.[]; f);`
	case "any/2":
		return `def any(g; f): [label $done | foreach g as $i (false;
			if . then break $done elif $i | f then true else . end; if . then . else empty end)] | length == 1;`
	case "all/0":
		return `def all: all(.[]; .);`
	case "all/1":
		return `def all(f): all(.[]; f);`
	case "all/2":
		return `def all(g; f): [label $done | foreach g as $i (true;
			if . | not then break $done elif $i | f then . else false end; if . | not then . else empty end)] | length == 0;`
	case "in/1":
		return `def in(all): . as $x | all | has($x);`
	case "inside/1":
		return `def inside(all): . as $x | all | contains($x);`
	case "halt_error/0":
		return `def halt_error: halt_error(5);`
	case "todate/0":
		return `def todate: strftime("%Y-%m-%dT%H:%M:%SZ");`
	case "todateiso8601/0":
		return `def todateiso8601: strftime("%Y-%m-%dT%H:%M:%SZ");`
	case "fromdate/0":
		return `def fromdate: fromdateiso8601;`
	case "fromdateiso8601/0":
		return `def fromdateiso8601: strptime("%Y-%m-%dT%H:%M:%SZ") | mktime;`
	}
	if text := selectionText(key); text != "" {
		return text
	}
	if text := generatorText(key); text != "" {
		return text
	}
	if text := regexText(key); text != "" {
		return text
	}
	return structureText(key)
}

// selectionText defines what passes values of some kind on.
func selectionText(key string) string {
	switch key {
	case "isfinite/0":
		return `def isfinite: type == "number" and (isinfinite | not);`
	case "arrays/0":
		return `def arrays: select(type == "array");`
	case "objects/0":
		return `def objects: select(type == "object");`
	case "iterables/0":
		return `def iterables: arrays, objects;`
	case "booleans/0":
		return `def booleans: select(type == "boolean");`
	case "numbers/0":
		return `def numbers: select(type == "number");`
	case "normals/0":
		return `def normals: select(isnormal);`
	case "finites/0":
		return `def finites: select(isfinite);`
	case "strings/0":
		return `def strings: select(type == "string");`
	case "nulls/0":
		return `def nulls: select(type == "null");`
	case "values/0":
		return `def values: select(. != null);`
	case "scalars/0":
		return `def scalars: select(type | . != "array" and . != "object");`
	case "scalars_or_empty/0":
		return `def scalars_or_empty: select((type | . != "array" and . != "object") or length == 0);`
	}
	return ""
}

// generatorText defines what yields any number of results.
func generatorText(key string) string {
	switch key {
	case "range/1":
		return `def range($n): range(0; $n);`
	case "range/3":
		return `def range($from; $upto; $by):
			def step: if ($by > 0 and . < $upto) or ($by < 0 and . > $upto) then ., (. + $by | step) else . end;
			if $by == 0 then $from else $from | step end | select(($by > 0 and . < $upto) or ($by < 0 and . > $upto));`
	case "while/2":
		return `def while(cond; f): def step: if cond then ., (f | step) else empty end; step;`
	case "until/2":
		return `def until(cond; f): def step: if cond then . else f | step end; step;`
	case "repeat/1":
		return `def repeat(f): def again: f, again; again;`
	case "inputs/0":
		return `def inputs: try repeat(input) catch if . == "break" then empty else error end;`
	case "limit/2":
		return `def limit($n; f): if $n < 0 then f
			else label $done | foreach f as $x ($n; . - 1; $x, if . <= 0 then break $done else empty end) end;`
	case "first/0":
		return `def first: .[0];`
	case "first/1":
		return `def first(f): label $done | f | ., break $done;`
	case "last/0":
		return `def last: .[-1];`
	case "last/1":
		return `def last(f): reduce f as $x (null; $x);`
	case "nth/1":
		return `def nth($n): .[$n];`
	case "nth/2":
		return `def nth($n; f): if $n < 0 then error("nth doesn't support negative indices") else last(limit($n + 1; f)) end;`
	case "isempty/1":
		return `def isempty(f): 0 == ((label $done | f | (1, break $done)) // 0);`
	case "combinations/0":
		return `def combinations: if length == 0 then [] else .[0][] as $x | (.[1:] | combinations) as $rest | [$x] + $rest end;`
	case "combinations/1":
		return `def combinations(n): . as $all | [range(n) | $all] | combinations;`
	}
	return ""
}

func regexText(key string) string {
	switch key {
	case "match/1":
		return `def match($re): ($re | type) as $t | if $t == "string" then match($re; null)
			elif $t == "array" and ($re | length) > 1 then match($re[0]; $re[1])
			elif $t == "array" and ($re | length) > 0 then match($re[0]; null)
			else error($t + " not a string or array") end;`
	case "match/2":
		return `def match(re; flags): _match(re; flags; false) | .[];`
	case "test/1":
		return `def test($re): ($re | type) as $t | if $t == "string" then test($re; null)
			elif $t == "array" and ($re | length) > 1 then test($re[0]; $re[1])
			elif $t == "array" and ($re | length) > 0 then test($re[0]; null)
			else error($t + " not a string or array") end;`
	case "test/2":
		return `def test(re; flags): _match(re; flags; true);`
	case "capture/1":
		return `def capture($re): ($re | type) as $t | if $t == "string" then capture($re; null)
			elif $t == "array" and ($re | length) > 1 then capture($re[0]; $re[1])
			elif $t == "array" and ($re | length) > 0 then capture($re[0]; null)
			else error($t + " not a string or array") end;`
	case "capture/2":
		return `def capture(re; flags): match(re; flags) | _captured;`
	case "_captured/0":
		return `def _captured: reduce (.captures[] | select(.name != null) | {(.name): .string}) as $pair ({}; . + $pair);`
	case "scan/1":
		return `def scan(re): match(re; "g") | if .captures | length > 0 then [.captures[].string] else .string end;`
	case "splits/1":
		return `def splits($re): splits($re; null);`
	case "splits/2":
		return `def splits($re; flags): . as $s
			| [foreach ((match($re; "g" + flags) | [.offset, .offset + .length]), null) as $m ([0, null];
				if $m == null then [.[0], [.[0], ($s | length)]] else [$m[1], [.[0], $m[0]]] end; .[1])]
			| .[] | $s[.[0]:.[1]];`
	case "split/2":
		return `def split($re; flags): [splits($re; flags)];`
	case "sub/2":
		return `def sub($re; f): . as $in | [match($re)] | if length == 0 then $in else .[0] as $m
			| $m | _captured | $in[0:$m.offset] + f + $in[$m.offset + $m.length:] end;`
	case "sub/3":
		// Each step starts over behind the last match, where ^ matches again.
		return `def sub($re; f; $flags):
			def step($fl; $all): . as $in | [match($re; $fl)] | if length == 0 then $in else .[0] as $m
				| ($m | .offset + .length) as $to | $m | _captured
				| $in[0:$m.offset] + f + ($in[$to:] | if length > 0 and $all then step($fl; $all) else . end) end;
			($flags | index("g")) as $g | step(if $g then $flags | [explode[] | select(. != 103)] | implode else $flags end; $g);`
	case "gsub/2":
		return `def gsub($re; f): sub($re; f; "g");`
	case "gsub/3":
		return `def gsub($re; f; $flags): sub($re; f; $flags + "g");`
	}
	return ""
}

func structureText(key string) string {
	switch key {
	case "flatten/0":
		return `def flatten: _flatten(-1);`
	case "flatten/1":
		return `def flatten($n): if $n < 0 then error("flatten depth must not be negative") else _flatten($n) end;`
	case "_flatten/1":
		return `def _flatten($n): reduce .[] as $i ([]; if $i | type == "array" and $n != 0 then . + ($i | _flatten($n - 1)) else . + [$i] end);`
	case "transpose/0":
		return `def transpose: if . == [] then [] else . as $in | (map(length) | max) as $columns | length as $rows
			| [range(0; $columns) as $c | [range(0; $rows) as $r | $in[$r][$c]]] end;`
	case "walk/1":
		return `def walk(f): . as $in | if type == "object" then
				reduce keys_unsorted[] as $k ({}; . + {($k): ($in[$k] | walk(f))}) | f
			elif type == "array" then map(walk(f)) | f else f end;`
	case "truncate_stream/1":
		return `def truncate_stream(stream): . as $n | null | stream | . as $event
			| if (.[0] | length) > $n then setpath([0]; $event[0][$n:]) else empty end;`
	case "fromstream/1":
		return `def fromstream(stream): foreach stream as $event ([null, false, null, false];
			if ($event[0] | length) == 0 then [null, false, .[2], .[3]]
			elif ($event | length) == 1 and ($event[0] | length) < 2 then [null, false, .[0], .[1]]
			else . end
			| . as $state
			| if ($event | length) > 1 and ($event[0] | length) > 0
				then [(.[0] | setpath($event[0]; $event[1])), true, $state[2], $state[3]] else . end;
			if ($event[0] | length) == 1 and ($event | length) == 1 and .[3] then .[2] else empty end,
			if ($event[0] | length) == 0 then $event[1] else empty end);`
	case "tostream/0":
		return `def tostream: . as $in
			| if (type != "array" and type != "object") or length == 0 then [[], $in]
			else keys_unsorted as $keys | $keys[-1] as $last
				| ($keys[] as $k | $in[$k] | tostream | .[0] |= [$k] + .), [[$last]] end;`
	case "bsearch/1":
		return `def bsearch(target): . as $in | target as $t
			| if length == 0 then -1
			elif length == 1 then if $t == .[0] then 0 elif $t < .[0] then -1 else -2 end
			else [0, length - 1, null]
				| until(.[0] > .[1];
					if .[2] != null then .[1] = -1
					else ((.[1] + .[0]) / 2 | floor) as $mid | $in[$mid] as $x
						| if $x == $t then .[2] = $mid
						elif .[0] == .[1] then .[1] = -1
						elif $x < $t then .[0] = $mid + 1
						else .[1] = $mid - 1 end end)
				| if .[2] == null then if $in[.[0]] < $t then -2 - .[0] else -1 - .[0] end else .[2] end end;`
	case "INDEX/1":
		return `def INDEX(f): INDEX(.[]; f);`
	case "INDEX/2":
		return `def INDEX(stream; f): reduce stream as $row ({}; .[$row | f | if type != "string" then tojson else . end] |= $row);`
	case "JOIN/2":
		return `def JOIN($idx; f): [.[] | [., $idx[f]]];`
	case "JOIN/3":
		return `def JOIN($idx; stream; f): stream | [., $idx[f]];`
	case "JOIN/4":
		return `def JOIN($idx; stream; f; join): stream | [., $idx[f]] | join;`
	case "IN/1":
		return `def IN(s): reduce (first(select(. == s)) | true) as $found (false; . or $found);`
	case "IN/2":
		return `def IN(src; s): reduce (src | IN(s)) as $found (false; . or $found);`
	case "pow10/0":
		return `def pow10: error("Error: pow10/0 not found at build time");`
	case "ascii_upcase/0", "ascii_downcase/0":
		return ""
	}
	return ""
}
