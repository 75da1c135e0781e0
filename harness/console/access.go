package console

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

const (
	// linkTime is the lifetime of a single-use link.
	linkTime = 10 * time.Minute
	// idleSession is the time without a request after which a browser is signed out.
	idleSession = 12 * time.Hour
	// maxBrowsers is the maximum number of browsers signed in with one token, or by links.
	// Another sign-in signs out the least recently used one.
	maxBrowsers = 20
	// loginEvery and loginBurst are the rate limit for wrong tokens: one per loginEvery, with a burst of loginBurst.
	loginEvery = 500 * time.Millisecond
	loginBurst = 10
)

// logins holds the sign-in state: single-use links and signed-in browsers.
type logins struct {
	key []byte // signs links

	mu       sync.Mutex
	used     map[string]time.Time // links, until they expire
	browsers map[string]*browser  // by the SHA-256 of their cookie
	tried    time.Time            // rate limit: each wrong token advances it by loginEvery
}

// browser is a signed-in browser.
type browser struct {
	token   string // name of its token; "" for the operator, signed in by a link
	seen    time.Time
	notices []notice      // for its next page
	gone    chan struct{} // closed at sign-out
}

// notice reports the result of an action. Next is the optional address of the next step
// and Do is the text of its link.
type notice struct{ Kind, Text, Next, Do string }

func (d *logins) init(key []byte) {
	d.key = key
	d.used, d.browsers = map[string]time.Time{}, map[string]*browser{}
}

// OpenPath returns the path and query of a link that signs in the operator once, within ten
// minutes. secret is the console's Options.Secret.
func OpenPath(secret []byte) string {
	b := make([]byte, 8, 8+16+32)
	binary.BigEndian.PutUint64(b, uint64(time.Now().Add(linkTime).Unix()))
	nonce := make([]byte, 16)
	rand.Read(nonce)
	b = append(b, nonce...)
	return "/open?key=" + base64.RawURLEncoding.EncodeToString(append(b, sign(secret, b)...))
}

func sign(secret, b []byte) []byte {
	m := hmac.New(sha256.New, secret)
	m.Write([]byte("console link"))
	m.Write(b)
	return m.Sum(nil)
}

// spend verifies the key of a link and marks it as used.
func (d *logins) spend(key string, now time.Time) error {
	b, err := base64.RawURLEncoding.Strict().DecodeString(key)
	if err != nil || len(b) != 8+16+32 || !hmac.Equal(b[24:], sign(d.key, b[:24])) {
		return errors.New("this link does not belong to this server")
	}
	until := time.Unix(int64(binary.BigEndian.Uint64(b)), 0)
	if now.After(until) {
		return errors.New("this link has expired; links are valid for ten minutes")
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for k, t := range d.used {
		if now.After(t) {
			delete(d.used, k)
		}
	}
	if _, ok := d.used[string(b)]; ok {
		return errors.New("this link was already used; a link works once")
	}
	d.used[string(b)] = until // decoded, because the key may contain line ends
	return nil
}

// remove signs a browser out, by the SHA-256 of its cookie. The caller holds the lock.
func (d *logins) remove(id string) {
	if b := d.browsers[id]; b != nil {
		close(b.gone)
		delete(d.browsers, id)
	}
}

// try counts a token before it is compared; otherwise concurrent requests would all pass. early
// reports whether the previous token was counted less than loginEvery ago, ok whether the token may
// be compared.
func (d *logins) try(now time.Time) (early, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if early = d.tried.After(now); !early {
		d.tried = now
	}
	if d.tried.Sub(now) > loginBurst*loginEvery {
		return early, false
	}
	d.tried = d.tried.Add(loginEvery)
	return early, true
}

// uncount removes a correct token from the count.
func (d *logins) uncount() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.tried = d.tried.Add(-loginEvery)
}

// admit signs a browser in.
func (c *Console) admit(w http.ResponseWriter, r *http.Request, token string) {
	secret := rand.Text() + rand.Text()
	now := time.Now()
	d := &c.logins
	d.mu.Lock()
	oldest, same := "", 0
	for id, b := range d.browsers {
		if now.Sub(b.seen) > idleSession {
			d.remove(id)
			continue
		}
		if b.token != token {
			continue
		}
		if same++; oldest == "" || b.seen.Before(d.browsers[oldest].seen) {
			oldest = id
		}
	}
	if same >= maxBrowsers {
		d.remove(oldest)
	}
	d.browsers[digest(secret)] = &browser{token: token, seen: now, gone: make(chan struct{})}
	d.mu.Unlock()
	http.SetCookie(w, &http.Cookie{Name: cookieName(r), Value: secret, Path: "/", HttpOnly: true,
		SameSite: http.SameSiteStrictMode, Secure: byTLS(r)})
}

// byTLS reports whether the browser uses TLS, to this server or to a proxy. Behind a proxy
// only the Origin header shows it; a forged one affects only the sender's own cookie.
func byTLS(r *http.Request) bool {
	return r.TLS != nil || ours(r) && strings.HasPrefix(r.Header.Get("Origin"), "https:")
}

func digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return string(sum[:])
}

// cookieName returns a name with the port, because browsers share cookies across ports.
func cookieName(r *http.Request) string {
	_, port, err := net.SplitHostPort(r.Host)
	if err != nil {
		port = "80"
	}
	return "usetools_" + port
}

// browser returns the signed-in browser of a request, or nil.
func (c *Console) browser(r *http.Request) *browser {
	cookie, err := r.Cookie(cookieName(r))
	if err != nil {
		return nil
	}
	d := &c.logins
	d.mu.Lock()
	defer d.mu.Unlock()
	b := d.browsers[digest(cookie.Value)]
	if b == nil || time.Since(b.seen) > idleSession {
		return nil
	}
	b.seen = time.Now()
	return b
}

// isSignedIn reports whether a browser is still signed in as the same viewer.
func (c *Console) isSignedIn(b *browser, was *Viewer) bool {
	d := &c.logins
	d.mu.Lock()
	idle := time.Since(b.seen)
	d.mu.Unlock()
	select {
	case <-b.gone:
		return false
	default:
	}
	now := c.viewer(b)
	return idle <= idleSession && now != nil && *now == *was
}

// SignedIn returns the viewer signed in with the browser of a request, or nil.
func (c *Console) SignedIn(r *http.Request) *Viewer { return c.viewer(c.browser(r)) }

// viewer returns the viewer of a browser, or nil if its token is unknown.
func (c *Console) viewer(b *browser) *Viewer {
	if b == nil {
		return nil
	}
	if b.token == "" {
		return &Viewer{Name: "operator", Operator: true, Approves: true}
	}
	if c.opts.Viewer == nil {
		return nil
	}
	return c.opts.Viewer(b.token)
}

// ours reports whether a form was sent from a page of this console.
func ours(r *http.Request) bool {
	if site := r.Header.Get("Sec-Fetch-Site"); site != "" && site != "same-origin" {
		return false
	}
	u, err := url.Parse(r.Header.Get("Origin"))
	return err == nil && u.Host != "" && u.Host == r.Host
}

// Visits reports whether a browser navigates to a page, from any site. Such a request
// changes nothing.
func Visits(r *http.Request) bool {
	return r.Method == http.MethodGet && r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Header.Get("Sec-Fetch-Dest") == "document"
}

// reloadPage reloads a page that was reached by a link from another site. The browser omits
// the cookie on the first request and sends it on the reload.
const reloadPage = `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta http-equiv="refresh" content="0">` +
	`<title>UseTools</title></head><body></body></html>`

func (c *Console) open(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet { // link previews send HEAD, which must not use up the link
		w.Header().Set("Allow", http.MethodGet)
		http.Error(w, "open this link with GET", http.StatusMethodNotAllowed)
		return
	}
	if err := c.logins.spend(r.URL.Query().Get("key"), time.Now()); err != nil {
		c.showSignIn(w, r, http.StatusForbidden, sentence(err))
		return
	}
	c.admit(w, r, "")
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

// bodyIsRead removes the read deadline that the server set for the body.
func bodyIsRead(w http.ResponseWriter) { http.NewResponseController(w).SetReadDeadline(time.Time{}) }

func (c *Console) login(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, MaxLogin)
	switch {
	case !ours(r):
		c.showSignIn(w, r, http.StatusForbidden, "The form was sent from another page.")
		return
	case c.opts.Holder == nil:
		c.showSignIn(w, r, http.StatusForbidden, "This server has no tokens. Open the console with a link: harness console")
		return
	}
	token := strings.TrimSpace(r.PostFormValue("token"))
	bodyIsRead(w)
	early, ok := c.logins.try(time.Now())
	if !ok {
		c.showSignIn(w, r, http.StatusTooManyRequests, "Too many wrong tokens. Try again in a few seconds.")
		return
	}
	name := c.opts.Holder(token)
	if name == "" {
		status := http.StatusForbidden
		if early {
			status = http.StatusTooManyRequests
		}
		c.showSignIn(w, r, status, "This token is unknown.")
		return
	}
	c.logins.uncount()
	c.admit(w, r, name)
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

func (c *Console) logout(w http.ResponseWriter, r *http.Request) {
	if !ours(r) {
		c.showSignIn(w, r, http.StatusForbidden, "The form was sent from another page.")
		return
	}
	if cookie, err := r.Cookie(cookieName(r)); err == nil {
		c.logins.mu.Lock()
		c.logins.remove(digest(cookie.Value))
		c.logins.mu.Unlock()
	}
	http.SetCookie(w, &http.Cookie{Name: cookieName(r), Path: "/", MaxAge: -1, HttpOnly: true,
		SameSite: http.SameSiteStrictMode, Secure: byTLS(r)})
	http.Redirect(w, r, "/", http.StatusSeeOther)
}
