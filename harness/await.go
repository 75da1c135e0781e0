package harness

import (
	"context"
	"slices"
	"strings"

	"github.com/usetools/usetools/discovery"
	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/internal/worker"
	"github.com/usetools/usetools/wrappers"
)

// await returns a catalog that knows the servers which the script means: first those
// that it names, and then, where its phrases may mean others, a moment of those.
func (r *run) await(ctx context.Context, cat *catalog.Catalog, n *worker.Needs) (*catalog.Catalog, error) {
	for _, last := range []bool{false, true} {
		if cat.Asking == nil {
			break
		}
		servers, open, err := r.means(ctx, cat, n)
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

// means are the servers without an answer that a script means by its names and
// phrases. open says that phrases may mean others.
func (r *run) means(ctx context.Context, cat *catalog.Catalog, n *worker.Needs) (servers []string, open bool, err error) {
	if err := r.use(cat); err != nil {
		return nil, false, err
	}
	add := func(name string) {
		if !slices.Contains(servers, name) && slices.Contains(cat.Asking.Servers, name) {
			servers = append(servers, name)
		}
	}
	for _, name := range r.names {
		s, ok := r.view.Package(name.Package)
		if !ok && (!name.Std || name.Imported) {
			s, ok = r.view.NearPackage(name.Package)
		}
		if ok {
			add(s.Name)
		}
	}
	used := r.usedTools()
	open = len(n.Own) > 0 // it looks for tools itself
	for _, p := range n.Phrases {
		server, known, err := r.meansServer(ctx, p.Text, used)
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

// meansServer is the server that a phrase means, whatever others may say.
func (r *run) meansServer(ctx context.Context, phrase string, used []*wrappers.Tool) (server string, known bool,
	err error) {
	name, _, _ := strings.Cut(strings.TrimPrefix(strings.ReplaceAll(strings.TrimSpace(phrase), "__", "."), "mcp."), ".")
	name, _, _ = strings.Cut(name, "/")
	if s, ok := r.view.NearPackage(name); ok && !strings.Contains(name, " ") {
		return s.Name, true, nil
	}
	res, err := r.cat.Resolve(ctx, phrase, &discovery.ResolveOptions{Candidates: reach})
	if err != nil {
		return "", false, err
	}
	if s, ok := r.asksForServer(&res); ok {
		return s.Name, true, nil
	}
	if res.Verdict == discovery.Unavailable {
		return res.Server, true, nil
	}
	for _, c := range res.Candidates {
		if t, ok := r.view.Tool(c.ID); ok &&
			(slices.Contains(used, t) || c.ID == res.Tool && (res.By == discovery.ByExact || res.By == discovery.ByMemory)) {
			return t.Server, true, nil
		}
	}
	return "", false, nil
}
