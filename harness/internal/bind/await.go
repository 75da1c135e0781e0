package bind

import (
	"context"
	"slices"
	"strings"

	"github.com/usetools/usetools/discovery"
	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/wrappers"
)

// await returns a catalog with the servers that the script means. It waits for the servers that
// the script names and then, if a phrase may mean others, briefly for the rest.
func (b *Bound) await(ctx context.Context, cat *catalog.Catalog) (*catalog.Catalog, error) {
	for _, last := range []bool{false, true} {
		if cat.Asking == nil {
			break
		}
		servers, open, err := b.missingServers(ctx, cat)
		if err != nil {
			return nil, err
		}
		if last && !open && len(servers) == 0 {
			break
		}
		if cat, err = cat.Asking.More(ctx, servers, open && last); err != nil {
			return nil, err
		}
		if err := cat.Load(); err != nil {
			return nil, err
		}
	}
	return cat, nil
}

// missingServers returns the servers that the script's names and phrases mean and that have not
// answered yet. open reports whether phrases may mean others.
func (b *Bound) missingServers(ctx context.Context, cat *catalog.Catalog) (servers []string, open bool, err error) {
	if err := b.use(cat); err != nil {
		return nil, false, err
	}
	add := func(name string) {
		if !slices.Contains(servers, name) && slices.Contains(cat.Asking.Servers, name) {
			servers = append(servers, name)
		}
	}
	for _, name := range b.Needs.Names {
		s, ok := b.View.Package(name.Package)
		if !ok && (!name.Std || name.Imported) {
			s, ok = b.View.NearPackage(name.Package)
		}
		if ok {
			add(s.Name)
		}
	}
	used := b.usedTools()
	open = len(b.Needs.Own) > 0 // the script looks for tools itself
	for _, p := range b.Needs.Phrases {
		server, known, err := b.serverOf(ctx, p.Text, used)
		if err != nil {
			return nil, false, err
		}
		if known {
			add(server)
		}
		open = open || !known
	}
	return servers, open, nil
}

// serverOf returns the server that a phrase means. known is false if another server's answer
// could change the result.
func (b *Bound) serverOf(ctx context.Context, phrase string, used []*wrappers.Tool) (server string, known bool, err error) {
	name, _, _ := strings.Cut(strings.TrimPrefix(strings.ReplaceAll(strings.TrimSpace(phrase), "__", "."), "mcp."), ".")
	name, _, _ = strings.Cut(name, "/")
	if s, ok := b.View.NearPackage(name); ok && !strings.Contains(name, " ") {
		return s.Name, true, nil
	}
	res, err := b.Catalog.Resolve(ctx, phrase, &discovery.ResolveOptions{Candidates: reach})
	if err != nil {
		return "", false, err
	}
	if s, ok := b.asksForServer(&res); ok {
		return s.Name, true, nil
	}
	if res.Verdict == discovery.Unavailable {
		return res.Server, true, nil
	}
	for _, t := range b.tools(res.Candidates) {
		if slices.Contains(used, t) || t.ID == res.Tool && (res.By == discovery.ByExact || res.By == discovery.ByMemory) {
			return t.Server, true, nil
		}
	}
	return "", false, nil
}
