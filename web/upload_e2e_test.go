package web

import (
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/web/browsertest"
)

// A browser sends a large file in pieces, and continues after the ones that are received.
func TestUpload_LargeFile_ContinuesInBrowser(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	lead := env.newUser("lead@example.org", account.Lead)
	env.newProject(lead, "p", 0)
	content := "query,answer\n" + strings.Repeat("Q?,"+strings.Repeat("a", 1000)+"\n", 4500)
	other := env.signInAs(lead)
	start := other.postPiece(startPath("big.csv", content), content[:64<<10])
	other.postPiece("/projects/p/uploads/"+start.Token+"?offset=0", content[:postgres.UploadPieceSize])
	h := projectFixture{testEnv: env, accounts: map[string]account.Account{"lead": lead}}
	b := h.openTabAs(t, "lead")
	b.Visit("/projects/p/import")
	browsertest.Eval[bool](b, `(() => {
		const content = 'query,answer\n' + ('Q?,' + 'a'.repeat(1000) + '\n').repeat(4500)
		const transfer = new DataTransfer()
		transfer.items.add(new File([content], 'big.csv', { lastModified: 5 }))
		document.getElementById('file').files = transfer.files
		return true
	})()`)
	b.Click(`#import-form button`)
	b.WaitFor(`document.querySelector('h1').textContent`, "4,500 items in big.csv")
	if path := browsertest.Eval[string](b, `location.pathname`); !strings.HasSuffix(path, start.Token) {
		t.Errorf("the upload did not continue: %s", path)
	}
}
