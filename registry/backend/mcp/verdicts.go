package mcp

import (
	"sync"

	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/config"
)

// Verdicts remembers what servers turned out to speak, so that the next
// connection begins with that: a process need not be started twice, a URL not
// be asked in vain. A verdict that no longer holds costs one attempt. The
// zero value knows nothing; it may be used from several goroutines.
type Verdicts struct{ by sync.Map } // by name of the server

// verdict is one way to connect; empty: unknown.
type verdict string

const (
	speaksLegacy verdict = "legacy"
	speaksModern verdict = "modern"
	speaksSSE    verdict = "sse"
)

// Learn takes over what an earlier build noted of a server.
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
