package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"golang.org/x/oauth2"
	"golang.org/x/sync/singleflight"

	"github.com/usetools/usetools/registry/backend"
	"github.com/usetools/usetools/registry/backend/internal/origin"
	"github.com/usetools/usetools/registry/config"
	"github.com/usetools/usetools/registry/redact"
	"github.com/usetools/usetools/registry/text"
)

// tokenTimeout bounds the renewal of a token.
const tokenTimeout = 10 * time.Second

// signedIn is the OAuth handler of ordinary connections. It sends the stored token, renewed if
// needed. If that is not enough, it neither asks a person nor registers a client; [SignIn] does.
type signedIn struct {
	source  oauth2.TokenSource          // nil without a token
	renewal singleflight.Group          // the running use of source
	needed  atomic.Pointer[signInError] // nil if no sign-in is needed
	hide    *redact.Redactor            // hides the tokens
}

// signInError is a backend.ErrSignIn that says what a person must do.
type signInError struct {
	scope string // a scope that the current sign-in lacks; empty without a sign-in
}

func (e *signInError) Error() string {
	if e.scope != "" {
		return fmt.Sprintf("the sign-in does not cover the scope %q; add it to oauth.scopes in its config entry", e.scope)
	}
	return backend.ErrSignIn.Error()
}

// Is reports whether target is backend.ErrSignIn.
func (e *signInError) Is(target error) bool { return target == backend.ErrSignIn }

// newSignedIn returns the handler for a server, or nil if the server does not use OAuth.
func (d *dialer) newSignedIn() *signedIn {
	s := d.server
	if s.OAuth == nil {
		return nil
	}
	h := &signedIn{hide: d.hide}
	store := d.tokens()
	if g := store.load(s); g != nil {
		d.hide.Add(g.ClientSecret, g.Token.AccessToken, g.Token.RefreshToken)
		// The client sends secrets in forms
		renewing := &http.Client{Timeout: tokenTimeout, Transport: d.guard(), CheckRedirect: origin.Redirects}
		h.source = &keeping{tokens: store, server: s,
			source: g.source(context.WithValue(context.Background(), oauth2.HTTPClient, renewing)), grant: g}
	}
	return h
}

// guard returns a transport for sign-ins. It refuses private addresses of hosts that only the
// server names, and not the config.
func (d *dialer) guard() *origin.Guard {
	var named []*url.URL
	for _, raw := range []string{d.server.URL, d.server.OAuth.Issuer} {
		if u, err := url.Parse(raw); err == nil && u.Host != "" {
			named = append(named, u)
		}
	}
	return origin.NewGuard(named...)
}

// tokens returns the folder for tokens.
func (d *dialer) tokens() tokens {
	if d.opts.Tokens != "" {
		return tokens(d.opts.Tokens)
	}
	dir, err := defaultTokens()
	if err != nil { // without a home, tokens cannot be stored
		return ""
	}
	return tokens(dir)
}

// TokenSource implements auth.OAuthHandler. A token that can no longer be renewed counts as
// missing, so the server asks for a new one.
func (h *signedIn) TokenSource(ctx context.Context) (oauth2.TokenSource, error) {
	if h.source == nil {
		return nil, nil
	}
	// A source has no context: the renewal ends with tokenTimeout. Concurrent callers wait for
	// the same renewal, not for one after the other.
	renewed := h.renewal.DoChan("", func() (any, error) { return h.source.Token() })
	select {
	case r := <-renewed:
		t, ok := r.Val.(*oauth2.Token)
		if r.Err != nil || !ok {
			h.needed.Store(&signInError{})
			return nil, nil
		}
		h.hide.Add(t.AccessToken, t.RefreshToken)
		return oauth2.StaticTokenSource(t), nil
	case <-ctx.Done():
		return nil, fmt.Errorf("renewing the token: %w", ctx.Err())
	}
}

// Authorize implements auth.OAuthHandler.
func (h *signedIn) Authorize(ctx context.Context, _ *http.Request, res *http.Response) error {
	io.Copy(io.Discard, io.LimitReader(res.Body, 64<<10))
	res.Body.Close()
	e := refusedToken(res)
	if e == nil && sendOf(ctx).Once() {
		return statusError(res.StatusCode)
	}
	if e == nil {
		return nil // the answer to the repeated request has the reason
	}
	h.needed.Store(e)
	return e
}

