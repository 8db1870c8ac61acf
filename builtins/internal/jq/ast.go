package jq

// query is a node of a program.
type query interface{}

type (
	identity struct{}
	literal  struct{ value Value }
	// text is a string with interpolations.
	text struct {
		format string
		parts  []textPart
	}
	// textPart is a piece of text, or a query.
	textPart struct {
		text  string
		query query
	}
	// formatter is @name alone.
	formatter struct{ name string }
	indexing  struct {
		target, key query
		optional    bool
	}
	slicing struct {
		target, from, to query
		optional         bool
	}
	iteration struct {
		target   query
		optional bool
	}
	collection struct{ body query }
	// construction is {...}.
	construction struct{ pairs []pair }
	pair         struct{ key, value query }
	negated      struct{ body query }
	pipe         struct{ left, right query }
	comma        struct{ left, right query }
	// operation is an infix operator that computes.
	operation struct {
		operator    string
		left, right query
	}
	logical struct {
		and         bool
		left, right query
	}
	alternative struct{ left, right query }
	assignment  struct {
		operator    string
		left, right query
	}
	condition struct{ test, then, otherwise query }
	// attempt is try; a nil handler drops the error.
	attempt struct{ body, handler query }
	folding struct {
		source   query
		patterns []pattern
		init     query
		update   query
		// extract is foreach's; each tells it from reduce.
		extract query
		each    bool
	}
	definition struct {
		name   string
		params []param
		body   query
	}
	// scope is a definition and what sees it.
	scope struct {
		definition *definition
		body       query
	}
	param struct {
		name  string
		value bool
	}
	call struct {
		name string
		args []query
		at   int
	}
	variable struct {
		name string
		at   int
	}
	binding struct {
		source   query
		patterns []pattern
		body     query
	}
	label struct {
		name string
		body query
	}
	breaking struct {
		name string
		at   int
	}
)

// pattern destructures a value: a variable, elements or keys.
type pattern struct {
	variable string
	elements []pattern
	keys     []keyPattern
}

// keyPattern is one of {$name}, {$name: pattern}, {key: pattern}.
type keyPattern struct {
	variable string
	key      query
	value    *pattern
}

// variables adds the names that p binds to names, each once.
func (p *pattern) variables(names []string) []string {
	add := func(name string) {
		for _, n := range names {
			if n == name {
				return
			}
		}
		names = append(names, name)
	}
	if p.variable != "" {
		add(p.variable)
	}
	for i := range p.elements {
		names = p.elements[i].variables(names)
	}
	for _, k := range p.keys {
		if k.variable != "" {
			add(k.variable)
		}
		if k.value != nil {
			names = k.value.variables(names)
		}
	}
	return names
}

// module is a parsed program or library.
type module struct {
	source  *source
	meta    Value
	imports []*importing
	// definitions of a library; a program's stand in its body.
	definitions []*definition
	body        query
}

type importing struct {
	path string
	as   string
	// data imports JSON into $as; an include has no as.
	data bool
	meta Value
	at   int
}
