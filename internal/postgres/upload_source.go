package postgres

import (
	"context"
	"errors"
	"io"
	"sync"

	"github.com/labelwright/labelwright/internal/fault"
)

// An uploadSource reads the content of an upload: an importer.Source.
type uploadSource struct {
	ctx    context.Context
	q      querier
	lock   sync.Locker // held while q is used; nil: q is a pool
	upload upload
	offset int64          // of Read
	chunks map[int][]byte // the last ones that were read
	err    error          // of the database
	turn   *readingTurn   // may be nil
	onRead func(n int)    // called with the size of each chunk; may be nil
}

// maxHeldChunks is how many chunks are in memory, because columns of Parquet are read in turn.
const maxHeldChunks = 16

var errChunkUnreadable = errors.New("the stored file cannot be read")

// Size returns the size of the upload.
func (s *uploadSource) Size() int64 { return s.upload.SizeBytes }

// Read reads from where the last one ended.
func (s *uploadSource) Read(buffer []byte) (int, error) {
	chunkNo := int(s.offset / chunkSize)
	if chunkNo >= s.upload.ChunkCount {
		return 0, io.EOF
	}
	chunk, err := s.chunk(chunkNo)
	if err != nil {
		return 0, err
	}
	if start := int(s.offset % chunkSize); start < len(chunk) {
		n := copy(buffer, chunk[start:])
		s.offset += int64(n)
		return n, nil
	}
	return 0, io.EOF
}

// ReadAt reads at any place.
func (s *uploadSource) ReadAt(buffer []byte, offset int64) (int, error) {
	at := &uploadSource{ctx: s.ctx, q: s.q, lock: s.lock, upload: s.upload, offset: offset, chunks: s.chunks,
		turn: s.turn, onRead: s.onRead}
	n, err := io.ReadFull(at, buffer)
	if s.err = errors.Join(s.err, at.err); errors.Is(err, io.ErrUnexpectedEOF) {
		err = io.EOF
	}
	return n, err
}

// chunk returns a chunk. An error of the database is kept in s.err, because it may wrap io.EOF,
// which would look like the end of the file.
func (s *uploadSource) chunk(chunkNo int) (chunk []byte, err error) {
	if chunk, isHeld := s.chunks[chunkNo]; isHeld {
		return chunk, nil
	}
	if s.err = s.turn.pause(s.ctx); s.err != nil {
		return nil, errChunkUnreadable
	}
	if s.lock != nil {
		s.lock.Lock()
		defer s.lock.Unlock()
	}
	chunk, s.err = collectValue[[]byte](s.q.Query(s.ctx, `SELECT content FROM upload_chunks WHERE token = $1
		AND chunk_no = $2`, s.upload.Token, chunkNo))
	if errors.Is(s.err, fault.NotFound) { // replaced since
		s.err = errUploadGone
	}
	if s.err != nil {
		return nil, errChunkUnreadable
	}
	for held := range s.chunks {
		if len(s.chunks) < maxHeldChunks {
			break
		}
		delete(s.chunks, held)
	}
	if s.chunks[chunkNo] = chunk; s.onRead != nil {
		s.onRead(len(chunk))
	}
	return chunk, nil
}