// authorize adds the token to a request over a transport without OAuth.
func (h *signedIn) authorize(req *http.Request) {
	if source, err := h.TokenSource(req.Context()); err == nil && source != nil {
		if t, err := source.Token(); err == nil {
			t.SetAuthHeader(req)
		}
	}
}

// refusedToken returns what a person must do after a response, or nil if signing in would not
// help.
func refusedToken(res *http.Response) *signInError {
	if res.StatusCode == http.StatusUnauthorized {
		return &signInError{}
	}
	challenges, err := oauthex.ParseWWWAuthenticate(res.Header.Values("WWW-Authenticate"))
	if err != nil || res.StatusCode != http.StatusForbidden {
		return nil
	}
	for _, c := range challenges {
		if c.Params["error"] == "insufficient_scope" {
			return &signInError{scope: text.CutBytes(strings.ToValidUTF8(c.Params["scope"], ""), 200)}
		}
	}
	return nil
}

// SignIn signs a person in to a server and stores the token. It calls show with the URL that the
// person must open in a browser on this machine. The browser is then redirected to a local port,
// which is open until ctx ends or the redirect arrives. If the definition has no client ID, the
// program registers itself with the server.
func SignIn(ctx context.Context, s config.Server, opts *Options, show func(url string)) error {
	if s.Type != config.HTTP && s.Type != config.SSE || s.OAuth == nil {
		return fmt.Errorf("server %q does not sign in; give it a url and \"oauth\": true in its config entry", s.Name)
	}
	d := &dialer{server: s, hide: s.Redactor()}
	if opts != nil {
		d.opts = *opts
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("server %q: waiting for the browser: %w", s.Name, err)
	}
	back := &callback{host: l.Addr().String(), returned: make(chan *auth.AuthorizationResult, 1)}
	web := &http.Server{Handler: back, ReadHeaderTimeout: answerTimeout}
	go web.Serve(l)
	defer web.Close()

	signed := false
	h, err := auth.NewAuthorizationCodeHandler(d.codeFlow("http://"+l.Addr().String()+"/callback",
		func(ctx context.Context, a *auth.AuthorizationArgs) (*auth.AuthorizationResult, error) {
			shown, state, err := shownURL(a.URL)
			if err != nil {
				return nil, err
			}
			back.state.Store(&state)
			show(shown)
			select {
			case r := <-back.returned:
				return r, nil
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}, &signed))
	if err != nil {
		return fmt.Errorf("server %q: %w", s.Name, err)
	}
	err = d.provoke(ctx, h)
	switch {
	case signed: // the next connection reports other faults
		return nil
	case err != nil && ctx.Err() != nil:
		return fmt.Errorf("server %q: signing in: %w", s.Name, ctx.Err())
	case err != nil:
		hint := ""
		if s.OAuth.ClientSecret != "" && s.OAuth.Issuer == "" &&
			strings.Contains(err.Error(), "pre-registered credentials issuer") {
			hint = "; its client secret is sent to its own origin only: set oauth.issuer in its config entry to the issuer " +
				"where the client was registered"
		}
		return fmt.Errorf("server %q: signing in: %s%s", s.Name, d.hide.Err(err), hint)
	}
	return fmt.Errorf("server %q accepted the connection without a sign-in; remove oauth from its config entry", s.Name)
}

// provoke connects to the server so that it demands a sign-in.
func (d *dialer) provoke(ctx context.Context, h auth.OAuthHandler) error {
	web := &http.Client{CheckRedirect: origin.Redirects}
	if d.server.Type == config.SSE {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, d.server.URL, nil)
		if err != nil {
			return err
		}
		req.Header.Set("Accept", "text/event-stream")
		res, err := web.Do(req)
		if err != nil {
			return err
		}
		defer res.Body.Close()
		switch res.StatusCode {
		case http.StatusUnauthorized:
			return h.Authorize(ctx, req, res)
		case http.StatusOK:
			return nil
		}
		return statusError(res.StatusCode)
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "usetools", Version: version()}, nil)
	cs, err := client.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: d.server.URL, HTTPClient: web,
		OAuthHandler: h}, nil)
	if err == nil {
		cs.Close()
	}
	return err
}

