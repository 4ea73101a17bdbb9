package project

import "strings"

// A FormProblem is an error in one field of a form or command.
type FormProblem struct {
	Field string // form field name
	Err   error  // a fault
}

// FormProblems are the errors of a form, in the order of its fields.
type FormProblems []FormProblem

// Error returns one message per line.
func (ps FormProblems) Error() string {
	var messages []string
	for _, p := range ps {
		messages = append(messages, p.Err.Error())
	}
	return strings.Join(messages, "\n")
}

// Unwrap returns the errors of all fields.
func (ps FormProblems) Unwrap() (errs []error) {
	for _, p := range ps {
		errs = append(errs, p.Err)
	}
	return errs
}

// add adds err at field, unless it is nil.
func (ps *FormProblems) add(field string, err error) {
	if err != nil {
		*ps = append(*ps, FormProblem{field, err})
	}
}

// readInto replaces text by what read returns, and adds its error at field.
func (ps *FormProblems) readInto(text *string, field string, read func(string) (string, error)) {
	var err error
	*text, err = read(*text)
	ps.add(field, err)
}

// err returns ps as an error, or nil if empty.
func (ps FormProblems) err() error {
	if len(ps) == 0 {
		return nil
	}
	return ps
}
