//go:build slow

package console_test

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/heapprofiler"
	cdpinput "github.com/chromedp/cdproto/input"
	cdpio "github.com/chromedp/cdproto/io"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/tracing"
	"github.com/chromedp/chromedp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

var measure = flag.Bool("measure", false, "measure the console and print a table")

// TestMeasure prints a table of sizes, of first paints, of scrolling the page of a run
// with 1,000 calls, and of what open pages cost scripts.
func TestMeasure(t *testing.T) {
	if !*measure {
		t.Skip("with -measure only: it takes a minute")
	}
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	defer table.Flush()
	row := func(format string, args ...any) { fmt.Fprintf(table, format+"\n", args...) }

	row("what\tmeasured\twanted")
	files, zippedFiles := sizes(t, "static")
	templates, zippedTemplates := sizes(t, "templates")
	row("files and templates, raw\t%.0f KB\t≤ 600 KB", float64(files+templates)/1000)
	row("gzipped one by one\t%.0f KB\t≤ 200 KB", float64(zippedFiles+zippedTemplates)/1000)

	w := demo(t)
	b := w.openTab(t, "")
	for _, p := range w.places(t) {
		var paints, answers []time.Duration
		for range 7 {
			b.open(p.path)
			paints = append(paints, ms(eval[float64](b, `performance.getEntriesByName("first-contentful-paint")[0].startTime`)))
			answers = append(answers, ms(eval[float64](b, `(() => { const n = performance.getEntriesByType("navigation")[0];
				return n.responseEnd - n.requestStart })()`)))
		}
		row("%s: first paint, median of 7 (answer)\t%.0f ms (%.1f ms)\t≤ 100 ms", p.name, inMs(quantile(paints, .5)),
			inMs(quantile(answers, .5)))
	}

	b.open("/runs/" + w.runs["thousand"])
	frames := b.scroll(t)
	row("1,000 calls: elements\t%d\t", eval[int](b, `document.querySelectorAll("*").length`))
	row("1,000 calls: script and layout a frame, scrolling, of %d frames: p50\t%.1f ms\t", len(frames), inMs(quantile(frames, .5)))
	row("p95\t%.1f ms\t≤ 8 ms", inMs(quantile(frames, .95)))
	row("most\t%.1f ms\t", inMs(quantile(frames, 1)))
	if _, err := chromedp.Call(b.ctx, heapprofiler.CollectGarbage, cdp.Empty{}); err != nil {
		t.Fatal(err)
	}
	heap, err := chromedp.Call(b.ctx, runtime.GetHeapUsage, cdp.Empty{})
	if err != nil {
		t.Fatal(err)
	}
	row("1,000 calls: JavaScript heap\t%.1f MB\t≤ 30 MB", heap.UsedSize/1e6)

	none, open := besidePages(t, 20)
	row("trivial execute, no page open: p50\t%.2f ms\t", inMs(none))
	row("20 pages of runs open: p50\t%.2f ms (%+.0f %%)\twithin 10 %%", inMs(open), 100*(float64(open)/float64(none)-1))
}

