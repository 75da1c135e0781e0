//go:build slow

package console_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	cdpinput "github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

var (
	screenshots = flag.String("screenshots", "", "write pictures of all pages to `DIR`; with -timeout 30m")
	pictures    = flag.String("pictures", "", "write the pictures of README to `DIR`")
)

// axeFile is the variable with the path of axe.min.js. browserWanted says whether there is
// to be a browser: with "required" it is a failure that it or axe is missing, with "none"
// none is started.
const (
	axeFile       = "USETOOLS_AXE"
	browserWanted = "USETOOLS_BROWSER"
)

// missing skips a test for which something is not installed, or fails it where that is
// wanted.
func missing(t testing.TB, what string) {
	t.Helper()
	if os.Getenv(browserWanted) == "required" {
		t.Fatal(what)
	}
	t.Skip(what)
}

// theBrowser is one browser for all tests.
type theBrowser struct {
	once sync.Once
	ctx  context.Context
	end  func()
	err  error
}

var chrome theBrowser

func init() { atEnd = append(atEnd, chrome.close) }

func (b *theBrowser) close() {
	if b.end != nil {
		b.end()
	}
}

func (b *theBrowser) start(path string) {
	opts := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.DisableGPU,
		chromedp.Flag("hide-scrollbars", true), chromedp.Flag("enable-precise-memory-info", true))
	if os.Geteuid() == 0 {
		opts = append(opts, chromedp.NoSandbox)
	}
	alloc, end := chromedp.NewExecAllocator(context.Background(), opts...)
	ctx, cancel := chromedp.NewContext(alloc)
	b.ctx, b.end = ctx, func() { cancel(); end() }
	b.err = chromedp.Do(ctx)
}

// tab is a window of the browser in which nobody else is signed in. What its pages write
// to the console as a warning or an error, and each violation of their
// Content-Security-Policy, fails the test.
type tab struct {
	t   testing.TB
	w   *world
	ctx context.Context

	mu    sync.Mutex
	allow []string // of the console's words
}

// openTab opens a window and signs it in as the holder of a token; "": as the operator.
func (w *world) openTab(t testing.TB, token string) *tab {
	t.Helper()
	b := w.newTab(t)
	if token == "" {
		b.open(strings.TrimPrefix(w.link(), w.url))
		return b
	}
	b.allowing("401")
	b.open("/")
	b.fill("input[name=token]", w.tokens[token])
	b.click("main button[type=submit]")
	b.wait(`document.querySelector("nav.nav")`)
	return b
}

// newTab opens a window in which nobody is signed in.
func (w *world) newTab(t testing.TB) *tab {
	t.Helper()
	if os.Getenv(browserWanted) == "none" || testing.Short() {
		t.Skip("no browser is wanted: " + browserWanted + "=none, or -short")
	}
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if p, err := exec.LookPath(name); err == nil {
			path = p
			break
		}
	}
	if path == "" {
		missing(t, "no browser: chromium is not in PATH")
	}
	chrome.once.Do(func() { chrome.start(path) })
	if chrome.err != nil {
		t.Fatal("starting the browser: ", chrome.err)
	}
	tabCtx, cancel := chromedp.NewContext(chrome.ctx, chromedp.WithNewBrowserContext())
	most := 3 * patience
	if *screenshots != "" {
		most = 20 * patience
	}
	ctx, end := context.WithTimeout(tabCtx, most)
	b := &tab{t: t, w: w, ctx: ctx}
	read := make(chan struct{})
	messages := chromedp.Console(ctx)
	go func() {
		defer close(read)
		for m, err := range messages {
			if err != nil {
				return
			}
			if m.Type == chromedp.ConsoleError || m.Type == chromedp.ConsoleWarning || m.IsException() {
				b.wrote(m.String())
			}
		}
	}()
	t.Cleanup(func() {
		end()
		cancel()
		<-read
	})
	b.size(1440, 1000)
	return b
}

// wrote notes what a page wrote to the console.
func (b *tab) wrote(text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !slices.ContainsFunc(b.allow, func(s string) bool { return strings.Contains(text, s) }) {
		b.t.Errorf("the page wrote: %s", text)
	}
}

// allowing says that the console may have words with these in them, such as the status
// of a page that is to be missing.
func (b *tab) allowing(words ...string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.allow = append(b.allow, words...)
}

func (b *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, steps...); err != nil {
		b.t.Fatal(err)
	}
}

