package locale

// Entries returns the forms of each text in the file of a language, by plural category, or ""
// for its only form.
func Entries(tag string) map[string]map[string]string {
	entries := map[string]map[string]string{}
	for key, e := range mustReadEntries(tag) {
		entries[key] = e.plurals
		if e.plurals == nil {
			entries[key] = map[string]string{"": e.form}
		}
	}
	return entries
}

// Verbs returns the verbs of a text, such as "%d".
func Verbs(text string) []string { return verb.FindAllString(text, -1) }
