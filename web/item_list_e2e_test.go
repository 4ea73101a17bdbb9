package web

import (
	"testing"

	"github.com/labelwright/labelwright/internal/account"
)

func TestItems_Typing_SearchesInPlace(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	lead := env.newUser("lead@example.org", account.Lead)
	env.newProject(lead, "p", 30)
	h := projectFixture{testEnv: env, accounts: map[string]account.Account{"lead": lead}}
	b := h.openTabAs(t, "lead")
	b.Visit("/projects/p/items")
	b.WaitFor(`document.querySelector('.list-actions').hidden`, true)
	b.WaitFor(`document.getElementById('search').focus() === undefined`, true)
	b.InsertText("p-17")
	b.WaitFor(`document.querySelectorAll('.item-title').length + ' ' + location.search`, "1 ?search=p-17")
	b.WaitFor(`document.activeElement.id`, "search")
	b.WaitFor(`document.getElementById('select-all').click() === undefined`, true)
	b.WaitFor(`document.querySelector('.list-actions').hidden + ' ' + document.getElementById('selected-count').textContent`, "false 1 selected")
	checkAccessibility(b, "item-list")
}