// eval is the value of an expression in the page, also of a promise.
func eval[T any](b *tab, expression string) T {
	b.t.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		b.t.Fatalf("%s: %v", expression, err)
	}
	return v
}

// wait waits until an expression is true in the page.
func (b *tab) wait(expression string) {
	b.t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for end := waitUntil(); ; <-tick.C {
		// A page that goes away in the middle has no value.
		ok, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool]("!!("+expression+")"))
		if err == nil && ok {
			return
		}
		if time.Now().After(end) {
			gaveUp.Store(true)
			text, _ := chromedp.Run(b.ctx, chromedp.Evaluate[string](`document.title + "\n" + document.body.innerText.slice(0, 3000)`))
			b.t.Fatalf("this did not come true: %s (%v), in the page\n%s", expression, err, text)
		}
	}
}

// open shows a page and waits until it is painted.
func (b *tab) open(path string) {
	b.t.Helper()
	b.do(chromedp.Navigate(b.w.url + path))
	b.wait(`document.readyState === "complete" && performance.getEntriesByName("first-contentful-paint").length > 0`)
}

// text is the text of the first element of a selector.
func (b *tab) text(selector string) string {
	b.t.Helper()
	b.wait(fmt.Sprintf("document.querySelector(%q)", selector))
	return eval[string](b, fmt.Sprintf("document.querySelector(%q).textContent", selector))
}

// waitText waits for a text in an element.
func (b *tab) waitText(selector, text string) {
	b.t.Helper()
	b.wait(fmt.Sprintf("document.querySelector(%q)?.textContent.includes(%q)", selector, text))
}

func (b *tab) click(selector string) {
	b.t.Helper()
	b.wait(fmt.Sprintf("document.querySelector(%q)", selector))
	b.do(chromedp.Click(chromedp.CSS(selector), chromedp.NodeVisible))
}

// fill writes into a field.
func (b *tab) fill(selector, text string) {
	b.t.Helper()
	b.wait(fmt.Sprintf("document.querySelector(%q)", selector))
	b.do(chromedp.SendKeys(chromedp.CSS(selector), text, chromedp.NodeVisible))
}

// key presses one key; what it would write is not written where the page says so, unlike
// with press.
func (b *tab) key(key string) {
	b.t.Helper()
	for _, kind := range []cdpinput.DispatchKeyEventType{cdpinput.DispatchKeyEventTypeKeyDown, cdpinput.DispatchKeyEventTypeKeyUp} {
		p := cdpinput.DispatchKeyEventParams{Type: kind, Key: key}
		if kind == cdpinput.DispatchKeyEventTypeKeyDown {
			p.Text = key
		}
		if _, err := chromedp.Call(b.ctx, cdpinput.DispatchKeyEvent, p); err != nil {
			b.t.Fatal(err)
		}
	}
}

// press sends keys to what has the focus.
func (b *tab) press(keys string) {
	b.t.Helper()
	b.do(chromedp.KeyEvent(keys))
}

func (b *tab) size(width, height int64) {
	b.t.Helper()
	b.do(chromedp.EmulateViewport(width, height))
}

// like sets what the system prefers, as pairs: prefers-color-scheme, dark.
func (b *tab) like(features ...string) {
	b.t.Helper()
	var list []*emulation.MediaFeature
	for i := 0; i+1 < len(features); i += 2 {
		list = append(list, &emulation.MediaFeature{Name: features[i], Value: features[i+1]})
	}
	if _, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: list}); err != nil {
		b.t.Fatal(err)
	}
}

// fits fails where the page is wider than the window, and names what is too wide.
func (b *tab) fits(where string) {
	b.t.Helper()
	wide := eval[[]string](b, `(() => {
		const width = document.documentElement.clientWidth;
		if (document.documentElement.scrollWidth <= width) return [];
		const scrolls = (e) => { for (e = e.parentElement; e && e !== document.body; e = e.parentElement)
			if (getComputedStyle(e).overflowX !== "visible") return true; };
		return [...document.body.querySelectorAll("*")].filter((e) => e.getBoundingClientRect().right > width + 1 && !scrolls(e))
			.map((e) => e.outerHTML.slice(0, 160)).slice(-4);
	})() `)
	if scroll := eval[int](b, "document.documentElement.scrollWidth - document.documentElement.clientWidth"); scroll > 0 {
		b.t.Errorf("%s is %d px wider than the window: %s", where, scroll, strings.Join(wide, "\n"))
	}
}

