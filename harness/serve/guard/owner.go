// Package guard shares a server's places and memory among its clients: who a client is
// (Owner), whose script runs next (Queue), and how much memory scripts and large messages
// may take. It knows no protocol and no session.
package guard

import (
	"crypto/sha256"
	"fmt"
	"strings"

	"github.com/usetools/usetools/registry/localfile"
)

// Owner is the client that a session belongs to, for all that outlives it: a token, where these tell
// clients apart, or one of these.
type Owner string

const (
	// Operator is the person who starts the server: its client on stdio, the holder of the only
	// token, and the machine's own clients where there is none.
	Operator Owner = ""
	// Nobody is any client without a token at an address that is open to all.
	Nobody Owner = "nobody"
)

// TokenOwner returns the owner with a token. The token is in it, because its name may
// be that of another one after the file of tokens was edited.
func TokenOwner(name, token string) Owner { return Owner(name + "\x00" + token) }

// Token returns the name of the owner's token, empty where tokens do not tell clients apart.
func (o Owner) Token() string {
	name, _, ok := strings.Cut(string(o), "\x00")
	if !ok {
		return ""
	}
	return name
}

// Subject returns the owner as records of runs name it. A token without a
// name of its own is told from another one in its place by a part of its digest.
func (o Owner) Subject() string {
	name, token, _ := strings.Cut(string(o), "\x00")
	switch {
	case o == Nobody:
		return "no token" // which is no name
	case strings.Contains(name, " "):
		sum := sha256.Sum256([]byte(token))
		return fmt.Sprintf("%s (%x)", name, sum[:4])
	}
	return name
}

// Key returns the key of what the owner has beside the operator, "" for the operator.
func (o Owner) Key() string {
	if o == Operator {
		return ""
	}
	return localfile.ApartKey(string(o))
}
