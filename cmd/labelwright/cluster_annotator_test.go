package main

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/labelwright/labelwright/web/htmltest"
)

// A loadAnnotator labels through HAProxy and sends each form until it is taken, as a person
// does who sees an error.
type loadAnnotator struct {
	*load
	client http.Client
}

func (l *load) newAnnotator(email string) *loadAnnotator {
	jar, _ := cookiejar.New(nil)
	a := &loadAnnotator{load: l, client: http.Client{Jar: jar, Timeout: time.Minute, Transport: &http.Transport{},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
	if _, location := a.post("/sign-in", url.Values{"email": {email}, "password": {loadPassword}}); location == "" {
		l.problem("%s cannot sign in", email)
	}
	return a
}

func (l *load) problem(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.problems = append(l.problems, fmt.Sprintf(format, args...))
}

// send sends one request. ok means that the client got the answer that it asked for.
func (a *loadAnnotator) send(method, path string, form url.Values) (page htmltest.Element, location string, ok bool) {
	from := time.Now()
	a.requests.Add(1)
	body, response, err := a.roundTrip(method, path, form)
	failure := failedRequest{from: from, to: time.Now(), text: fmt.Sprintf("%s %s: %v", method, path, err)}
	if err == nil {
		page = htmltest.Parse(a.T, bytes.NewReader(body))
		if response.StatusCode < 400 {
			return page, response.Header.Get("Location"), true
		}
		failure.text = fmt.Sprintf("%s %s: %d: %.300s", method, path, response.StatusCode, page.Text())
		failure.isOffered = response.StatusCode == http.StatusServiceUnavailable &&
			response.Header.Get("Retry-After") != "" && keepsForm(page, path, form)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.failed = append(a.failed, failure)
	return page, "", false
}

func (a *loadAnnotator) roundTrip(method, path string, form url.Values) ([]byte, *http.Response, error) {
	request, err := http.NewRequest(method, a.baseURL+path, strings.NewReader(form.Encode()))
	if err != nil {
		return nil, nil, err
	}
	request.Header.Set("Sec-Fetch-Site", "same-origin")
	if method == http.MethodPost {
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	response, err := a.client.Do(request)
	if err != nil {
		return nil, nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return body, response, err
}

// keepsForm reports whether an error page sends form again.
func keepsForm(page htmltest.Element, path string, form url.Values) bool {
	if len(form) == 0 || form.Has("password") {
		return true
	}
	kept := page.FindAll("form.button-form[action='" + path + "']")
	return len(kept) == 1 && maps.EqualFunc(kept[0].FormValues(), form, slices.Equal)
}

// post sends a form until it is taken.
func (a *loadAnnotator) post(path string, form url.Values) (page htmltest.Element, location string) {
	for range 3000 {
		page, location, ok := a.send(http.MethodPost, path, form)
		if ok {
			return page, location
		}
		time.Sleep(100 * time.Millisecond)
	}
	a.problem("POST %s was never taken", path)
	return page, ""
}

// open opens the page of an item until it is shown.
func (a *loadAnnotator) open(path string) (form url.Values, ok bool) {
	for range 3000 {
		page, _, ok := a.send(http.MethodGet, path, nil)
		if !ok {
			time.Sleep(100 * time.Millisecond)
			continue
		}
		forms := page.FindAll("form#answer-form")
		if len(forms) != 1 {
			a.problem("GET %s shows no item: %.300s", path, page.Text())
			return nil, false
		}
		return forms[0].FormValues(), true
	}
	a.problem("GET %s was never answered", path)
	return nil, false
}

// label labels items until there are none and the load ends.
func (a *loadAnnotator) label() {
	for {
		isEnding := a.isEnding.Load()
		_, location := a.post("/work", url.Values{})
		hasItem := strings.HasPrefix(location, "/work/")
		if !hasItem && isEnding {
			return
		}
		for strings.HasPrefix(location, "/work/") {
			location = a.labelItem(location)
		}
		if !hasItem {
			time.Sleep(100 * time.Millisecond)
		}
	}
}

// labelItem labels the item at path, and returns where the server sends the annotator next.
func (a *loadAnnotator) labelItem(path string) (next string) {
	form, ok := a.open(path)
	if !ok {
		return ""
	}
	for key, value := range map[string]string{"proper_action": "1", "response_on_topic": "1", "helpful": "0",
		"incomplete": "0", "unsafe_content": "0"} {
		form.Set(key, value)
	}
	time.Sleep(time.Duration(50+rand.IntN(100)) * time.Millisecond) // reads
	_, next = a.post(path, form)
	if next != "" {
		a.labels.Add(1)
		a.mu.Lock()
		defer a.mu.Unlock()
		a.acknowledged[strings.TrimPrefix(path, "/work/")] = true
	}
	return next
}
