package itemtext

import (
	"html"
	"strings"
)

// The commands that stand for one symbol, by the element of MathML that they are.
var (
	identifiers = namedSymbols(`alpha α beta β gamma γ delta δ epsilon ϵ varepsilon ε zeta ζ eta η theta θ vartheta ϑ iota ι kappa κ lambda λ mu μ
		nu ν xi ξ omicron ο pi π varpi ϖ rho ρ varrho ϱ sigma σ varsigma ς tau τ upsilon υ phi ϕ varphi φ chi χ psi ψ omega ω
		Gamma Γ Delta Δ Theta Θ Lambda Λ Xi Ξ Pi Π Sigma Σ Upsilon Υ Phi Φ Psi Ψ Omega Ω
		infty ∞ partial ∂ nabla ∇ hbar ℏ ell ℓ Re ℜ Im ℑ aleph ℵ emptyset ∅ varnothing ∅ imath ı jmath ȷ degree ° top ⊤ bot ⊥`)
	operators = namedSymbols(`pm ± mp ∓ times × div ÷ cdot ⋅ ast ∗ star ⋆ circ ∘ bullet ∙ oplus ⊕ ominus ⊖ otimes ⊗ oslash ⊘ odot ⊙
		cup ∪ cap ∩ setminus ∖ smallsetminus ∖ wedge ∧ land ∧ vee ∨ lor ∨ neg ¬ lnot ¬ dagger † ddagger ‡
		le ≤ leq ≤ leqslant ⩽ ge ≥ geq ≥ geqslant ⩾ ne ≠ neq ≠ equiv ≡ approx ≈ cong ≅ sim ∼ simeq ≃ asymp ≍ propto ∝ ll ≪ gg ≫
		prec ≺ succ ≻ preceq ⪯ succeq ⪰ doteq ≐ triangleq ≜ coloneqq ≔ in ∈ notin ∉ ni ∋ subset ⊂ supset ⊃ subseteq ⊆ supseteq ⊇ subsetneq ⊊
		nmid ∤ mid ∣ parallel ∥ perp ⊥ models ⊨ vdash ⊢ forall ∀ exists ∃ nexists ∄ therefore ∴ because ∵ angle ∠ triangle △ square □ blacksquare ■ Box □
		to → rightarrow → longrightarrow ⟶ gets ← leftarrow ← longleftarrow ⟵ leftrightarrow ↔ Rightarrow ⇒ Longrightarrow ⟹ implies ⟹
		Leftarrow ⇐ impliedby ⟸ Leftrightarrow ⇔ Longleftrightarrow ⟺ iff ⟺ uparrow ↑ downarrow ↓ updownarrow ↕ Uparrow ⇑ Downarrow ⇓ mapsto ↦
		longmapsto ⟼ hookrightarrow ↪ hookleftarrow ↩ nearrow ↗ searrow ↘ rightharpoonup ⇀ rightleftharpoons ⇌ leadsto ⇝
		ldots … dots … dotsc … cdots ⋯ dotsb ⋯ vdots ⋮ ddots ⋱ prime ′ colon : lt < gt > checkmark ✓ int ∫ iint ∬ iiint ∭ oint ∮`)
	limitOperators = namedSymbols(`sum ∑ prod ∏ coprod ∐ bigcup ⋃ bigcap ⋂ bigoplus ⨁ bigotimes ⨂ bigvee ⋁ bigwedge ⋀
		lim lim limsup lim\u00a0sup liminf lim\u00a0inf max max min min sup sup inf inf argmax arg\u00a0max argmin arg\u00a0min`)
	delimiters = namedSymbols(`{ { } } lbrace { rbrace } langle ⟨ rangle ⟩ lfloor ⌊ rfloor ⌋ lceil ⌈ rceil ⌉ lvert | rvert | vert | lVert ‖ rVert ‖ Vert ‖ | ‖
		lbrack [ rbrack ]`)
	accents = namedSymbols(`hat ^ widehat ^ bar ¯ overline ¯ underline _ vec → overrightarrow → overleftarrow ← dot ˙ ddot ¨ tilde ~ widetilde ~
		check ˇ breve ˘ acute ´ grave \u0060 overbrace ⏞ underbrace ⏟`)
	escaped       = namedSymbols(`% % # # & & _ _ $ $`)
	functionNames = namedFunctions(
		`sin cos tan cot sec csc arcsin arccos arctan sinh cosh tanh coth log ln lg exp det dim ker deg gcd lcm arg hom Pr mod bmod`)
	spaces = map[string]string{`\,`: ".17em", `\:`: ".22em", `\>`: ".22em", `\;`: ".28em", `\ `: ".33em",
		`\!`: "-.17em", `\quad`: "1em", `\qquad`: "2em"}
)

// brackets are those around an environment, and the class of its table.
type brackets struct{ left, right, class string }

var environments = map[string]brackets{
	"matrix": {}, "array": {}, "pmatrix": {"(", ")", ""}, "bmatrix": {"[", "]", ""}, "Bmatrix": {"{", "}", ""},
	"vmatrix": {"|", "|", ""}, "Vmatrix": {"‖", "‖", ""},
	"cases": {"{", "", "cases"}, "aligned": {"", "", "aligned"}, "align": {"", "", "aligned"},
	"split":    {"", "", "aligned"},
	"eqnarray": {"", "", "aligned"}, "equation": {"", "", "aligned"}, "gather": {}, "gathered": {}, "multline": {},
}

var alphabets = map[string]alphabet{
	`\mathbb`:  {'𝔸', map[byte]rune{'C': 'ℂ', 'H': 'ℍ', 'N': 'ℕ', 'P': 'ℙ', 'Q': 'ℚ', 'R': 'ℝ', 'Z': 'ℤ'}},
	`\mathcal`: scriptAlphabet, `\mathscr`: scriptAlphabet,
}

var scriptAlphabet = alphabet{'𝒜', map[byte]rune{'B': 'ℬ', 'E': 'ℰ', 'F': 'ℱ', 'H': 'ℋ', 'I': 'ℐ', 'L': 'ℒ',
	'M': 'ℳ', 'R': 'ℛ'}}

// namedSymbols reads pairs of a name and a symbol.
func namedSymbols(list string) map[string]string {
	fields := strings.Fields(list)
	symbols := make(map[string]string, len(fields)/2)
	for i := 0; i+1 < len(fields); i += 2 {
		symbols[`\`+fields[i]] = strings.NewReplacer(`\u00a0`, "\u00a0", `\u0060`, "`").Replace(fields[i+1])
	}
	return symbols
}

func namedFunctions(list string) map[string]bool {
	names := map[string]bool{}
	for name := range strings.FieldsSeq(list) {
		names[`\`+name] = true
	}
	return names
}

// symbolElement returns a command that stands for one symbol, name or space.
func symbolElement(name string) (element string, isKnown bool) {
	for _, symbols := range []map[string]string{operators, delimiters, escaped} {
		if symbol := symbols[name]; symbol != "" {
			return operator(symbol), true
		}
	}
	if symbol := identifiers[name]; symbol != "" {
		return "<mi>" + symbol + "</mi>", true
	}
	if symbol := limitOperators[name]; symbol != "" {
		return `<mo movablelimits="true">` + html.EscapeString(symbol) + "</mo>", true
	}
	if width := spaces[name]; width != "" {
		return mathSpace(width), true
	}
	if functionNames[name] {
		return "<mi>" + name[1:] + "</mi>", true
	}
	return "", false
}
