package api

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"mime"
	"net"
	"net/http"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/web/problem"
)

// A Client calls operations: of a server, with a token, or of an API in this process. The inputs and
// answers are the same.
type Client struct {
	base      string // address below which the paths of the operations are
	token     string
	transport http.RoundTripper
}

// attempts is how often a request is made that the server could not answer for the moment.
const attempts = 4

// NewClient returns a client of the server at an address, with a token.
func NewClient(server, token string) (*Client, error) {
	address, err := url.Parse(strings.TrimRight(server, "/"))
	if err != nil || address.Host == "" || address.Scheme != "https" && address.Scheme != "http" {
		return nil, fmt.Errorf("%q is not the address of a server, such as https://labels.example.org", server)
	}
	if address.Scheme == "http" && !isLoopback(address.Hostname()) {
		return nil, fmt.Errorf("the token would be sent to %s without encryption. Use https://", address.Host)
	}
	return &Client{base: address.String() + "/api/v1", token: token, transport: http.DefaultTransport}, nil
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// Call makes the operation with an input, and returns the body of its answer.
func (o Operation[I, B]) Call(ctx context.Context, c *Client, in I) (body B, err error) {
	return call[B](ctx, c, o.endpoint, in, "", nil)
}

// Send makes the operation with an input and a file, whose type is that of the HTTP body.
func (u Upload[I, B]) Send(ctx context.Context, c *Client, in I, contentType string, file io.ReadSeeker) (body B,
	err error) {
	return call[B](ctx, c, u.endpoint, in, contentType, file)
}

// Open makes the operation and returns the file. While the file is being computed, it waits.
func (d Download[I]) Open(ctx context.Context, c *Client, in I) (io.ReadCloser, error) {
	for {
		response, err := c.send(ctx, d.endpoint, in, "", nil)
		if err != nil {
			return nil, err
		}
		if response.StatusCode != http.StatusAccepted {
			return response.Body, nil
		}
		_ = response.Body.Close() // says only that it is not ready
		if err := wait(ctx, retryAfter(response)); err != nil {
			return nil, err
		}
	}
}

// All makes the operation and returns its rows, to the first error.
func (s Stream[I, T]) All(ctx context.Context, c *Client, in I) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		response, err := c.send(ctx, s.endpoint, in, "", nil)
		if err != nil {
			yield(none, err)
			return
		}
		defer response.Body.Close()
		for lines := json.NewDecoder(response.Body); ; {
			var row T
			err := lines.Decode(&row)
			if errors.Is(err, io.EOF) || !yield(row, err) || err != nil {
				return
			}
		}
	}
}

func call[B any](ctx context.Context, c *Client, e endpoint, in any, contentType string, file io.ReadSeeker) (body B,
	err error) {
	response, err := c.send(ctx, e, in, contentType, file)
	if err != nil {
		return body, err
	}
	defer response.Body.Close()
	if err := json.NewDecoder(response.Body).Decode(&body); err != nil {
		return body, fmt.Errorf("read the answer of %s: %w", response.Request.URL.Host, err)
	}
	return body, nil
}

// send makes a request, and returns its successful response. It repeats a request that the server
// could not take for the moment: a write has an idempotency key, so that it happens once.
func (c *Client) send(ctx context.Context, e endpoint, in any, contentType string, file io.ReadSeeker) (*http.Response,
	error) {
	key := rand.Text()
	for attempt := 1; ; attempt++ {
		r, err := c.newRequest(ctx, e, in, contentType, file)
		if err != nil {
			return nil, err
		}
		if r.Method != http.MethodGet && c.token != "" {
			r.Header.Set(idempotencyKey, key)
		}
		response, err := c.transport.RoundTrip(r)
		if err == nil && response.StatusCode < 300 {
			return response, nil
		}
		delay := time.Second << attempt
		if err == nil {
			delay = retryAfter(response)
			err = readProblem(response)
		} else if fault.KindOf(err) == fault.Internal && c.token != "" {
			err = fault.Unavailable.Errorf("The server %s cannot be reached: %s.", r.URL.Host, err)
		}
		if kind := fault.KindOf(err); attempt == attempts || c.token == "" || kind != fault.Unavailable &&
			kind != fault.Limited {
			return nil, err
		}
		if err := wait(ctx, delay); err != nil {
			return nil, err
		}
	}
}

