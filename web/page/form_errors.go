package page

import "github.com/labelwright/labelwright/web/ui"

// FormErrors are the errors of a submitted form, each with its field.
type FormErrors []ui.FieldError

// ForField returns the messages about one field.
func (e FormErrors) ForField(field string) (messages []string) {
	for _, fieldError := range e {
		if fieldError.FieldID == field {
			messages = append(messages, fieldError.Message)
		}
	}
	return messages
}