// codeFlow configures the SDK's sign-in. done is set when a token was stored.
func (d *dialer) codeFlow(redirect string, fetch auth.AuthorizationCodeFetcher,
	done *bool) *auth.AuthorizationCodeHandlerConfig {
	s := d.server
	c := &auth.AuthorizationCodeHandlerConfig{
		RedirectURL: redirect, AuthorizationCodeFetcher: fetch, RequestRefreshToken: true,
		Client: &http.Client{Transport: d.guard(), CheckRedirect: signInRedirects},
		ScopeFilter: func(found []string) []string {
			if len(s.OAuth.Scopes) > 0 {
				return slices.Clone(s.OAuth.Scopes)
			}
			return found
		},
		NewTokenSource: func(ctx context.Context, c *oauth2.Config, t *oauth2.Token) (oauth2.TokenSource, error) {
			d.hide.Add(c.ClientSecret, t.AccessToken, t.RefreshToken)
			g := newGrant(s.URL, c, t)
			err := d.tokens().save(s, g)
			*done = err == nil
			return &keeping{tokens: d.tokens(), server: s, source: c.TokenSource(ctx, t), grant: g}, err
		},
	}
	if s.OAuth.ClientID == "" {
		c.DynamicClientRegistrationConfig = &auth.DynamicClientRegistrationConfig{Metadata: &oauthex.ClientRegistrationMetadata{
			ClientName: "UseTools", RedirectURIs: []string{redirect},
			GrantTypes: []string{"authorization_code", "refresh_token"}, ResponseTypes: []string{"code"},
		}}
		return c
	}
	c.PreregisteredClient = &oauthex.ClientCredentials{ClientID: s.OAuth.ClientID}
	c.PreregisteredClient.Issuer = s.OAuth.Issuer
	if secret := string(s.OAuth.ClientSecret); secret != "" {
		c.PreregisteredClient.ClientSecretAuth = &oauthex.ClientSecretAuth{ClientSecret: secret}
		if u, err := url.Parse(s.URL); err == nil && s.OAuth.Issuer == "" { // otherwise a server could name any
			c.PreregisteredClient.Issuer = u.Scheme + "://" + u.Host
		}
	}
	return c
}

// signInRedirects is the CheckRedirect of a sign-in. POSTs contain secrets and stay at their
// origin. Documents about the sign-in may come from other origins, except from this machine.
func signInRedirects(req *http.Request, via []*http.Request) error {
	err := origin.Redirects(req, via)
	var elsewhere *origin.ElsewhereError
	if errors.As(err, &elsewhere) && via[0].Method == http.MethodGet && req.URL.Scheme == "https" &&
		!origin.Loopback(req.URL) {
		return nil
	}
	return err
}

// shownURL returns the URL for a person's browser in ASCII, and its state. It refuses a URL that
// appears to have a different host.
func shownURL(raw string) (shown, state string, err error) {
	u, err := url.Parse(raw)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.User != nil {
		return "", "", errors.New("the URL of the server's sign-in page is not a plain https or http URL")
	}
	var b strings.Builder
	for _, c := range []byte(u.String()) {
		if c <= ' ' || c >= 0x7F {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String(), u.Query().Get("state"), nil
}

// callback handles the returning browser. It accepts only the answer for this sign-in, because
// any page can send a browser here.
type callback struct {
	host     string
	state    atomic.Pointer[string] // nil before the person was sent to the server
	returned chan *auth.AuthorizationResult
}

func (c *callback) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	q, state := r.URL.Query(), c.state.Load()
	if r.URL.Path != "/callback" || r.Host != c.host || state == nil || *state == "" || q.Get("state") != *state {
		http.NotFound(w, r)
		return
	}
	select {
	case c.returned <- &auth.AuthorizationResult{Code: q.Get("code"), State: q.Get("state"), Iss: q.Get("iss")}:
	default:
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	if q.Get("code") == "" {
		io.WriteString(w, "The server did not sign you in. You can close this page.\n")
		return
	}
	io.WriteString(w, "The server has sent you back. You can close this page.\n")
}