func ms(x float64) time.Duration   { return time.Duration(x * float64(time.Millisecond)) }
func inMs(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
func quantile(list []time.Duration, q float64) time.Duration {
	if len(list) == 0 {
		return 0
	}
	slices.Sort(list)
	return list[min(len(list)-1, int(q*float64(len(list))))]
}

// traceEvent is one of the browser's own trace, with times in microseconds.
type traceEvent struct {
	Name, Ph string
	Pid, Tid int
	Ts, Dur  float64
	Args     struct{ Name string }
}

// scroll scrolls a page down and up, and returns how long its scripts, styles and layout
// took in each frame.
func (b *tab) scroll(t testing.TB) []time.Duration {
	t.Helper()
	complete := chromedp.BrowserEvents(b.ctx, tracing.TracingComplete)
	if _, err := chromedp.CallBrowser(b.ctx, tracing.Start, tracing.StartParams{
		TransferMode: tracing.StartTransferModeReturnAsStream,
		TraceConfig: &tracing.TraceConfig{IncludedCategories: []string{"devtools.timeline",
			"disabled-by-default-devtools.timeline", "__metadata"}}}); err != nil {
		t.Fatal(err)
	}
	for _, way := range []float64{-3000, 3000, -3000, 3000} {
		if _, err := chromedp.Call(b.ctx, cdpinput.SynthesizeScrollGesture, cdpinput.SynthesizeScrollGestureParams{X: 500, Y: 600,
			YDistance: way, Speed: 2400}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := chromedp.CallBrowser(b.ctx, tracing.End, cdp.Empty{}); err != nil {
		t.Fatal(err)
	}
	var data []byte
	for end, err := range complete {
		if err != nil {
			t.Fatal(err)
		}
		for {
			part, err := chromedp.CallBrowser(b.ctx, cdpio.Read, cdpio.ReadParams{Handle: end.Stream, Size: 1 << 20})
			if err != nil {
				t.Fatal(err)
			}
			if data = append(data, part.Data...); part.EOF {
				break
			}
		}
		break
	}
	var trace struct{ TraceEvents []traceEvent }
	if err := json.Unmarshal(data, &trace); err != nil {
		t.Fatal(err)
	}
	return framesOf(trace.TraceEvents)
}

// framesOf is how long scripts, styles and layout took in each frame of the renderer
// that had the most of them.
func framesOf(events []traceEvent) []time.Duration {
	work := []string{"EventDispatch", "FireAnimationFrame", "TimerFire", "FunctionCall", "EvaluateScript", "RunMicrotasks",
		"UpdateLayoutTree", "RecalculateStyles", "Layout", "IntersectionObserverController::computeIntersections", "HitTest",
		"MajorGC", "MinorGC", "Layerize", "PrePaint"}
	const frameEnd = "BeginCommitCompositorFrame"
	type thread struct{ pid, tid int }
	main := map[thread][]traceEvent{}
	for _, e := range events {
		if e.Name == "thread_name" && e.Args.Name == "CrRendererMain" {
			main[thread{e.Pid, e.Tid}] = nil
		}
	}
	for _, e := range events {
		if at := (thread{e.Pid, e.Tid}); e.Name == frameEnd || e.Ph == "X" && slices.Contains(work, e.Name) {
			if _, ok := main[at]; ok {
				main[at] = append(main[at], e)
			}
		}
	}
	var most []traceEvent
	for _, list := range main {
		if len(list) > len(most) {
			most = list
		}
	}
	slices.SortStableFunc(most, func(a, b traceEvent) int { return cmp.Compare(a.Ts, b.Ts) })
	var frames []time.Duration
	var took, until float64 // what is inside of another event counts once
	for _, e := range most {
		if e.Name == frameEnd {
			frames, took = append(frames, ms(took/1000)), 0
			continue
		}
		took += max(0, e.Ts+e.Dur-max(e.Ts, until))
		until = max(until, e.Ts+e.Dur)
	}
	return frames
}

// besidePages is the median time of a trivial script without open pages, and with so
// many pages of the list of runs, which load it again when they are told of news. The
// rounds alternate.
func besidePages(t testing.TB, pages int) (none, open time.Duration) {
	t.Helper()
	w := emptyDemo(t)
	c := w.signIn(t, "")
	client, err := mcp.NewClient(&mcp.Implementation{Name: "measure", Version: "1"}, nil).Connect(t.Context(),
		&mcp.StreamableClientTransport{Endpoint: w.url + "/mcp", HTTPClient: &http.Client{Transport: bearer(w.tokens["dev"])}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	execute := func() time.Duration {
		begun := time.Now()
		res, err := client.CallTool(t.Context(), &mcp.CallToolParams{Name: "execute", Arguments: map[string]any{"script": "Return(1)"}})
		if err != nil || res.IsError {
			t.Fatal(res, err)
		}
		return time.Since(begun)
	}
	var without, with []time.Duration
	for round := range 13 {
		ctx, cancel := context.WithCancel(t.Context())
		var all sync.WaitGroup
		for range pages * (round % 2) {
			opened := make(chan struct{})
			all.Go(func() { watchRuns(ctx, c, opened) })
			<-opened
		}
		for range 60 {
			took := execute()
			switch {
			case round == 0: // it warms up
			case round%2 == 0:
				without = append(without, took)
			default:
				with = append(with, took)
			}
		}
		cancel()
		all.Wait()
	}
	return quantile(without, .5), quantile(with, .5)
}

// watchRuns is an open page of runs: it loads the page again at each news.
func watchRuns(ctx context.Context, c *client, opened chan<- struct{}) {
	get := func(path string) *http.Response {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, c.w.url+path, nil)
		if err != nil {
			return nil
		}
		resp, err := (&http.Client{Jar: c.Jar}).Do(r)
		if err != nil {
			return nil
		}
		return resp
	}
	stream := get("/events?topics=" + url.QueryEscape("runs approvals"))
	close(opened)
	if stream == nil {
		return
	}
	defer stream.Body.Close()
	for lines := bufio.NewScanner(stream.Body); lines.Scan(); {
		if !strings.HasPrefix(lines.Text(), "data: ") {
			continue
		}
		if page := get("/runs"); page != nil {
			(&bytes.Buffer{}).ReadFrom(page.Body)
			page.Body.Close()
		}
	}
}

// bearer sends a token with each request.
type bearer string

func (token bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(token))
	return http.DefaultTransport.RoundTrip(r)
}
