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
	// linkTime is how long a link opens the console, once.
	linkTime = 10 * time.Minute
	// idleSession is how long a browser stays signed in without looking at a page.
	idleSession = 12 * time.Hour
	// maxBrowsers are signed in at a time with one token, or by links; of them the one that was away for the longest
	// time makes room.
	maxBrowsers = 20
	// One wrong token is compared per loginEvery, and loginBurst more at once.
	loginEvery = 500 * time.Millisecond
	loginBurst = 10
)

// doors are the ways into the console: links that work once, and the browsers that
// came in.
type doors struct {
	key []byte // signs links

	mu       sync.Mutex
	used     map[string]time.Time // links, until they expire
	browsers map[string]*browser  // by the SHA-256 of their cookie
	tried    time.Time            // until when the wrong tokens are counted, one per loginEvery
}

// browser is one that is signed in.
type browser struct {
	token string // name; "" by a link: the operator
	seen  time.Time
	said  []notice      // for its next page
	gone  chan struct{} // closed when it is signed out
}

// notice is a sentence about what an action came to, and the address of what to do
// next, which Do says; empty: nothing.
type notice struct{ Kind, Text, Next, Do string }

func (d *doors) init(key []byte) {
	d.key = key
	d.used, d.browsers = map[string]time.Time{}, map[string]*browser{}
}

// OpenPath is the path and query of a link that opens, as the operator, the console
// with a secret: once, within ten minutes.
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

// spend takes the key of a link, once.
func (d *doors) spend(key string, now time.Time) error {
	b, err := base64.RawURLEncoding.Strict().DecodeString(key)
	if err != nil || len(b) != 8+16+32 || !hmac.Equal(b[24:], sign(d.key, b[:24])) {
		return errors.New("this link is not one of this server")
	}
	until := time.Unix(int64(binary.BigEndian.Uint64(b)), 0)
	if now.After(until) {
		return errors.New("this link is older than ten minutes")
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for k, t := range d.used {
		if now.After(t) {
			delete(d.used, k)
		}
	}
	if _, ok := d.used[string(b)]; ok {
		return errors.New("this link was used before; it opens the console once")
	}
	d.used[string(b)] = until // the decoded bytes: the same key can be written with line ends in it
	return nil
}

// remove signs a browser out, by the SHA-256 of its cookie. The caller holds the lock.
func (d *doors) remove(id string) {
	if b := d.browsers[id]; b != nil {
		close(b.gone)
		delete(d.browsers, id)
	}
}

// try counts a token before it is compared; otherwise concurrent requests would all pass. early
// reports whether others were counted less than loginEvery ago, ok whether it may be compared.
func (d *doors) try(now time.Time) (early, ok bool) {
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

// right uncounts a token that was right.
func (d *doors) right() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.tried = d.tried.Add(-loginEvery)
}

// admit signs a browser in.
func (c *Console) admit(w http.ResponseWriter, r *http.Request, token string) {
	secret := rand.Text() + rand.Text()
	now := time.Now()
	d := &c.doors
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

// byTLS reports whether the browser talks TLS, to us or to a proxy: behind a proxy
// only the Origin of its forms tells; a false one affects this browser's own cookie alone.
func byTLS(r *http.Request) bool {
	return r.TLS != nil || ours(r) && strings.HasPrefix(r.Header.Get("Origin"), "https:")
}

func digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return string(sum[:])
}

// cookieName differs by port, as cookies do not.
func cookieName(r *http.Request) string {
	_, port, err := net.SplitHostPort(r.Host)
	if err != nil {
		port = "80"
	}
	return "usetools_" + port
}

// browser is the one that a request is of; nil: it is not signed in.
func (c *Console) browser(r *http.Request) *browser {
	cookie, err := r.Cookie(cookieName(r))
	if err != nil {
		return nil
	}
	d := &c.doors
	d.mu.Lock()
	defer d.mu.Unlock()
	b := d.browsers[digest(cookie.Value)]
	if b == nil || time.Since(b.seen) > idleSession {
		return nil
	}
	b.seen = time.Now()
	return b
}

// stays reports whether a browser is still signed in, as the viewer that it was.
func (c *Console) stays(b *browser, was *Viewer) bool {
	d := &c.doors
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

// SignedIn is who has opened the console with the browser that a request is of; nil:
// nobody.
func (c *Console) SignedIn(r *http.Request) *Viewer { return c.viewer(c.browser(r)) }

// viewer is who a request is of; nil: nobody that is known.
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

// ours reports whether a request that changes something comes from a page of ours.
func ours(r *http.Request) bool {
	if site := r.Header.Get("Sec-Fetch-Site"); site != "" && site != "same-origin" {
		return false
	}
	u, err := url.Parse(r.Header.Get("Origin"))
	return err == nil && u.Host != "" && u.Host == r.Host
}

// Visits reports whether a request is a browser's that goes to a page, whosever link
// it follows; nothing changes by that.
func Visits(r *http.Request) bool {
	return r.Method == http.MethodGet && r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Header.Get("Sec-Fetch-Dest") == "document"
}

// comeAgain is for who follows a link of another site: the browser sends no cookie then,
// but it does when it gets the page once more.
const comeAgain = `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta http-equiv="refresh" content="0">` +
	`<title>UseTools</title></head><body></body></html>`

func (c *Console) open(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet { // HEAD, by what looks at links: it must not use it up
		w.Header().Set("Allow", http.MethodGet)
		http.Error(w, "this link is opened by GET", http.StatusMethodNotAllowed)
		return
	}
	if err := c.doors.spend(r.URL.Query().Get("key"), time.Now()); err != nil {
		c.door(w, r, http.StatusForbidden, sentence(err))
		return
	}
	c.admit(w, r, "")
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

// bodyIsRead ends the deadline that the server sets for a body.
func bodyIsRead(w http.ResponseWriter) { http.NewResponseController(w).SetReadDeadline(time.Time{}) }

func (c *Console) login(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, MaxLogin)
	switch {
	case !ours(r):
		c.door(w, r, http.StatusForbidden, "The form was sent from another page.")
		return
	case c.opts.Holder == nil:
		c.door(w, r, http.StatusForbidden, "There are no tokens here.")
		return
	}
	token := strings.TrimSpace(r.PostFormValue("token"))
	bodyIsRead(w)
	early, ok := c.doors.try(time.Now())
	if !ok {
		c.door(w, r, http.StatusTooManyRequests, "Too many wrong tokens were tried. Try again in a few seconds.")
		return
	}
	name := c.opts.Holder(token)
	if name == "" {
		status := http.StatusForbidden
		if early {
			status = http.StatusTooManyRequests
		}
		c.door(w, r, status, "This token is unknown.")
		return
	}
	c.doors.right()
	c.admit(w, r, name)
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

func (c *Console) logout(w http.ResponseWriter, r *http.Request) {
	if !ours(r) {
		c.door(w, r, http.StatusForbidden, "The form was sent from another page.")
		return
	}
	if cookie, err := r.Cookie(cookieName(r)); err == nil {
		c.doors.mu.Lock()
		c.doors.remove(digest(cookie.Value))
		c.doors.mu.Unlock()
	}
	http.SetCookie(w, &http.Cookie{Name: cookieName(r), Path: "/", MaxAge: -1, HttpOnly: true,
		SameSite: http.SameSiteStrictMode, Secure: byTLS(r)})
	http.Redirect(w, r, "/", http.StatusSeeOther)
}
