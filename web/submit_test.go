package web

import (
	"net/http"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/project"
)

func TestSubmit_BadForm_StoresNothing(t *testing.T) {
	t.Parallel()
	s := newWorkFixture(t, 1, project.BatchSpec{})
	path := s.openItem()
	const ok = "proper_action=1&response_on_topic=1&helpful=0&incomplete=0&unsafe_content=0&note=&"
	setHelpful := func(helpful string) string { return strings.Replace(ok, "helpful=0", "helpful="+helpful, 1) }
	for name, c := range map[string]struct {
		body   string
		status int
		at     string // the id of the problem at its field; "": an error page
		says   string
	}{
		"a decimal":                      {setHelpful("1.0"), 422, "problem-helpful", "Choose one of the listed answers."},
		"a letter":                       {setHelpful("x"), 422, "problem-helpful", "Choose one of the listed answers."},
		"an exponent":                    {setHelpful("1e0"), 422, "problem-helpful", "Choose one of the listed answers."},
		"a plus sign":                    {setHelpful("%2b1"), 422, "problem-helpful", "Choose one of the listed answers."},
		"a leading zero":                 {setHelpful("01"), 422, "problem-helpful", "Choose one of the listed answers."},
		"a blank":                        {setHelpful("+1"), 422, "problem-helpful", "Choose one of the listed answers."},
		"nothing":                        {setHelpful(""), 422, "problem-helpful", "Choose one of the listed answers."},
		"a digit of another script":      {setHelpful("%D9%A1"), 422, "problem-helpful", "Choose one of the listed answers."},
		"a value below the scale":        {setHelpful("-1"), 422, "problem-helpful", "Choose one of the listed answers."},
		"a value above the scale":        {setHelpful("2"), 422, "problem-helpful", "Choose one of the listed answers."},
		"a value that overflows":         {setHelpful("99999999999999999999"), 422, "problem-helpful", "Choose one of the listed answers."},
		"two values":                     {ok + "helpful=1", 422, "problem-helpful", "This question came with two answers."},
		"no value":                       {strings.Replace(ok, "helpful=0&", "", 1), 422, "problem-helpful", "Choose an answer."},
		"a field that is none":           {ok + "kindness=1", 422, "problem-apart", "“kindness” is not part of this form."},
		"an observation that is none":    {ok + "observation=odd", 422, "problem-apart", "“odd” is not part of this form."},
		"a doubt where there is none":    {ok + "unsure=helpful", 422, "problem-helpful", "is not part of this form"},
		"a note that is too long":        {ok + "note=" + strings.Repeat("x", 4001), 422, "problem-note", ""},
		"a note with a null character":   {strings.Replace(ok, "note=", "note=a%00b", 1), 422, "", "characters that cannot be stored"},
		"a note that is no text":         {strings.Replace(ok, "note=", "note=a%ff", 1), 422, "", "characters that cannot be stored"},
		"a key that is no text":          {ok + "%ff=1", 422, "", "characters that cannot be stored"},
		"a form that cannot be read":     {ok + "x=%zz", 422, "", "The form could not be read."},
		"nothing at all":                 {"", 422, "problem-helpful", "Choose an answer."},
		"a body that is too large":       {ok + "y=" + strings.Repeat("x", formLimit), 413, "", ""},
		"more values than anybody sends": {ok + strings.Repeat("observation=a&", 3000), 422, "problem-apart", "“a” is not part of this form."},
	} {
		t.Run(name, func(t *testing.T) {
			s := s
			s.T = t
			a := s.send(http.MethodPost, path, "application/x-www-form-urlencoded", strings.NewReader(c.body)).checkStatus(c.status)
			place := a.Element
			if c.at != "" {
				place = a.FindFirst("#" + c.at)
			}
			if got := place.Text(); got == "" || !strings.Contains(got, c.says) {
				t.Errorf("the page shows %q, want %q", got, c.says)
			}
			if s.countAnnotations() != 0 {
				t.Error("the form was stored")
			}
		})
	}
	for name, c := range map[string]struct{ kind, body string }{
		"JSON":                       {"application/json", `{"helpful":1}`},
		"a form in parts":            {"multipart/form-data; boundary=x", "--x\r\nContent-Disposition: form-data; name=\"helpful\"\r\n\r\n1\r\n--x--\r\n"},
		"a kind that does not exist": {"no kind", "helpful=1"},
	} {
		if a := s.send(http.MethodPost, path, c.kind, strings.NewReader(c.body)); a.status != http.StatusUnprocessableEntity || s.countAnnotations() != 0 {
			t.Errorf("%s: %d", name, a.status)
		}
	}
	s.post(path, newCompleteForm()).checkRedirect("/work")
	if s.countAnnotations() != 1 {
		t.Error("a valid form is not stored")
	}
}