// axe is axe-core's source.
var axe = sync.OnceValues(func() (string, error) {
	b, err := os.ReadFile(os.Getenv(axeFile))
	return string(b), err
})

// finding is what axe found.
type finding struct {
	ID, Impact, Help string
	Nodes            []struct {
		Target         []any
		HTML           string
		FailureSummary string
	}
}

// accessible has axe look at a page: WCAG 2.2 A and AA, and what it calls best practice.
func (b *tab) accessible(where string) {
	b.t.Helper()
	if os.Getenv(axeFile) == "" {
		missing(b.t, "no axe: "+axeFile+" does not say where axe.min.js is")
	}
	source, err := axe()
	if err != nil {
		b.t.Fatal(err)
	}
	if !eval[bool](b, `!!window.axe`) {
		b.do(chromedp.Evaluate[chromedp.Void](source + ";0"))
	}
	out := eval[string](b, `axe.run(document, { preload: false, resultTypes: ["violations"], runOnly: { type: "tag", values: ["wcag2a", "wcag2aa",
		"wcag21a", "wcag21aa", "wcag22aa", "best-practice"] } }).then((r) => JSON.stringify(r.violations))`)
	var found []finding
	if err := json.Unmarshal([]byte(out), &found); err != nil {
		b.t.Fatal(err)
	}
	for _, f := range found {
		for i, n := range f.Nodes {
			if i == 3 {
				b.t.Errorf("%s: %s: and %d more", where, f.ID, len(f.Nodes)-i)
				break
			}
			b.t.Errorf("%s: %s (%s): %s\n  at %v\n  %.300s\n  %.400s", where, f.ID, f.Impact, f.Help, n.Target, n.HTML,
				strings.ReplaceAll(n.FailureSummary, "\n", "\n  "))
		}
	}
}

// picture writes a picture to the folder of -screenshots; without that it does nothing.
func (b *tab) picture(name string, whole bool) {
	b.t.Helper()
	if *screenshots != "" {
		b.pictureTo(filepath.Join(*screenshots, name+".png"), whole)
	}
}

// pictureTo writes what the window shows, or the whole page, as a PNG of at most 256
// colours, and returns its bytes.
func (b *tab) pictureTo(file string, whole bool) int {
	b.wait(`!document.getAnimations().some((a) => a instanceof CSSTransition)`) // from one theme to the other
	b.t.Helper()
	params := page.CaptureScreenshotParams{}
	if whole {
		yes := true
		params.CaptureBeyondViewport = &yes
		params.Clip = &page.Viewport{Width: eval[float64](b, "document.documentElement.clientWidth"),
			Height: min(6000, eval[float64](b, "document.documentElement.scrollHeight")), Scale: 1}
	}
	got, err := chromedp.Call(b.ctx, page.CaptureScreenshot, params)
	if err != nil {
		b.t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(got.Data))
	if err != nil {
		b.t.Fatal(err)
	}
	var out bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&out, fewColours(img)); err != nil {
		b.t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(file, out.Bytes(), 0o644); err != nil {
		b.t.Fatal(err)
	}
	return out.Len()
}

// fewColours is a picture with its 256 commonest colours, each of the others being
// that of them which is nearest.
func fewColours(img image.Image) image.Image {
	rgba := image.NewRGBA(img.Bounds())
	draw.Draw(rgba, rgba.Bounds(), img, img.Bounds().Min, draw.Src)
	count := map[color.RGBA]int{}
	for i := 0; i < len(rgba.Pix); i += 4 {
		count[color.RGBA{rgba.Pix[i], rgba.Pix[i+1], rgba.Pix[i+2], 255}]++
	}
	common := make([]color.RGBA, 0, len(count))
	for c := range count {
		common = append(common, c)
	}
	slices.SortFunc(common, func(a, b color.RGBA) int {
		return cmp.Or(cmp.Compare(count[b], count[a]), cmp.Compare(a.R, b.R), cmp.Compare(a.G, b.G), cmp.Compare(a.B, b.B))
	})
	palette := color.Palette{}
	for _, c := range common[:min(256, len(common))] {
		palette = append(palette, c)
	}
	index := make(map[color.RGBA]uint8, len(count))
	for c := range count {
		index[c] = uint8(palette.Index(c))
	}
	out := image.NewPaletted(rgba.Bounds(), palette)
	for i := range out.Pix {
		out.Pix[i] = index[color.RGBA{rgba.Pix[4*i], rgba.Pix[4*i+1], rgba.Pix[4*i+2], 255}]
	}
	return out
}
