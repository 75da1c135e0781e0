package mcp

import (
	"sync"

	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/config"
)

// Verdicts remembers which handshake each server accepted, so that the next connection
// begins with it: a process is not started twice, and a URL not tried in vain. An
// outdated verdict costs one attempt. The zero value is empty. It is safe for
// concurrent use.
type Verdicts struct{ by sync.Map } // by name of the server

// verdict is one way to connect. If empty, it is unknown.
type verdict string

const (
	speaksLegacy verdict = "legacy"
	speaksModern verdict = "modern"
	speaksSSE    verdict = "sse"
)

// Learn takes the verdict on a server from its entry in a registry.
func (v *Verdicts) Learn(s registry.Server) {
	if v == nil {
		return
	}
	switch {
	case s.Error != nil || s.Protocol == "":
	case s.Transport == config.SSE:
		v.set(s.Name, speaksSSE)
	case s.Protocol > legacyProtocol: // revisions are dates
		v.set(s.Name, speaksModern)
	default:
		v.set(s.Name, speaksLegacy)
	}
}

func (v *Verdicts) of(server string) verdict {
	if v == nil {
		return ""
	}
	is, _ := v.by.Load(server)
	d, _ := is.(verdict)
	return d
}

func (v *Verdicts) set(server string, d verdict) {
	if v != nil {
		v.by.Store(server, d)
	}
}
