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

func (s *Server) showProtocols(w http.ResponseWriter, r *http.Request) error {
	published, err := s.db.Protocols(r.Context())
	if err != nil {
		return err
	}
	d := page.ProtocolsData{User: currentUser(r)}
	for _, p := range published {
		d.Protocols = append(d.Protocols, page.ProtocolRow{Protocol: p.Protocol, PublishedAt: p.PublishedAt, ProjectCount: p.ProjectCount})
	}
	return render(w, r, http.StatusOK, page.Protocols(d))
}

func (s *Server) showProtocol(w http.ResponseWriter, r *http.Request) error {
	version, err := strconv.Atoi(pathParam(r, "version"))
	if err != nil || version < 1 || version > 9999 {
		return fault.NotFound
	}
	p, err := s.db.Protocol(r.Context(), pathParam(r, "key"), version)
	if err != nil {
		return err
	}
	d := page.ProtocolPageData{User: currentUser(r), Protocol: p.Protocol}
	if queryParam(r, "after") == "publish" {
		d.Notice = "Published. Projects can use it now."
	}
	return render(w, r, http.StatusOK, page.ProtocolPage(d))
}

// showNewProtocol asks for a definition, beginning with the one last looked at; or
// shows the form which that one makes.
func (s *Server) showNewProtocol(w http.ResponseWriter, r *http.Request) (err error) {
	d := page.NewProtocolData{User: currentUser(r), Source: s.sessions.GetString(r.Context(), sessionProtocolSource)}
	if queryParam(r, "preview") != "" && d.Source != "" {
		if d, err = s.previewProtocol(r, d.Source); err != nil {
			return err
		}
	}
	return render(w, r, http.StatusOK, page.NewProtocol(d))
}

// previewOrPublishProtocol leads to the form that a definition makes, and publishes it
// at the second press. In between it waits in the session.
func (s *Server) previewOrPublishProtocol(w http.ResponseWriter, r *http.Request) error {
	action, source, err := readSourceForm(r)
	if err != nil {
		return err
	}
	d, err := s.previewProtocol(r, source)
	switch {
	case err != nil:
		return err
	case len(d.SourceErrors) > 0:
		return render(w, r, http.StatusUnprocessableEntity, page.NewProtocol(d))
	case action == "publish":
		return s.publishAndRedirect(w, r, d)
	}
	s.sessions.Put(r.Context(), sessionProtocolSource, source)
	return redirect(w, r, "/protocols/new?preview=1")
}

// previewProtocol reads one: its faults, or what publishing it would mean.
func (s *Server) previewProtocol(r *http.Request, source string) (page.NewProtocolData, error) {
	d := page.NewProtocolData{User: currentUser(r), Source: source}
	parsed, err := protocol.Read("definition", []byte(source))
	if faults, ok := errors.AsType[protocol.DefinitionErrors](err); ok {
		d.SourceErrors = faults
		return d, nil
	}
	if err != nil {
		return d, err
	}
	d.Protocol = parsed
	d.Outcome, err = s.describePublication(r, parsed)
	return d, err
}

func (s *Server) publishAndRedirect(w http.ResponseWriter, r *http.Request, d page.NewProtocolData) error {
	err := s.db.Publish(r.Context(), currentAccount(r).ID, d.Protocol)
	if status := formErrorStatus(err); status != 0 {
		d.Errors = toFormErrors(err, "")
		return render(w, r, status, page.NewProtocol(d))
	}
	if err != nil {
		return err
	}
	s.sessions.Remove(r.Context(), sessionProtocolSource)
	return redirect(w, r, page.ProtocolPath(d.Protocol)+"?after=publish")
}

// readSourceForm returns what to do with a definition and the definition: of a
// file, if one was picked, else of the box. Its lines end as in a file.
func readSourceForm(r *http.Request) (action, source string, err error) {
	if err := r.ParseForm(); err != nil {
		return "", "", classifyFormError(err)
	}
	err = r.ParseMultipartForm(sourceLimit)
	if r.MultipartForm != nil {
		defer func() { err = errors.Join(err, r.MultipartForm.RemoveAll()) }()
	}
	if err != nil && !errors.Is(err, http.ErrNotMultipart) {
		return "", "", classifyFormError(err)
	}
	source, err = readSourceText(r)
	return r.PostFormValue("action"), strings.ReplaceAll(source, "\r\n", "\n"), err
}

func readSourceText(r *http.Request) (string, error) {
	file, header, err := r.FormFile("file")
	if err != nil || header.Size == 0 {
		return typedSource(r.PostForm), nil
	}
	defer file.Close()
	source, err := io.ReadAll(file)
	return string(source), err
}

// typedSource returns what was typed.
func typedSource(fields url.Values) string { return fields.Get("source") }

// describePublication says what publishing p would mean.
func (s *Server) describePublication(r *http.Request, p protocol.Protocol) (string, error) {
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
