package importer

import (
	"strings"

	"github.com/labelwright/labelwright/internal/fault"
)

// A Reading says how a file is read, as it is written in a form or a command.
type Reading struct {
	Preset   string `json:"preset,omitempty"`   // the program that wrote the file
	Mapping  string `json:"mapping,omitempty"`  // as ParseMappings reads it
	Take     string `json:"take,omitempty"`     // as ParseTake reads it
	Encoding string `json:"encoding,omitempty"` // of the text, such as windows-1252
	Records  string `json:"records,omitempty"`  // path of the list of records in a document
	GroupBy  string `json:"group_by,omitempty"` // path of what the messages of one conversation share
	Order    string `json:"order,omitempty"`    // path of their order

	SkipInvalid bool `json:"skip_invalid,omitempty"` // rows with errors are left out
}

// Options returns r as options to read a file.
func (r Reading) Options() (o Options, err error) {
	if o.Map, err = ParseMappings(r.Mapping); err != nil {
		return o, err
	}
	if name := strings.TrimSpace(r.Preset); name != "" {
		if o.Preset, err = ParsePreset(name); err != nil {
			return o, err
		}
	}
	if o.Take, err = ParseTake(strings.TrimSpace(r.Take)); err != nil {
		return o, err
	}
	if o.Encoding, err = parseEncoding(strings.TrimSpace(r.Encoding)); err != nil {
		return o, err
	}
	o.Records, o.GroupBy, o.Order = strings.TrimSpace(r.Records), strings.TrimSpace(r.GroupBy),
		strings.TrimSpace(r.Order)
	o.SkipInvalid = r.SkipInvalid
	switch {
	case o.Order != "" && o.GroupBy == "":
		return o, fault.Invalid.Errorf(
			"An order is for messages that are grouped. Name the column by which they are grouped too.")
	case o.Preset != "" && (o.Records != "" || o.GroupBy != ""):
		return o, fault.Invalid.Errorf(
			"A preset finds the records of its program itself. Leave out the preset, or the path of the records and the grouping.")
	}
	return o, nil
}

// Reading returns how o is written.
func (o Options) Reading() Reading {
	return Reading{
		Preset: string(o.Preset), Mapping: o.mappingText(), Take: string(o.Take), Encoding: encodingName(o.Encoding),
		Records: o.Records, GroupBy: o.GroupBy, Order: o.Order, SkipInvalid: o.SkipInvalid,
	}
}
