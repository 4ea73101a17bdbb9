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
		text   string
	}{
		"decimal":      {setHelpful("1.0"), 422, "problem-helpful", "Choose one of the listed answers."},
		"letter":       {setHelpful("x"), 422, "problem-helpful", "Choose one of the listed answers."},
		"exponent":     {setHelpful("1e0"), 422, "problem-helpful", "Choose one of the listed answers."},
		"plus sign":    {setHelpful("%2b1"), 422, "problem-helpful", "Choose one of the listed answers."},
		"leading zero": {setHelpful("01"), 422, "problem-helpful", "Choose one of the listed answers."},
		"space":        {setHelpful("+1"), 422, "problem-helpful", "Choose one of the listed answers."},
		"empty value":  {setHelpful(""), 422, "problem-helpful", "Choose one of the listed answers."},
		"digit of another script": {setHelpful("%D9%A1"), 422, "problem-helpful",
			"Choose one of the listed answers."},
		"below the scale": {setHelpful("-1"), 422, "problem-helpful", "Choose one of the listed answers."},
		"above the scale": {setHelpful("2"), 422, "problem-helpful", "Choose one of the listed answers."},
		"overflow": {setHelpful("99999999999999999999"), 422, "problem-helpful",
			"Choose one of the listed answers."},
		"two values": {ok + "helpful=1", 422, "problem-helpful", "Choose one answer."},
		"missing value": {strings.Replace(ok, "helpful=0&", "", 1), 422, "problem-helpful",
			"Choose an answer."},
		"unknown field": {ok + "kindness=1", 422, "problem-general",
			"“kindness” is not part of this form."},
		"unknown observation": {ok + "observation=odd", 422, "problem-general",
			"“odd” is not part of this form."},
		"unsure without a scale": {ok + "unsure=helpful", 422, "problem-helpful", "is not part of this form"},
		"long note":              {ok + "note=" + strings.Repeat("x", 4001), 422, "problem-note", ""},
		"null character": {strings.Replace(ok, "note=", "note=a%00b", 1), 422, "",
			"characters that cannot be stored"},
		"invalid UTF-8 in the note": {strings.Replace(ok, "note=", "note=a%ff", 1), 422, "",
			"characters that cannot be stored"},
		"invalid UTF-8 in a key": {ok + "%ff=1", 422, "", "characters that cannot be stored"},
		"invalid encoding":       {ok + "x=%zz", 422, "", "The form could not be read."},
		"empty form":             {"", 422, "problem-helpful", "Choose an answer."},
		"body too large":         {ok + "y=" + strings.Repeat("x", formLimit), 413, "", ""},
		"3,000 values": {ok + strings.Repeat("observation=a&", 3000), 422, "problem-general",
			"“a” is not part of this form."},
	} {
		t.Run(name, func(t *testing.T) {
			s := s
			s.T = t
			a := s.send(http.MethodPost, path, "application/x-www-form-urlencoded",
				strings.NewReader(c.body)).checkStatus(c.status)
			place := a.Element
			if c.at != "" {
				place = a.FindFirst("#" + c.at)
			}
			if got := place.Text(); got == "" || !strings.Contains(got, c.text) {
				t.Errorf("the page shows %q, want %q", got, c.text)
			}
			if s.countAnnotations() != 0 {
				t.Error("the form was stored")
			}
		})
	}
	for name, c := range map[string]struct{ contentType, body string }{
		"JSON": {"application/json", `{"helpful":1}`},
		"multipart form": {"multipart/form-data; boundary=x",
			"--x\r\nContent-Disposition: form-data; name=\"helpful\"\r\n\r\n1\r\n--x--\r\n"},
		"invalid content type": {"no kind", "helpful=1"},
	} {
		if a := s.send(http.MethodPost, path, c.contentType,
			strings.NewReader(c.body)); a.status != http.StatusUnsupportedMediaType || s.countAnnotations() != 0 {
			t.Errorf("%s: %d", name, a.status)
		}
	}
	s.post(path, newCompleteForm()).checkRedirect("/work")
	if s.countAnnotations() != 1 {
		t.Error("a valid form is not stored")
	}
}
