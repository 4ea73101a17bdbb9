package web

import (
	"cmp"
	"slices"
	"strings"
)

// object returns the part of a request that names an object.
func (f *accessFixture) object(ref, scope, identity string) string {
	if scope == "absent" {
		return absentObjects[ref]
	}
	switch token := f.tokens[identity]; {
	case ref == "/protocols/{key}/{version}" && scope == "own":
		return "/protocols/empathy/1"
	case ref == "/setup/{token}" && scope == "own":
		return "/setup/none"
	case ref == "/address/{token}" && scope == "own":
		return "/address/none"
	case ref == "/passkeys/{id}" && scope == "own":
		return "/passkeys/999999"
	case ref == "/sign-ins/{id}":
		owner := f.accounts[identity]
		if scope != "own" || owner.ID == 0 {
			owner = f.accounts["disabled"] // has signed in, in every fixture
		}
		return "/sign-ins/" + formatID(cmp.Or(query[int64](f.testEnv, `SELECT coalesce(max(id), 0)
			FROM identity.sign_ins WHERE account_id = $1`, owner.ID), 999999))
	case ref == "/tokens/{id}":
		owner := f.accounts[identity]
		if scope != "own" || !owner.Role.CanLead() {
			owner = f.accounts["other lead"]
		}
		if scope != "own" && identity == "other lead" {
			owner = f.accounts["lead"]
		}
		return "/tokens/" + formatID(query[int64](f.testEnv, `SELECT max(id) FROM identity.api_tokens
			WHERE account_id = $1`, owner.ID))
	case ref == "/work/{token}" && token != "" && (scope == "own") != (identity == "other annot."):
		return "/work/" + token
	}
	return f.objects[map[string]string{"own": "mine", "foreign": "theirs"}[scope]][ref]
}

// refsOf returns the parts of a route that name objects, in order.
func refsOf(rt route) (refs []string) {
	for _, ref := range routeRefs {
		if strings.Contains(rt.path, ref) {
			refs = append(refs, ref)
		}
	}
	slices.SortFunc(refs, func(a, b string) int { return strings.Index(rt.path, a) - strings.Index(rt.path, b) })
	form := routeForms[rt.method+" "+rt.path]
	for start := strings.Index(form, "{"); start >= 0; start = strings.Index(form, "{") {
		end := strings.Index(form, "}") + 1
		refs, form = append(refs, form[start:end]), form[end:]
	}
	return refs
}

// hasScope reports whether a route has requests of a scope.
func hasScope(rt route, scope string) bool {
	refs := refsOf(rt)
	isShared := slices.ContainsFunc(refs, func(ref string) bool {
		return slices.Contains([]string{"/protocols/{key}/{version}", "/setup/{token}", "/address/{token}",
			"/passkeys/{id}"}, ref)
	})
	switch scope {
	case "foreign":
		return len(refs) > 0 && !isShared
	case "mixed":
		return len(refs) > 1
	case "absent":
		return len(refs) > 0
	}
	return true
}
