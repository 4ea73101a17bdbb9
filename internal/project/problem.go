package project

import "strings"

// A Problem is what is wrong with one field of a form.
type Problem struct {
	Field string // its name, as forms and commands have it
	Err   error  // a fault with a sentence
}

// Problems is everything that is wrong with a form, in the order of its fields.
type Problems []Problem

// Error returns the sentences, one a line.
func (ps Problems) Error() string {
	var says []string
	for _, p := range ps {
		says = append(says, p.Err.Error())
	}
	return strings.Join(says, "\n")
}

// Unwrap returns the faults, so that whoever shows one sentence shows the first.
func (ps Problems) Unwrap() (faults []error) {
	for _, p := range ps {
		faults = append(faults, p.Err)
	}
	return faults
}

// add notes err at field, if there is one.
func (ps *Problems) add(field string, err error) {
	if err != nil {
		*ps = append(*ps, Problem{field, err})
	}
}

// err returns ps as an error, or nil where there are none.
func (ps Problems) err() error {
	if len(ps) == 0 {
		return nil
	}
	return ps
}
