// Package guard shares a server's places and memory among its clients: the identity of a client
// (Owner), the order of scripts (Queue), and how much memory scripts and large messages may take.
// It does not depend on protocols or sessions.
package guard

import (
	"crypto/sha256"
	"fmt"
	"strings"

	"github.com/usetools/usetools/registry/localfile"
)

// Owner is the client that a session's lasting data belongs to: a token, if tokens distinguish
// clients, or one of the constants below.
type Owner string

const (
	// Operator is the person who starts the server: its client on stdio, the only token, or,
	// without tokens, the machine's own clients.
	Operator Owner = ""
	// Anonymous is any client without a token at an address that is open to all.
	Anonymous Owner = "nobody" //english:allow the value is part of keys
)

// TokenOwner returns the owner with a token. It contains the token, because the name may belong to
// another token after the file of tokens was edited.
func TokenOwner(name, token string) Owner { return Owner(name + "\x00" + token) }

// Token returns the name of the owner's token. It is empty if tokens do not distinguish clients.
func (o Owner) Token() string {
	name, _, ok := strings.Cut(string(o), "\x00")
	if !ok {
		return ""
	}
	return name
}

// Subject returns the owner's name in records of runs. For a token without a name it has a part of
// the token's digest, which distinguishes it from a later token in its place.
func (o Owner) Subject() string {
	name, token, _ := strings.Cut(string(o), "\x00")
	switch {
	case o == Anonymous:
		return "no token" // cannot be a name
	case strings.Contains(name, " "):
		sum := sha256.Sum256([]byte(token))
		return fmt.Sprintf("%s (%x)", name, sum[:4])
	}
	return name
}

// Key returns the key of the owner's own data, or "" for the operator.
func (o Owner) Key() string {
	if o == Operator {
		return ""
	}
	return localfile.ApartKey(string(o))
}
