package web

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"math/rand/v2"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
)

// malformedTexts are escaped texts that no page can be about: not UTF-8, or with
// a null character.
var malformedTexts = []string{
	// a null character, bytes of no character, half a character
	"%00", "a%00b", "%ff", "%fe%fe%ff%ff", "a%80", "%c3", "%c3%28",
	"%c0%80", "%c0%af", "%e0%80%af", "%f0%80%80%af", "%fc%80%80%80%80%af", "%c1%bf", // overlong
	"%ed%a0%80", "%ed%bf%bf", "%ed%a0%bd%ed%b8%80", // surrogates
	"%f4%90%80%80", "%f8%88%80%80%80", // beyond the last character
}

// oddTexts are escaped texts that are valid, but of the wrong kind.
var oddTexts = []string{
	"", "%20", "-1", "0", "1e9", "2147483648", "9223372036854775807", "9223372036854775808", "99999999999999999999",
	"0x10", "1.5", "NaN", "true", "null", "[]", "%7B%7D",
	"..", "%2f", "..%2f..%2fetc%2fpasswd", "%5c", "%27", "%22", "%25", "%", "%zz", "%3b", "a;b", "%0d%0aSet-Cookie:x=1",
	"%01", "%1b[31m", "%7f", "%c2%9b", "%e2%80%ae", "%f0%9f%99%82",
	"%e2%80%a8", "%ef%bf%bd", "%ef%bb%bf", strings.Repeat("x", 300), strings.Repeat("%c3%bc", 2500),
	strings.Repeat("a", 70_000),
}

// A requestFuzzer makes malformed requests for the routes of a fixture.
type requestFuzzer struct {
	projectFixture
	handler http.Handler
	cookies map[string]string     // by kind of user
	forms   map[string]url.Values // by the path that they post to
	fields  []string              // names of fields and query parameters
	rng     *rand.Rand
}

func newRequestFuzzer(t *testing.T) *requestFuzzer {
	h := newProjectFixture(t)
	base, err := url.Parse(h.baseURL)
	if err != nil {
		t.Fatal(err)
	}
	f := &requestFuzzer{projectFixture: h, cookies: map[string]string{}, forms: map[string]url.Values{},
		rng: rand.New(rand.NewPCG(12, 500)),
		handler: newServer(h.db, Config{BaseURL: base, TrustedProxies: 1,
			Log: slog.New(slog.NewTextHandler(errorLogWriter{t}, nil))})}
	names := map[string]bool{}
	for _, name := range strings.Fields(
		"after after_id all batch before_id by field item method next number page prefill preview project protocol search show start action") {
		names[name] = true
	}
	for _, kind := range []string{"annotator", "lead", "admin"} {
		b := h.browserFor(kind)
		f.cookies[kind] = "labelwright=" + b.sessionToken()
		for _, rt := range (&Server{}).routes() {
			if rt.method == http.MethodGet {
				f.collectForms(b.get(h.routePath(rt.path)), names)
			}
		}
	}
	f.fields = slices.Sorted(maps.Keys(names))
	return f
}

// collectForms keeps the forms of a page and the names of their fields.
func (f *requestFuzzer) collectForms(a testResponse, names map[string]bool) {
	_, path, _ := strings.Cut(a.path, " ")
	for _, form := range a.FindAll("form") {
		action := form.Attr("action")
		if action == "" {
			action = path
		}
		values := formValues(form)
		for _, control := range slices.Concat(form.FindAll("input[name]"), form.FindAll("select[name]"),
			form.FindAll("textarea[name]"), form.FindAll("button[name]")) {
			names[control.Attr("name")] = true
			if !values.Has(control.Attr("name")) {
				values.Set(control.Attr("name"), control.Attr("value"))
			}
		}
		f.forms[action] = values
	}
}

// userOf returns the kind of user that may use a route.
func (f *requestFuzzer) userOf(rt route) string {
	switch {
	case rt.authorize(nil) == nil:
		return "anonymous"
	case rt.authorize(new(f.accounts["annotator"])) == nil:
		return "annotator"
	case rt.authorize(new(f.accounts["lead"])) == nil:
		return "lead"
	}
	return "admin"
}

func pick[T any](f *requestFuzzer, list []T) T { return list[f.rng.IntN(len(list))] }

