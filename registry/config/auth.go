package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
)

// OAuth says how to sign in to a server, with the registered client if there is one.
type OAuth struct {
	ClientID     string
	ClientSecret Secret
	Scopes       []string
	// Issuer is the authorization server where the client was registered. Only it gets the
	// client's secret, and it may be a host inside the network. If empty, it is the server's own
	// origin.
	Issuer string
}

// Secret is a value that is never shown.
type Secret string

func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return "•••"
}

// GoString keeps the value out of %#v.
func (s Secret) GoString() string { return fmt.Sprintf("%q", s.String()) }

// MarshalJSON writes only whether the secret is set.
func (s Secret) MarshalJSON() ([]byte, error) { return json.Marshal(s.String()) }

// oauth is an entry's "oauth" or "auth", in the spellings of all clients. It may also be true:
// sign in without a registered client.
type oauth struct {
	Enabled      *bool  `json:"enabled"`
	ClientID     string `json:"clientId"`
	ClientID2    string `json:"client_id"`
	ClientID3    string `json:"CLIENT_ID"`
	ClientSecret string `json:"clientSecret"`
	Secret2      string `json:"client_secret"`
	Secret3      string `json:"CLIENT_SECRET"`
	Scopes       words  `json:"scopes"`
	Issuer       string `json:"issuer"`
}

func (o *oauth) UnmarshalJSON(b []byte) error {
	var on bool
	if json.Unmarshal(b, &on) == nil {
		o.Enabled = &on
		return nil
	}
	type plain oauth
	if err := json.Unmarshal(b, (*plain)(o)); err != nil {
		return errors.New("oauth: want true, or an object with clientId, clientSecret, scopes and issuer")
	}
	return nil
}

// words is a list of strings, or one string separated by spaces.
type words []string

func (w *words) UnmarshalJSON(b []byte) error {
	var one string
	if json.Unmarshal(b, &one) == nil {
		*w = strings.Fields(one)
		return nil
	}
	if json.Unmarshal(b, (*[]string)(w)) != nil {
		return errors.New("scopes: want a list of strings")
	}
	return nil
}

// oauth returns how to sign in, or nil.
func (e *entry) oauth(text func(field, raw string) string) *OAuth {
	o := e.OAuth
	if o == nil {
		o = e.Auth
	}
	if o == nil && len(e.OAuthScopes) > 0 {
		o = &oauth{}
	}
	if o == nil || o.Enabled != nil && !*o.Enabled {
		return nil
	}
	first := func(field string, spellings ...string) string {
		for _, s := range spellings {
			if s != "" {
				return text(field, s)
			}
		}
		return ""
	}
	return &OAuth{
		ClientID:     first("oauth.clientId", o.ClientID, o.ClientID2, o.ClientID3),
		ClientSecret: Secret(first("oauth.clientSecret", o.ClientSecret, o.Secret2, o.Secret3)),
		Scopes:       slices.Concat([]string(o.Scopes), []string(e.OAuthScopes)),
		Issuer:       first("oauth.issuer", o.Issuer),
	}
}

// tokens adds the headers with values from environment variables that the entry names.
func (e *entry) tokens(s *Server) error {
	named := map[string]string{}
	for header, variable := range e.EnvHeaders {
		named[header] = variable
	}
	prefix := map[string]string{}
	if e.BearerEnv != "" {
		named["Authorization"] = e.BearerEnv
		prefix["Authorization"] = "Bearer "
	}
	var errs []error
	for _, header := range names(named) {
		v, ok := os.LookupEnv(named[header])
		if !ok {
			errs = append(errs, fmt.Errorf("header %q: environment variable %q is not set; set it", header, named[header]))
			continue
		}
		if s.Headers == nil {
			s.Headers = Secrets{}
		}
		s.Headers[header] = prefix[header] + v
		s.written.Headers = append(s.written.Headers, header)
	}
	slices.Sort(s.written.Headers)
	return errors.Join(errs...)
}
