package web

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

func TestDescribeBrowser_UserAgents_AreNamed(t *testing.T) {
	t.Parallel()
	const webkit, chrome = "AppleWebKit/605.1.15 (KHTML, like Gecko)",
		"AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0"
	for agent, want := range map[string]string{
		"Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0": "Firefox on Linux",
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64) " + chrome +
			" Safari/537.36": "Chrome on Windows",
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64) " + chrome +
			" Safari/537.36 Edg/140.0.0.0": "Edge on Windows",
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64) " + chrome +
			" Safari/537.36 OPR/120.0": "Opera on Windows",
		"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) " + webkit +
			" Version/19.0 Safari/605.1.15": "Safari on macOS",
		"Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) " + webkit +
			" Version/19.0 Mobile Safari/1": "Safari on iOS",
		"Mozilla/5.0 (iPad; CPU OS 19_0 like Mac OS X) " + webkit +
			" CriOS/140.0 Mobile Safari/1": "Chrome on iPadOS",
		"Mozilla/5.0 (Linux; Android 16) " + chrome +
			" Mobile Safari/537.36": "Chrome on Android",
		"Firefox/1":   "Firefox",
		"curl/8.14.1": "Unknown browser",
		"":            "Unknown browser",
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Header.Set("User-Agent", agent)
		if got := describeBrowser(r); got != want {
			t.Errorf("%q: %s, want %s", agent, got, want)
		}
	}
}