// pickText returns a text and whether it is malformed.
func (f *requestFuzzer) pickText() (escaped string, isMalformed bool) {
	if f.rng.IntN(3) > 0 {
		return pick(f, malformedTexts), true
	}
	return pick(f, oddTexts), false
}

// A fuzzedRequest is a request and whether it contains text that cannot be
// stored, in its address or its form.
type fuzzedRequest struct {
	*http.Request
	hasMalformedURL, hasMalformedForm bool
	description                       string
}

// newRequest returns a malformed request for a route. It repeats those that no server
// passes on.
func (f *requestFuzzer) newRequest(rt route) fuzzedRequest {
	for {
		if r, ok := f.tryNewRequest(rt); ok {
			return r
		}
	}
}

func (f *requestFuzzer) tryNewRequest(rt route) (fuzzedRequest, bool) {
	var r fuzzedRequest
	path, query := f.routePath(rt.path), ""
	if f.rng.IntN(4) == 0 {
		path = absentPath.Replace(rt.path)
	}
	form, contentType := f.encodeForm(path, -1)
	kinds := 3
	if rt.method == http.MethodPost {
		kinds = 8
	}
	switch kind := f.rng.IntN(kinds); kind {
	case 0:
		path, r.hasMalformedURL = f.breakPath(rt.path)
	case 1:
		query, r.hasMalformedURL = f.breakQuery()
	case 2: // headers only
	case 3, 4, 5:
		form, contentType, r.hasMalformedForm = f.breakForm(path)
	default:
		form, contentType = f.breakBody(form)
	}
	target := strings.TrimSuffix(path+"?"+query, "?")
	u, err := url.ParseRequestURI(target)
	if err != nil {
		return r, false
	}
	if rt.method == http.MethodGet {
		form, contentType = "", ""
	}
	r.Request = httptest.NewRequest(rt.method, f.baseURL+"/", strings.NewReader(form)).WithContext(f.Context())
	r.URL, r.RequestURI = u, target
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	if contentType != "" {
		r.Header.Set("Content-Type", contentType)
	}
	r.Header.Set("X-Forwarded-For", f.pickClient())
	if user := f.userOf(rt); user != "anonymous" {
		r.Header.Set("Cookie", f.cookies[user])
	}
	f.breakHeader(r.Header)
	r.description = fmt.Sprintf("%s %s, %q: %.300q", rt.method, target[:min(len(target), 300)], contentType, form)
	return r, true
}

// breakPath replaces one parameter of a path. A path without one gets an end.
func (f *requestFuzzer) breakPath(pattern string) (path string, isMalformed bool) {
	text, isMalformed := f.pickText()
	var starts []int
	for i, c := range pattern {
		if c == '{' {
			starts = append(starts, i)
		}
	}
	if len(starts) == 0 {
		return f.routePath(pattern) + "/" + text, isMalformed
	}
	start := pick(f, starts)
	end := start + strings.IndexByte(pattern[start:], '}') + 1
	const mark = "fuzzed-parameter"
	before, after := pattern[:start]+mark, pattern[end:]
	path = before + after
	for part, value := range f.pathValues { // the parameters that stay
		path = strings.Replace(path, part, value, 1)
	}
	return strings.Replace(absentPath.Replace(path), mark, text, 1), isMalformed
}

// absentPath replaces the parameters of a path by values that nothing has.
var absentPath = strings.NewReplacer("{key}", "absent", "{name}", "absent", "{id}", "999999", "{token}", "absent",
	"{version}", "99", "{pseudonym}", "absent")

func (f *requestFuzzer) breakQuery() (query string, isMalformed bool) {
	var pairs []string
	for range 1 + f.rng.IntN(3) {
		text, malformed := f.pickText()
		pair := pick(f, f.fields) + "=" + text
		if f.rng.IntN(6) == 0 {
			pair = text + "=x"
		}
		pairs = append(pairs, pair)
		isMalformed = isMalformed || malformed
	}
	return strings.Join(pairs, "&"), isMalformed
}

