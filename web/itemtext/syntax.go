package itemtext

import "strings"

// A syntax is what the colors of a language depend on.
type syntax struct {
	lineComment          string
	blockStart, blockEnd string // of comments
	quotes               string
	hasTripleQuotes      bool
	hasKeys              bool // strings before a colon are names
	ignoresCase          bool
	keywords             map[string]bool
}

// syntaxes lists the languages by the names that Markdown uses.
var syntaxes = newSyntaxes()

func newSyntaxes() map[string]syntax {
	all := map[string]syntax{}
	add := func(names string, s syntax, keywords string) {
		s.keywords = map[string]bool{}
		for word := range strings.FieldsSeq(keywords) {
			s.keywords[word] = true
		}
		for name := range strings.FieldsSeq(names) {
			all[name] = s
		}
	}
	curly := syntax{lineComment: "//", blockStart: "/*", blockEnd: "*/", quotes: "\"'`"}
	add("c cpp c++ h java js jsx javascript ts tsx typescript go golang rust rs swift kotlin kt cs csharp c# scala dart php groovy", curly,
		`abstract as async await bool boolean break byte case catch chan char class const continue def default defer delete do double else enum
		 export extends extern false final finally float fn for foreach from func function go goto if impl implements import in instanceof int
		 interface is let long loop match mod mut namespace new nil null nullptr object of override package private protected pub public range
		 return self short signed sizeof static string struct super switch template this throw throws trait true try type typedef typeof union
		 unsafe unsigned use using val var virtual void volatile when where while with yield`)
	add("css scss less", syntax{blockStart: "/*", blockEnd: "*/", quotes: "\"'"},
		"important media import supports layer")
	add("json json5 jsonc", syntax{lineComment: "//", quotes: "\"", hasKeys: true}, "true false null")
	add("python py python3", syntax{lineComment: "#", quotes: "\"'", hasTripleQuotes: true},
		`and as assert async await break class continue def del elif else except False finally for from global if import in is lambda match None
		 nonlocal not or pass raise return self True try while with yield`)
	add("ruby rb perl r elixir julia", syntax{lineComment: "#", quotes: "\"'"},
		`and begin break case class def do done else elsif end ensure FALSE false for fn function if in library local module my next nil not NULL
		 or rescue return self sub then TRUE true undef unless until use when while yield`)
	add("sh bash shell zsh console makefile dockerfile", syntax{lineComment: "#", quotes: "\"'"},
		`case cd do done echo elif else esac exit export fi for function if in local return set source then until while
		 FROM RUN COPY ADD ENV ARG WORKDIR ENTRYPOINT CMD EXPOSE`)
	add("yaml yml toml ini conf", syntax{lineComment: "#", quotes: "\"'"}, "true false null yes no on off")
	add("sql postgresql mysql sqlite", syntax{lineComment: "--", blockStart: "/*", blockEnd: "*/", quotes: "'\"",
		ignoresCase: true},
		`all alter and any as asc begin between by case check column commit constraint create cross default delete desc distinct drop else end
		 exists foreign from full group having if in index inner insert into is join key left like limit not null offset on or order outer over
		 partition primary references returning right rollback select set table then union unique update using values view when where with`)
	add("html xml svg vue", syntax{blockStart: "<!--", blockEnd: "-->", quotes: "\""}, "")
	add("lua haskell hs", syntax{lineComment: "--", quotes: "\"'"},
		"and case class data do else elseif end for function if import in instance let local module nil not of or repeat return then type until where while")
	return all
}
