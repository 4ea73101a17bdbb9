package dataset

import (
	"encoding/json"
	"io"
)

// croissantContext is the context of Croissant 1.1, as its specification prints it.
const croissantContext = `{"@language":"en","@vocab":"https://schema.org/","arrayShape":"cr:arrayShape","citeAs":"cr:citeAs","column":"cr:column",
"conformsTo":"dct:conformsTo","containedIn":"cr:containedIn","cr":"http://mlcommons.org/croissant/","data":{"@id":"cr:data","@type":"@json"},
"dataType":{"@id":"cr:dataType","@type":"@vocab"},"dct":"http://purl.org/dc/terms/","description":{"@container":"@language"},
"equivalentProperty":"cr:equivalentProperty","examples":{"@id":"cr:examples","@type":"@json"},"extract":"cr:extract","field":"cr:field",
"fileObject":"cr:fileObject","fileProperty":"cr:fileProperty","fileSet":"cr:fileSet","format":"cr:format","includes":"cr:includes",
"isArray":"cr:isArray","isLiveDataset":"cr:isLiveDataset","jsonPath":"cr:jsonPath","key":"cr:key","md5":"cr:md5",
"name":{"@container":"@language"},"parentField":"cr:parentField","path":"cr:path","rai":"http://mlcommons.org/croissant/RAI/",
"recordSet":"cr:recordSet","references":"cr:references","regex":"cr:regex","repeated":"cr:repeated","replace":"cr:replace",
"samplingRate":"cr:samplingRate","sc":"https://schema.org/","separator":"cr:separator","source":"cr:source","subField":"cr:subField",
"transform":"cr:transform"}`

type croissant struct {
	Context       json.RawMessage      `json:"@context"`
	Type          string               `json:"@type"`
	ConformsTo    string               `json:"conformsTo"`
	Name          string               `json:"name"`
	Description   string               `json:"description"`
	License       string               `json:"license,omitempty"`
	URL           string               `json:"url,omitempty"`
	Version       string               `json:"version"`
	DatePublished string               `json:"datePublished"`
	InLanguage    []string             `json:"inLanguage,omitempty"`
	Distribution  []croissantFile      `json:"distribution"`
	RecordSets    []croissantRecordSet `json:"recordSet"`
}

type croissantFile struct {
	Type           string `json:"@type"`
	ID             string `json:"@id"`
	Name           string `json:"name"`
	ContentURL     string `json:"contentUrl"`
	EncodingFormat string `json:"encodingFormat"`
	SHA256         string `json:"sha256"`
}

type croissantRecordSet struct {
	Type        string           `json:"@type"`
	ID          string           `json:"@id"`
	Name        string           `json:"name"`
	Description string           `json:"description"`
	Fields      []croissantField `json:"field"`
}

type croissantField struct {
	Type        string          `json:"@type"`
	ID          string          `json:"@id"`
	Name        string          `json:"name"`
	Description string          `json:"description"`
	DataType    string          `json:"dataType"`
	Source      croissantSource `json:"source"`
}

type croissantSource struct {
	FileObject struct {
		ID string `json:"@id"`
	} `json:"fileObject"`
	Extract struct {
		Column string `json:"column"`
	} `json:"extract"`
}

var croissantFormats = map[Format]string{CSV: "text/csv", JSONL: "application/jsonlines",
	Parquet: "application/x-parquet"}

var croissantTypes = map[string]string{
	typeText: "sc:Text", typeInteger: "sc:Integer", typeNumber: "sc:Float", typeBoolean: "sc:Boolean",
	typeDate:      "sc:Date",
	typeTimestamp: "sc:DateTime", typeJSON: "sc:Text", typeJSONText: "sc:Text",
}

// writeCroissant writes the tables of m as Croissant 1.1 metadata.
func writeCroissant(w io.Writer, c Card, m Manifest) error {
	d := croissant{Context: json.RawMessage(croissantContext), Type: "sc:Dataset",
		ConformsTo: "http://mlcommons.org/croissant/1.1",
		Name:       c.Project, Description: orDefault(c.Description, c.Title), License: licenseURL(c.License),
		Version:       "1.0.0",
		DatePublished: m.Snapshot.ChangedAt.UTC().Format("2006-01-02"), InLanguage: c.Language}
	for _, f := range m.Files {
		d.Distribution = append(d.Distribution, croissantFile{"cr:FileObject", f.Name, f.Name, f.Name,
			croissantFormats[f.Format], f.SHA256})
		d.RecordSets = append(d.RecordSets, f.croissantRecordSet())
	}
	for _, document := range m.Documents {
		if document.Name == "codebook.csv" {
			d.Distribution = append(d.Distribution, croissantFile{"cr:FileObject", document.Name, document.Name,
				document.Name, "text/csv", document.SHA256})
		}
	}
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(d)
}

func (f ManifestFile) croissantRecordSet() croissantRecordSet {
	name := f.tableName()
	set := croissantRecordSet{Type: "cr:RecordSet", ID: name, Name: name, Description: f.description}
	for _, c := range f.Columns {
		field := croissantField{Type: "cr:Field", ID: name + "/" + c.Name, Name: c.Name, Description: c.Description,
			DataType: croissantTypes[c.Type]}
		field.Source.FileObject.ID, field.Source.Extract.Column = f.Name, c.Name
		set.Fields = append(set.Fields, field)
	}
	return set
}

// licenseURL returns the address of a license by its id.
func licenseURL(id string) string {
	if id == "" {
		return ""
	}
	return "https://choosealicense.com/licenses/" + id + "/"
}
