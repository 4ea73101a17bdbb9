package web

import (
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/web/page"
)

func (s *Server) showProtocols(w http.ResponseWriter, r *http.Request) error {
	published, err := s.db.Protocols(r.Context())
	if err != nil {
		return err
	}
	d := page.ProtocolsData{User: currentUser(r)}
	for _, p := range published {
		d.Protocols = append(d.Protocols, page.ProtocolRow{Protocol: p.Protocol.In(currentLocale(r).Tag()),
			PublishedAt: p.PublishedAt, ProjectCount: p.ProjectCount})
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
	d := page.ProtocolPageData{User: currentUser(r), Protocol: p.Protocol.In(currentLocale(r).Tag())}
	if queryParam(r, "after") == "publish" {
		d.Notice = currentLocale(r).T("Protocol published. New projects use it. Open batches use a new revision after a lead accepts it.")
	}
	return render(w, r, http.StatusOK, page.ProtocolPage(d))
}

// showNewProtocol shows the form for a definition, as last previewed, or with its
// preview.
func (s *Server) showNewProtocol(w http.ResponseWriter, r *http.Request) (err error) {
	d := page.NewProtocolData{User: currentUser(r), Source: s.sessions.GetString(r.Context(), sessionProtocolSource)}
	if queryParam(r, "preview") != "" && d.Source != "" {
		if d, err = s.previewProtocol(r, d.Source); err != nil {
			return err
		}
	}
	return render(w, r, http.StatusOK, page.NewProtocol(d))
}

// previewOrPublishProtocol publishes a definition, or stores it in the session and
// goes to its preview.
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

// previewProtocol reads a definition and returns its errors, or the outcome of
// publishing it.
func (s *Server) previewProtocol(r *http.Request, source string) (page.NewProtocolData, error) {
	d := page.NewProtocolData{User: currentUser(r), Source: source}
	parsed, err := protocol.ReadDraft("definition", []byte(source))
	if sourceErrors, ok := errors.AsType[protocol.DefinitionErrors](err); ok {
		d.SourceErrors = sourceErrors
		return d, nil
	}
	if err != nil {
		return d, err
	}
	d.Protocol = parsed
	return d, s.describePublication(r, &d)
}

func (s *Server) publishAndRedirect(w http.ResponseWriter, r *http.Request, d page.NewProtocolData) error {
	err := s.db.Publish(r.Context(), currentAccount(r).ID, d.Protocol)
	if status := formErrorStatus(err); status != 0 {
		d.Errors = toFormErrors(currentLocale(r), err, "")
		return render(w, r, status, page.NewProtocol(d))
	}
	if err != nil {
		return err
	}
	s.sessions.Remove(r.Context(), sessionProtocolSource)
	return redirect(w, r, page.ProtocolPath(d.Protocol)+"?after=publish")
}

// readSourceForm returns the action of the form and the definition, from the
// uploaded file or else the text field. Line ends become those of a file.
func readSourceForm(r *http.Request) (action, source string, err error) {
	var file []byte
	fields, err := readFileForm(r, sourceLimit, func(_ string, content io.Reader) (err error) {
		file, err = io.ReadAll(content)
		return err
	})
	source = string(file)
	if source == "" {
		source = fields.Get("source")
	}
	return fields.Get("action"), strings.ReplaceAll(source, "\r\n", "\n"), err
}

// describePublication sets the outcome of publishing the definition of d, or the
// reason why it cannot be published.
func (s *Server) describePublication(r *http.Request, d *page.NewProtocolData) error {
	plan, err := s.db.PreviewPublication(r.Context(), currentAccount(r).ID, d.Protocol)
	switch p := d.Protocol; {
	case formErrorStatus(err) != 0:
		d.Errors = toFormErrors(currentLocale(r), err, "")
	case err != nil:
		return err
	case plan.AlreadyPublished:
		d.Outcome = currentLocale(r).T("This definition is already published. Publishing it again changes nothing.")
	case plan.IsNewVersion:
		d.Outcome = currentLocale(r).T("Not published yet. Publishing creates version %d of “%s”, which cannot change. Later changes to the questions need version %d.", p.Version, p.Key, p.Version+1)
	default:
		d.Changes = plan.Changes
		d.Outcome = currentLocale(r).T("Not published yet. Publishing creates revision %d of %s version %d with the texts below. Scales and rules stay the same. An open batch uses it after a lead of its project accepts it.",
			p.Revision, p.Key, p.Version)
	}
	return nil
}
