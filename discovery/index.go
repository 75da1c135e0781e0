package discovery

import (
	"cmp"
	"sync"
	"sync/atomic"

	"github.com/usetools/usetools/discovery/embed"
	"github.com/usetools/usetools/registry"
)

// Options configure an Index. A nil *Options means all zero values.
type Options struct {
	// Aliases are further names of servers by their names: a phrase that
	// mentions one of them means the server. A server's title is one anyway.
	Aliases map[string][]string
	// Prefer are names of servers, the best first. Where several servers
	// offer the same tool, the first of these that does gets it. Without
	// one of them such a phrase is ambiguous.
	Prefer []string
	// Threshold is the least confidence of a resolved phrase, above 0 and up
	// to 1; 0 means the one that the confidence was calibrated for, .6.
	Threshold float64
	// Memory recalls the tools that phrases led to in earlier runs. If nil,
	// nothing is recalled. It is used concurrently.
	Memory Memory

	// Hints returns those hints about a tool that count; nil: all do. It is
	// called concurrently.
	Hints func(t *registry.Tool) *registry.Annotations

	// Embedder replaces the embedded model where a phrase is compared with
	// tools' full texts; the registry must have its vectors (EmbedWith), else
	// New returns an *EmbedderError. A phrase that it does not answer within
	// 5 s is left to the embedded model, and the answer says so. nil: the
	// embedded model does everything.
	Embedder Embedder

	// Categories gives tools a category whatever their text says, by patterns
	// of path.Match over a tool's ID, or a server's name. Of several patterns
	// that fit the longest counts.
	Categories map[string]string
}

// Index finds tools of one registry by phrases. It is immutable and safe for
// concurrent use. After a rebuild of the registry make a new one.
type Index struct {
	t                  *tables
	model              *embed.Model
	reg                *registry.Registry
	all                []int32 // 0, 1, 2 …: the places of the tools in the registry
	prefer             map[string]int
	threshold          float64 // Options.Threshold, or its default
	memory             Memory
	hints              func(t *registry.Tool) *registry.Annotations
	unavailableServers []unavailableServer

	bm25           bm25Leg
	vectors        vectorLeg
	external       *externalLeg
	words          wordLeg
	secondary      secondaryText
	inName         []uint8 // per stem: 1 where a tool's name has it
	serverMentions mentionLeg
	nameVerb       []verbSet // per tool
	textVerb       []verbSet
	nameLen        []uint16 // per tool: distinct stems of its name
	headNouns      []int32  // per tool: the last noun of its name, in the word leg; -1 for none
	// directions are what the tools do, see Index.direction.
	directions []atomic.Pointer[direction]
	own        []string // per tool: its description, see ownTexts
	uncallable []bool   // per tool: it cannot be called
	exact      exactNames

	overrides  map[string]string // Options.Categories
	categories categories

	queries sync.Pool // of *query
}

// New returns an index of reg, which must not change afterwards. opts may be
// nil. It takes about 20 µs a tool and uses no network. The built-in model's
// vectors are computed again, because the registry stores rounded ones; those of
// Options.Embedder are taken from the registry. It returns an *EmbedderError if
// reg lacks them.
func New(reg *registry.Registry, opts *Options) (*Index, error) {
	if opts == nil {
		opts = &Options{}
	}
	reg = reg.Printable()
	ix := &Index{
		t: loadTables(), model: embed.Default(), reg: reg, all: make([]int32, len(reg.Tools)),
		prefer: map[string]int{}, memory: opts.Memory, hints: opts.Hints,
	}
	ix.threshold = cmp.Or(opts.Threshold, ix.t.confidence.resolved)
	for i := range ix.all {
		ix.all[i] = int32(i)
	}
	for i, s := range opts.Prefer {
		if _, again := ix.prefer[s]; !again {
			ix.prefer[s] = i
		}
	}
	if err := checkCategories(opts.Categories); err != nil {
		return nil, err
	}
	ix.overrides = opts.Categories
	ix.vectors.model, ix.words.model = ix.model, ix.model
	ix.directions = make([]atomic.Pointer[direction], len(reg.Tools))
	ix.build(opts.Aliases)
	ix.findIdle()
	ix.unavailableServers = ix.findUnavailable(opts.Aliases)
	if opts.Embedder != nil {
		if err := ix.openExternal(opts.Embedder); err != nil {
			return nil, err
		}
	}
	return ix, nil
}

// build fills the legs.
func (ix *Index) build(aliases map[string][]string) {
	ix.exact = newExactNames(ix.reg.Tools)
	ix.own = ownTexts(ix.reg.Tools)
	b := newBuilder(ix)
	b.addServers(aliases)
	for i, text := range b.prepared() {
		b.addTool(int32(i), &ix.reg.Tools[i], &text)
	}
	b.finish()
}
