package web

import (
	"context"
	"time"

	"github.com/alexedwards/scs/v2"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/postgres"
)

// A sessionStore stores the sessions of scs, which passes hashed tokens. It finds a session
// together with its account, and leaves the account in the foundSession of the request.
type sessionStore struct{ db *postgres.DB }

// A foundSession is who is signed in to the session of a request.
type foundSession struct {
	signInID account.SignInID // 0: not signed in
	account  *account.Account // nil: the sign-in has ended
	settings account.Settings
}

type foundSessionKey struct{}

// FindCtx returns the data of a session that has not expired.
func (s sessionStore) FindCtx(ctx context.Context, tokenHash string) ([]byte, bool, error) {
	session, err := s.db.FindSession(ctx, tokenHash)
	if fault.KindOf(err) == fault.NotFound {
		return nil, false, nil
	}
	if found, ok := ctx.Value(foundSessionKey{}).(*foundSession); ok {
		*found = foundSession{session.SignInID, session.Account, session.Settings}
	}
	return session.Data, err == nil, err
}

// CommitCtx stores a session until expiresAt.
func (s sessionStore) CommitCtx(ctx context.Context, tokenHash string, data []byte, expiresAt time.Time) error {
	_, values, err := scs.GobCodec{}.Decode(data)
	if err != nil {
		return err
	}
	signInID, _ := values[sessionSignIn].(int64)
	return s.db.SaveSession(ctx, tokenHash, data, account.SignInID(signInID), expiresAt)
}

// DeleteCtx deletes a session.
func (s sessionStore) DeleteCtx(ctx context.Context, tokenHash string) error {
	return s.db.DeleteSession(ctx, tokenHash)
}

// Find, Commit and Delete make a sessionStore an scs.Store; scs calls the methods with a
// context.

func (s sessionStore) Find(tokenHash string) ([]byte, bool, error) {
	return s.FindCtx(context.Background(), tokenHash)
}

func (s sessionStore) Commit(tokenHash string, data []byte, expiresAt time.Time) error {
	return s.CommitCtx(context.Background(), tokenHash, data, expiresAt)
}

func (s sessionStore) Delete(tokenHash string) error {
	return s.DeleteCtx(context.Background(), tokenHash)
}
