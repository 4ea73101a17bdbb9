package web

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/web/page"
)

// sourceLimit is what a form with a definition may take: 256 KB of it, each
// byte written as three at worst, and the form around.
const sourceLimit = 1 << 20

func (s *Server) protocols(w http.ResponseWriter, r *http.Request) error {
	published, err := s.db.Protocols(r.Context())
	if err != nil {
		return err
	}
	d := page.ProtocolsData{Visitor: visitor(r)}
	for _, p := range published {
		d.Protocols = append(d.Protocols, page.ProtocolLine{Protocol: p.Protocol, Published: p.PublishedAt, Projects: p.Projects})
	}
	return show(w, r, http.StatusOK, page.Protocols(d))
}

func (s *Server) protocol(w http.ResponseWriter, r *http.Request) error {
	version, err := strconv.Atoi(param(r, "version"))
	if err != nil || version < 1 || version > 9999 {
		return fault.NotFound
	}
	p, err := s.db.Protocol(r.Context(), param(r, "key"), version)
	if err != nil {
		return err
	}
	d := page.ProtocolPageData{Visitor: visitor(r), Protocol: p.Protocol}
	if asked(r, "after") == "publish" {
		d.Notice = "Published. Projects can use it now."
	}
	return show(w, r, http.StatusOK, page.ProtocolPage(d))
}

// newProtocol asks for a definition, beginning with the one last looked at; or
// shows the form which that one makes.
func (s *Server) newProtocol(w http.ResponseWriter, r *http.Request) (err error) {
	d := page.NewProtocolData{Visitor: visitor(r), Source: s.sessions.GetString(r.Context(), sessionProtocol)}
	if asked(r, "look") != "" && d.Source != "" {
		if d, err = s.definition(r, d.Source); err != nil {
			return err
		}
	}
	return show(w, r, http.StatusOK, page.NewProtocol(d))
}

// publishProtocol leads to the form that a definition makes, and publishes it
// at the second press. In between it waits in the session.
func (s *Server) publishProtocol(w http.ResponseWriter, r *http.Request) error {
	act, source, err := readSource(r)
	if err != nil {
		return err
	}
	d, err := s.definition(r, source)
	switch {
	case err != nil:
		return err
	case len(d.Faults) > 0:
		return show(w, r, http.StatusUnprocessableEntity, page.NewProtocol(d))
	case act == "publish":
		return s.publish(w, r, d)
	}
	s.sessions.Put(r.Context(), sessionProtocol, source)
	return seeOther(w, r, "/protocols/new?look=1")
}

// definition reads one: its faults, or what publishing it would mean.
func (s *Server) definition(r *http.Request, source string) (page.NewProtocolData, error) {
	d := page.NewProtocolData{Visitor: visitor(r), Source: source}
	read, err := protocol.Read("definition", []byte(source))
	if faults, ok := errors.AsType[protocol.Faults](err); ok {
		d.Faults = faults
		return d, nil
	}
	if err != nil {
		return d, err
	}
	d.Protocol = read
	d.Becomes, err = s.becomes(r, read)
	return d, err
}

func (s *Server) publish(w http.ResponseWriter, r *http.Request, d page.NewProtocolData) error {
	err := s.db.Publish(r.Context(), who(r).ID, d.Protocol)
	if status := refusal(err); status != 0 {
		d.Wrong = wrongOf(err, "")
		return show(w, r, status, page.NewProtocol(d))
	}
	if err != nil {
		return err
	}
	s.sessions.Remove(r.Context(), sessionProtocol)
	return seeOther(w, r, page.ProtocolPath(d.Protocol)+"?after=publish")
}

// readSource returns what to do with a definition and the definition: of a
// file, if one was picked, else of the box. Its lines end as in a file.
func readSource(r *http.Request) (act, source string, err error) {
	if err := r.ParseForm(); err != nil {
		return "", "", malformed(err)
	}
	err = r.ParseMultipartForm(sourceLimit)
	if r.MultipartForm != nil {
		defer func() { err = errors.Join(err, r.MultipartForm.RemoveAll()) }()
	}
	if err != nil && !errors.Is(err, http.ErrNotMultipart) {
		return "", "", malformed(err)
	}
	source, err = pickedSource(r)
	return r.PostFormValue("act"), strings.ReplaceAll(source, "\r\n", "\n"), err
}

func pickedSource(r *http.Request) (string, error) {
	file, header, err := r.FormFile("file")
	if err != nil || header.Size == 0 {
		return inBox(r.PostForm), nil
	}
	defer file.Close()
	source, err := io.ReadAll(file)
	return string(source), err
}

// inBox returns what was typed.
func inBox(fields url.Values) string { return fields.Get("source") }

// becomes says what publishing p would mean.
func (s *Server) becomes(r *http.Request, p protocol.Protocol) (string, error) {
	published, err := s.db.Protocol(r.Context(), p.Key, p.Version)
	switch {
	case errors.Is(err, fault.NotFound):
		return fmt.Sprintf("Nothing is published yet. It becomes version %d of “%s”, which then never changes: what asks differently later is version %d.",
			p.Version, p.Key, p.Version+1), nil
	case err != nil:
		return "", err
	case published.Source == p.Source:
		return "This very text is published already. Publishing it again changes nothing.", nil
	}
	return fmt.Sprintf("Nothing is published yet. It becomes a new wording of %s version %d: the same questions, scales and rules. Projects that use it show the new wording at once.",
		p.Key, p.Version), nil
}
