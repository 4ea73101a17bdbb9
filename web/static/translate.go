package static

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

var (
	moduleImport = regexp.MustCompile(`(?m)^(?:import|export) (?:[^'\n]* from )?'\./([a-z_]+\.mjs)'`)
	moduleText   = regexp.MustCompile(`\btranslate\(\s*'((?:[^'\\\n]|\\.)*)'`)
)

// moduleTexts holds the texts of each module and those that it imports.
var moduleTexts = sync.OnceValue(func() map[string][]string {
	texts := map[string][]string{}
	files, _ := loadAssets()
	for name := range files {
		if strings.HasSuffix(name, ".mjs") {
			texts[name] = collectTexts(files, name, map[string]bool{})
			slices.Sort(texts[name])
			texts[name] = slices.Compact(texts[name])
		}
	}
	texts["label.bundle.mjs"] = texts["label.mjs"]
	return texts
})

func collectTexts(files map[string]asset, name string, seen map[string]bool) (texts []string) {
	if seen[name] {
		return nil
	}
	seen[name] = true
	for _, match := range moduleText.FindAllSubmatch(files[name].content, -1) {
		texts = append(texts, strings.ReplaceAll(string(match[1]), `\'`, `'`))
	}
	for _, match := range moduleImport.FindAllSubmatch(files[name].content, -1) {
		texts = append(texts, collectTexts(files, string(match[1]), seen)...)
	}
	return texts
}

// Texts returns the texts, in English, that modules and those that they import show. They are
// the arguments of translate() in translate.mjs.
func Texts(modules ...string) (texts []string) {
	for _, name := range modules {
		texts = append(texts, moduleTexts()[name]...)
	}
	slices.Sort(texts)
	return slices.Compact(texts)
}
