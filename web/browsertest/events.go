package browsertest

import (
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// traffic is the network traffic of a tab. What the browser answers from its cache is none: after each
// change of the address Chromium asks for the icon of the page again, which its windows without a
// history do not remember, and finds it in the cache.
type traffic struct {
	sync.Mutex
	requests      []request
	bytesReceived int64 // including headers, compressed
}

type request struct {
	id         network.RequestID
	line       string // "GET /path"
	isAnswered bool
}

// Requests returns the requests that the tab has sent over the network so far, as "GET /path", and the
// bytes received, including headers, compressed. It waits until all of them are answered.
func (b Tab) Requests() (requests []string, bytesReceived int64) {
	b.Helper()
	for deadline := time.Now().Add(waitTimeout); b.traffic.isWaiting(); time.Sleep(maxPause) {
		if time.Now().After(deadline) {
			b.Fatalf("a request is not answered: %v", b.traffic.requests)
		}
	}
	b.traffic.Lock()
	defer b.traffic.Unlock()
	for _, r := range b.traffic.requests {
		requests = append(requests, r.line)
	}
	return requests, b.traffic.bytesReceived
}

func (t *traffic) isWaiting() bool {
	t.Lock()
	defer t.Unlock()
	return slices.ContainsFunc(t.requests, func(r request) bool { return !r.isAnswered })
}

// answer records that a request has its answer, or has failed. One from the cache is forgotten.
func (t *traffic) answer(id network.RequestID, fromCache bool) {
	t.Lock()
	defer t.Unlock()
	for i := range t.requests {
		if t.requests[i].id == id {
			t.requests[i].isAnswered = true
		}
	}
	if fromCache {
		t.requests = slices.DeleteFunc(t.requests, func(r request) bool { return r.id == id })
	}
}

// watchEvents fails the test on console messages, exceptions and foreign requests.
func (b Tab) watchEvents() {
	b.must(chromedp.Listen(b.ctx, func(event any) {
		switch e := event.(type) {
		case *log.EventEntryAdded:
			// because the page had focused its field
			isAutofocusNotice := strings.HasPrefix(e.Entry.Text, "Autofocus processing was blocked")
			if e.Entry.Source != log.EntrySourceNetwork && !isAutofocusNotice {
				b.Errorf("console: %s", e.Entry.Text)
			}
		case *runtime.EventConsoleAPICalled:
			b.Errorf("console.%s: %v", e.Type, e.Args)
		case *runtime.EventExceptionThrown:
			b.Errorf("exception: %s %s", e.ExceptionDetails.Text, e.ExceptionDetails.Exception.Description)
		case *network.EventRequestWillBeSent:
			b.recordRequest(e.RequestID, e.Request.Method, e.Request.URL)
		case *network.EventRequestServedFromCache:
			b.traffic.answer(e.RequestID, true)
		case *network.EventResponseReceived:
			b.traffic.answer(e.RequestID, e.Response.FromDiskCache)
		case *network.EventLoadingFailed:
			b.traffic.answer(e.RequestID, false)
		case *page.EventJavascriptDialogOpening: // a beforeunload dialog is accepted
			go func() {
				_, _ = chromedp.Call(b.ctx, page.HandleJavaScriptDialog,
					page.HandleJavaScriptDialogParams{Accept: true})
			}()
		case *network.EventLoadingFinished:
			b.traffic.Lock()
			b.traffic.bytesReceived += int64(e.EncodedDataLength)
			b.traffic.Unlock()
		}
	}))
	sendCommand(b, network.Enable, network.EnableParams{})
}

func (b Tab) recordRequest(id network.RequestID, method, address string) {
	if !strings.HasPrefix(address, "http") && !strings.HasPrefix(address, "ws") { // data:, about:
		return
	}
	u, err := url.Parse(address)
	if err != nil || !strings.HasPrefix(address, b.serverURL+"/") {
		b.Errorf("request to another host: %s", address)
		return
	}
	b.traffic.Lock()
	b.traffic.requests = append(b.traffic.requests, request{id: id, line: method + " " + u.Path})
	b.traffic.Unlock()
}
