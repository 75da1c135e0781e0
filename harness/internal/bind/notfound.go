package bind

import (
	"fmt"
	"slices"
	"strings"

	"github.com/usetools/usetools/discovery"
	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/registry"
)

// summary returns a one-line summary of an offered tool, and its distinction if another one has
// the same summary.
func summary(offered []discovery.Difference, i int) string {
	d := offered[i]
	same := func(o discovery.Difference) bool { return o.ID != d.ID && o.Summary == d.Summary }
	telling := d.Distinction()
	if telling == "" || !slices.ContainsFunc(offered, same) {
		return d.Summary
	}
	return strings.TrimPrefix(d.Summary+"; only here: "+telling, "; ")
}

// whyNot explains why a phrase has no tool, with a hint.
func (b *Bound) whyNot(phrase string, res *discovery.Resolution) (status outcome.Status, message, hint string) {
	switch {
	case res.Verdict == discovery.Unavailable:
		b.Down = append(b.Down, res.Server)
		return outcome.ToolNotFound, fmt.Sprintf("%q is unavailable now: %s", phrase, res.Note), ""
	case res.Verdict == discovery.Ambiguous && res.NoTool:
		return outcome.Ambiguous, fmt.Sprintf("no tool does %q", phrase),
			"do it another way; if one of these is meant, call it by its Go name, or put its ID into UseTools"
	case res.Verdict == discovery.Ambiguous:
		return outcome.Ambiguous, fmt.Sprintf("%q could mean several tools", phrase),
			"call the one that you mean by its Go name, or put its ID into UseTools"
	case res.Note != "" && b.Catalog.Misnamed(phrase, res.Note):
		return outcome.ToolNotFound, res.Note, "call one of its tools, or say in plain words what you need"
	}
	failed := failedServers(b.Catalog.Registry)
	if b.Catalog.Asking != nil {
		b.Down = append(b.Down, b.Catalog.Asking.Servers...)
	}
	for _, s := range failed {
		if s.Tools == 0 {
			b.Down = append(b.Down, s.Name)
		}
	}
	switch servers := b.Catalog.Registry.Servers; {
	case len(b.Catalog.Registry.Tools) > 0:
		hint = "reword the phrase with what the tool does and to what"
		if len(failed) > 0 {
			hint += "; these servers could not be asked: " + serverNames(failed)
		}
	case len(servers) == 0:
		hint = "no tools: the config names no servers"
	case len(failed) == 0:
		hint = "no tools: the servers have none, or their allow and deny lists exclude all: " + serverNames(servers)
	default:
		hint = fmt.Sprintf("no tools: no server could be asked: %s (%s)", serverNames(failed),
			serverError(failed[0].Name, *failed[0].Error))
	}
	return outcome.ToolNotFound, fmt.Sprintf("no tool found for %q", phrase), hint
}

// serverError returns a server's listing error, in at most 200 characters.
func serverError(name, message string) string {
	return registry.Printable(catalog.OfServer(name, message), 200)
}

// failedServers returns the servers whose last listing failed.
func failedServers(reg *registry.Registry) []registry.Server {
	return slices.DeleteFunc(slices.Clone(reg.Servers), func(s registry.Server) bool { return s.Error == nil })
}

func serverNames(servers []registry.Server) string {
	return join(", ", servers, func(s registry.Server) string { return s.Name })
}
