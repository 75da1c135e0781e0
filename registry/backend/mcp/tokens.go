package mcp

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"golang.org/x/oauth2"

	"github.com/usetools/usetools/registry/config"
	"github.com/usetools/usetools/registry/localfile"
)

// grant is the stored result of a sign-in: the token, and the data for renewing it.
type grant struct {
	Server       string           `json:"server"` // URL
	ClientID     string           `json:"client_id"`
	ClientSecret string           `json:"client_secret,omitempty"`
	AuthURL      string           `json:"auth_url"`
	TokenURL     string           `json:"token_url"`
	AuthStyle    oauth2.AuthStyle `json:"auth_style"`
	Scopes       []string         `json:"scopes,omitempty"`
	Token        *oauth2.Token    `json:"token"`
}

func newGrant(server string, c *oauth2.Config, t *oauth2.Token) *grant {
	return &grant{
		Server: server, ClientID: c.ClientID, ClientSecret: c.ClientSecret,
		AuthURL: c.Endpoint.AuthURL, TokenURL: c.Endpoint.TokenURL, AuthStyle: c.Endpoint.AuthStyle,
		Scopes: c.Scopes, Token: t,
	}
}

// source returns a source of the grant's token, which renews it after it has expired.
func (g *grant) source(ctx context.Context) oauth2.TokenSource {
	c := &oauth2.Config{
		ClientID: g.ClientID, ClientSecret: g.ClientSecret, Scopes: g.Scopes,
		Endpoint: oauth2.Endpoint{AuthURL: g.AuthURL, TokenURL: g.TokenURL, AuthStyle: g.AuthStyle},
	}
	return c.TokenSource(ctx, g.Token)
}

// tokens is the folder for grants. Each is a file that only its owner can read.
type tokens string

// defaultTokens returns the folder for tokens in the user's config folder.
func defaultTokens() (string, error) {
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", fmt.Errorf("finding the folder for tokens: %w", err)
	}
	return filepath.Join(dir, "usetools", "tokens"), nil
}

// file returns the path of the grant for a server. It depends on the server's URL and on the
// client and issuer in the config, so that another registration is another sign-in.
func (t tokens) file(s config.Server) string {
	key := s.URL + "\x00" + s.OAuth.ClientID
	if s.OAuth.Issuer != "" {
		key += "\x00" + s.OAuth.Issuer
	}
	h := sha256.Sum256([]byte(key))
	return filepath.Join(string(t), hex.EncodeToString(h[:16])+".json")
}

// load returns the grant for a server, or nil.
func (t tokens) load(s config.Server) *grant {
	data, err := os.ReadFile(t.file(s))
	if err != nil {
		return nil
	}
	g := &grant{}
	if json.Unmarshal(data, g) != nil || g.Server != s.URL || g.Token == nil {
		return nil
	}
	return g
}

// save stores a grant. Other users can never read the file, not even while it is written.
func (t tokens) save(s config.Server, g *grant) (err error) {
	data, err := json.MarshalIndent(g, "", "  ")
	if err == nil {
		err = localfile.WritePrivate(t.file(s), data)
	}
	if err != nil {
		return fmt.Errorf("keeping the token: %w", err)
	}
	return nil
}

// keeping is a source that stores each new token, because renewing often invalidates the previous
// one.
type keeping struct {
	tokens tokens
	server config.Server
	source oauth2.TokenSource

	mu    sync.Mutex
	grant *grant
}

// Token implements oauth2.TokenSource.
func (k *keeping) Token() (*oauth2.Token, error) {
	t, err := k.source.Token()
	if err != nil {
		return nil, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if t.AccessToken == k.grant.Token.AccessToken {
		return t, nil
	}
	g := *k.grant
	g.Token = t
	k.grant = &g
	return t, k.tokens.save(k.server, k.grant)
}
