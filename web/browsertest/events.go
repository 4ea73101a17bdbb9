package browsertest

import (
	"net/url"
	"strings"
	"sync"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// traffic is the network traffic of a tab.
type traffic struct {
	sync.Mutex
	requests      []string // "GET /path"
	bytesReceived int64    // including headers, compressed
}

// Requests returns the requests of the tab so far, as "GET /path", and the bytes
// received, including headers, compressed.
func (b Tab) Requests() (requests []string, bytesReceived int64) {
	b.traffic.Lock()
	defer b.traffic.Unlock()
	return b.traffic.requests, b.traffic.bytesReceived
}

// watchEvents fails the test on console messages, exceptions and foreign requests.
func (b Tab) watchEvents() {
	b.must(chromedp.Listen(b.ctx, func(event any) {
		switch e := event.(type) {
		case *log.EventEntryAdded:
			isAutofocusNotice := strings.HasPrefix(e.Entry.Text, "Autofocus processing was blocked") // because the page had focused its field
			if e.Entry.Source != log.EntrySourceNetwork && !isAutofocusNotice {
				b.Errorf("console: %s", e.Entry.Text)
			}
		case *runtime.EventConsoleAPICalled:
			b.Errorf("console.%s: %v", e.Type, e.Args)
		case *runtime.EventExceptionThrown:
			b.Errorf("exception: %s %s", e.ExceptionDetails.Text, e.ExceptionDetails.Exception.Description)
		case *network.EventRequestWillBeSent:
			b.recordRequest(e.Request.Method, e.Request.URL)
		case *page.EventJavascriptDialogOpening: // a beforeunload dialog is accepted
			go func() {
				_, _ = chromedp.Call(b.ctx, page.HandleJavaScriptDialog, page.HandleJavaScriptDialogParams{Accept: true})
			}()
		case *network.EventLoadingFinished:
			b.traffic.Lock()
			b.traffic.bytesReceived += int64(e.EncodedDataLength)
			b.traffic.Unlock()
		}
	}))
	sendCommand(b, network.Enable, network.EnableParams{})
}

func (b Tab) recordRequest(method, address string) {
	if !strings.HasPrefix(address, "http") && !strings.HasPrefix(address, "ws") { // data:, about:
		return
	}
	u, err := url.Parse(address)
	if err != nil || "http://"+u.Host != b.serverURL {
		b.Errorf("request to another host: %s", address)
		return
	}
	b.traffic.Lock()
	b.traffic.requests = append(b.traffic.requests, method+" "+u.Path)
	b.traffic.Unlock()
}