// encodeForm returns the form of a path as a page would send it, without the
// field at an index.
func (f *requestFuzzer) encodeForm(path string, omitted int) (body, contentType string) {
	values, ok := f.forms[path]
	if !ok {
		values = url.Values{}
		for range 5 {
			values.Set(pick(f, f.fields), "1")
		}
	}
	var pairs []string
	for i, key := range slices.Sorted(maps.Keys(values)) {
		if i != omitted {
			pairs = append(pairs, url.Values{key: values[key]}.Encode())
		}
	}
	return strings.Join(pairs, "&"), formContentType
}

// breakForm returns the form of a path with broken, repeated or added fields.
func (f *requestFuzzer) breakForm(path string) (body, contentType string, isMalformed bool) {
	values := f.forms[path]
	names := append(slices.Sorted(maps.Keys(values)), pick(f, f.fields))
	field := f.rng.IntN(len(names))
	body, _ = f.encodeForm(path, field)
	text, isMalformed := f.pickText()
	pair := url.QueryEscape(names[field]) + "=" + text
	switch f.rng.IntN(6) {
	case 0:
		pair += "&" + pair
	case 1:
		pair = url.QueryEscape(names[field]) + "=1&" + pair
	case 2:
		pair = text + "=x"
	}
	body = strings.TrimPrefix(body+"&"+pair, "&")
	if f.rng.IntN(4) > 0 {
		return body, formContentType, isMalformed
	}
	values, err := url.ParseQuery(body)
	if err != nil {
		return body, formContentType, isMalformed
	}
	body, contentType = f.encodeMultipart(values)
	return body, contentType, isMalformed
}

// encodeMultipart returns values as a form with a file.
func (f *requestFuzzer) encodeMultipart(values url.Values) (body, contentType string) {
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for key, list := range values {
		for _, value := range list {
			_ = w.WriteField(key, value)
		}
	}
	name, _ := url.QueryUnescape(pick(f, malformedTexts))
	file, _ := w.CreateFormFile("file", pick(f, []string{"a.csv", "a.jsonl", name + ".csv", name, ""}))
	_, _ = io.WriteString(file, pick(f, []string{"", name, "id,query,answer\nx,\"" + name + "\",b\n", `{"id":"\ud800"}`,
		`{"id":"x","query":"` + name + `"}`, "key: " + name}))
	_ = w.Close()
	return b.String(), w.FormDataContentType()
}

// breakBody returns a body that is not the form it says it is.
func (f *requestFuzzer) breakBody(form string) (body, contentType string) {
	values, _ := url.ParseQuery(form)
	switch f.rng.IntN(6) {
	case 0:
		return form, pick(f, []string{"", "text/plain", "application/json", "application/octet-stream", "\x00", "a/b/c",
			"multipart/form-data", "multipart/form-data; boundary=",
			"application/x-www-form-urlencoded; charset=utf-16", ";;", strings.Repeat("x", 5000)})
	case 1:
		return `{"title":"\ud800","key":["x"]}`, pick(f, []string{"application/json", formContentType})
	case 2:
		body, contentType = f.encodeMultipart(values)
		return body[:f.rng.IntN(len(body))], contentType
	case 3:
		body, contentType = f.encodeMultipart(values)
		return strings.Replace(body, `name="`, pick(f, []string{"name=\"\x00", "name=\"\xff", "name=\"\r\n", `name="` +
			strings.Repeat("n", 9000), "", `filename="x`}), 1), contentType
	case 4:
		return strings.Repeat("a=1&", 12_000), formContentType
	}
	return string(pick(f, []rune("%&=;\x00"))) + form + "%", formContentType
}

// breakHeader breaks one header that the server reads.
func (f *requestFuzzer) breakHeader(h http.Header) {
	text, _ := url.QueryUnescape(pick(f, malformedTexts))
	switch f.rng.IntN(12) {
	case 0:
		h.Set("Accept", text+"json")
	case 1:
		h.Set("Cookie", h.Get("Cookie")+"; labelwright-browser="+text)
	case 2:
		h.Set("Cookie", h.Get("Cookie")+`; labelwright-browser="`+strings.Repeat("x", 3000)+`"`)
	case 3:
		h.Set("X-Forwarded-For", text)
	case 4:
		h.Set("Accept-Encoding", text)
	case 5:
		h.Set("User-Agent", text)
		h.Set("Referer", text)
	}
}
