package project

import "strings"

// A FormProblem is what is wrong with one field of a form.
type FormProblem struct {
	Field string // its name, as forms and commands have it
	Err   error  // a fault with a sentence
}

// FormProblems is everything that is wrong with a form, in the order of its fields.
type FormProblems []FormProblem

// Error returns the sentences, one a line.
func (ps FormProblems) Error() string {
	var messages []string
	for _, p := range ps {
		messages = append(messages, p.Err.Error())
	}
	return strings.Join(messages, "\n")
}

// Unwrap returns the faults, so that whoever shows one sentence shows the first.
func (ps FormProblems) Unwrap() (errs []error) {
	for _, p := range ps {
		errs = append(errs, p.Err)
	}
	return errs
}

// add notes err at field, if there is one.
func (ps *FormProblems) add(field string, err error) {
	if err != nil {
		*ps = append(*ps, FormProblem{field, err})
	}
}

// err returns ps as an error, or nil where there are none.
func (ps FormProblems) err() error {
	if len(ps) == 0 {
		return nil
	}
	return ps
}
