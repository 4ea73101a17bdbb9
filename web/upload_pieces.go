package web

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
)

// startUpload answers the script that sends a large file in pieces: the token of the upload, and
// how many bytes are received already. The body has the first bytes of the file.
func (s *Server) startUpload(w http.ResponseWriter, r *http.Request, p project.Project) error {
	start, err := io.ReadAll(bodyReader{r.Body})
	if err != nil {
		return err
	}
	size, err := strconv.ParseInt(queryParam(r, "size"), 10, 64)
	if err != nil {
		return fault.Invalid.Errorf("The size of the file is not a number.")
	}
	file := postgres.UploadFile{Name: cleanFileName(queryParam(r, "name")), Size: size,
		Start: sha256.Sum256(append(start, queryParam(r, "modified")...))}
	token, received, err := s.db.StartUpload(r.Context(), currentAccount(r).ID, p, file)
	if err != nil {
		return err
	}
	return writeJSON(w, map[string]any{"token": token, "received": received, "piece": postgres.UploadPieceSize})
}

// appendUpload stores the next piece of a file, which is the body. It says how many bytes are
// received, also if the piece does not follow them.
func (s *Server) appendUpload(w http.ResponseWriter, r *http.Request, p project.Project) error {
	release, err := s.uploads.acquire(r.Context(), currentAccount(r).ID)
	if err != nil {
		discardBody(r)
		return err
	}
	defer release()
	offset, err := strconv.ParseInt(queryParam(r, "offset"), 10, 64)
	if err != nil {
		return fault.Invalid.Errorf("The offset of the piece is not a number.")
	}
	piece, err := io.ReadAll(bodyReader{r.Body})
	if err != nil {
		return err
	}
	received, err := s.db.AppendUpload(r.Context(), currentAccount(r).ID, p, pathParam(r, "token"), offset, piece)
	if err != nil && !errors.Is(err, postgres.ErrWrongOffset) {
		return err
	}
	return writeJSON(w, map[string]any{"received": received})
}

func writeJSON(w http.ResponseWriter, body any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	_, _ = w.Write(text) // the client may be gone
	return nil
}
