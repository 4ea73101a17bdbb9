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

// traffic is what went over the network for a tab.
type traffic struct {
	sync.Mutex
	requests      []string // "GET /path"
	bytesReceived int64    // received, headers included, as they travelled
}

// Requests returns what the tab has asked for so far, as "GET /path", and how
// many bytes came back, headers included, as they travelled.
func (b Tab) Requests() (requests []string, bytesReceived int64) {
	b.traffic.Lock()
	defer b.traffic.Unlock()
	return b.traffic.requests, b.traffic.bytesReceived
}

// watchEvents fails the test for what no page of ours does.
func (b Tab) watchEvents() {
	b.must(chromedp.Listen(b.ctx, func(event any) {
		switch e := event.(type) {
		case *log.EventEntryAdded:
			isAutofocusNotice := strings.HasPrefix(e.Entry.Text, "Autofocus processing was blocked") // than the page had focused its field
			if e.Entry.Source != log.EntrySourceNetwork && !isAutofocusNotice {
				b.Errorf("console: %s", e.Entry.Text)
			}
		case *runtime.EventConsoleAPICalled:
			b.Errorf("console.%s: %v", e.Type, e.Args)
		case *runtime.EventExceptionThrown:
			b.Errorf("exception: %s %s", e.ExceptionDetails.Text, e.ExceptionDetails.Exception.Description)
		case *network.EventRequestWillBeSent:
			b.recordRequest(e.Request.Method, e.Request.URL)
		case *page.EventJavascriptDialogOpening: // a page asks before it is left; whoever leaves means it
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
		b.Errorf("the page asked another host: %s", address)
		return
	}
	b.traffic.Lock()
	b.traffic.requests = append(b.traffic.requests, method+" "+u.Path)
	b.traffic.Unlock()
}
