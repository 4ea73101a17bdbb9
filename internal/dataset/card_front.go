package dataset

import (
	"encoding/json"

	"github.com/labelwright/labelwright/internal/protocol"
)

// writeFrontMatter writes the YAML block that the Hugging Face Hub and load_dataset read.
func (c Card) writeFrontMatter(writef lineWriter, p protocol.Protocol, o WriteOptions, m Manifest) {
	writef("---")
	writef("license: %s", quoteYAML(orDefault(c.License, "unknown")))
	writef("language:")
	for _, code := range orDefaults(c.Language, "und") {
		writef("- %s", quoteYAML(code))
	}
	writef("pretty_name: %s", quoteYAML(c.Title))
	writef("tags:\n- labelwright\n- human-annotation\n- %s", quoteYAML(p.Key))
	writef("annotations_creators:\n- expert-generated")
	if len(m.Files) == 0 {
		writef("---\n")
		return
	}
	writef("size_categories:\n- %s", sizeCategory(m.Files[0].Rows))
	writef("configs:")
	for i, f := range m.Files {
		writef("- config_name: %s\n  data_files: %s", f.tableName(), f.Name)
		if i == 0 {
			writef("  default: true")
		}
	}
	if o.Layout == HuggingFace {
		writeFeatures(writef, m)
	}
	writef("---\n")
}

// writeFeatures writes the type of each column, which empty columns do not show themselves.
func writeFeatures(writef lineWriter, m Manifest) {
	writef("dataset_info:")
	for _, f := range m.Files {
		writef("- config_name: %s\n  features:", f.tableName())
		for _, c := range f.Columns {
			writef("  - name: %s\n    dtype: %s", quoteYAML(c.Name), quoteYAML(f.featureType(c)))
		}
	}
}

// featureType returns the type of a column in the datasets library. It reads an empty column
// of CSV as numbers, which it cannot make times of.
func (f ManifestFile) featureType(c Column) string {
	if f.Format == CSV && (c.Type == typeDate || c.Type == typeTimestamp) {
		return "string"
	}
	return featureTypes[c.Type]
}

// featureTypes are the column types in the words of the datasets library.
var featureTypes = map[string]string{
	typeText: "string", typeInteger: "int64", typeNumber: "float64", typeBoolean: "bool", typeDate: "date32",
	typeTimestamp: "timestamp[us, tz=UTC]", typeJSON: "string", typeJSONText: "string",
}

// sizeCategory returns the size of a table in the words of the Hugging Face Hub.
func sizeCategory(rows int) string {
	limits := []struct {
		below int
		name  string
	}{{1e3, "n<1K"}, {1e4, "1K<n<10K"}, {1e5, "10K<n<100K"}, {1e6, "100K<n<1M"}, {1e7, "1M<n<10M"}, {1e8, "10M<n<100M"}}
	for _, l := range limits {
		if rows < l.below {
			return l.name
		}
	}
	return "100M<n<1B"
}

// quoteYAML returns text as a quoted scalar of YAML, which is JSON.
func quoteYAML(text string) string {
	quoted, _ := json.Marshal(text) // a string always can be
	return string(quoted)
}

func orDefault(text, substitute string) string {
	if text == "" {
		return substitute
	}
	return text
}

func orDefaults(list []string, substitute string) []string {
	if len(list) == 0 {
		return []string{substitute}
	}
	return list
}