// retryAfter returns how long to wait before the request is made again.
func retryAfter(response *http.Response) time.Duration {
	seconds, _ := strconv.Atoi(response.Header.Get("Retry-After"))
	return time.Duration(min(max(seconds, 1), 60)) * time.Second
}

func wait(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

func readProblem(response *http.Response) error {
	defer response.Body.Close()
	kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	var d problem.Details
	if err := json.NewDecoder(io.LimitReader(response.Body, readLimit)).Decode(&d); err != nil || d.Code == "" ||
		kind != "application/problem+json" {
		return fmt.Errorf("%s answered with status %d. Is it the address of Labelwright?",
			cmp.Or(response.Request.URL.Host, "the server"), response.StatusCode)
	}
	f := &fault.Error{Kind: d.Code, Message: d.Detail}
	for _, p := range d.Errors {
		f.Fields = append(f.Fields, fault.FieldProblem{Field: p.Field, Row: p.Row, Code: p.Code, Message: p.Detail})
	}
	return f
}

func (c *Client) newRequest(ctx context.Context, e endpoint, in any, contentType string, file io.ReadSeeker) (
	*http.Request, error) {
	path, query := e.path, url.Values{}
	var body any
	encodeInput(reflect.ValueOf(in), &path, query, &body)
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	var content io.Reader
	switch {
	case file != nil:
		if _, err := file.Seek(0, io.SeekStart); err != nil {
			return nil, fmt.Errorf("read the file again: %w", err)
		}
		content = io.NopCloser(file)
	case body != nil:
		text, err := json.Marshal(body)
		if err != nil {
			return nil, fmt.Errorf("write the request: %w", err)
		}
		content, contentType = bytes.NewReader(text), jsonType
	}
	r, err := http.NewRequestWithContext(ctx, cmp.Or(e.method, http.MethodGet), c.base+path, content)
	if err != nil {
		return nil, fmt.Errorf("address the operation %s: %w", e.id, err)
	}
	if contentType != "" {
		r.Header.Set("Content-Type", contentType)
	}
	if c.token != "" {
		r.Header.Set("Authorization", "Bearer "+c.token)
	}
	return r, nil
}

// encodeInput puts the fields of an input where the API reads them: by their tags in the path or the
// query, and the field Body in the body. A zero value of a query is not sent, unless another is the
// default and zero is valid.
func encodeInput(in reflect.Value, path *string, query url.Values, body *any) {
	for i := range in.NumField() {
		field, value := in.Type().Field(i), in.Field(i)
		name, options, _ := strings.Cut(field.Tag.Get("query"), ",")
		switch {
		case field.Name == "Body":
			*body = value.Interface()
		case field.Anonymous:
			encodeInput(value, path, query, body)
		case field.Tag.Get("path") != "":
			*path = strings.ReplaceAll(*path, "{"+field.Tag.Get("path")+"}", url.PathEscape(fmt.Sprint(value)))
		case name == "" || value.IsZero() && (field.Tag.Get("default") == "" || field.Tag.Get("minimum") != "0"):
		case value.Kind() == reflect.Slice:
			var texts []string
			for j := range value.Len() {
				texts = append(texts, fmt.Sprint(value.Index(j)))
			}
			if options != "explode" {
				texts = []string{strings.Join(texts, ",")}
			}
			query[name] = texts
		case value.Type() == reflect.TypeFor[time.Time]():
			query.Set(name, value.Interface().(time.Time).Format(time.RFC3339Nano))
		default:
			query.Set(name, fmt.Sprint(value))
		}
	}
}
