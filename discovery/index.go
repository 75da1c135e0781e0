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
	// Aliases are additional names of servers, by server name. A phrase that mentions one means
	// the server. A server's title is always an alias.
	Aliases map[string][]string
	// Prefer lists names of servers, the best first. If several servers offer the same tool, the
	// first of these servers gets the call. If no such server is in Prefer, the phrase is
	// ambiguous.
	Prefer []string
	// Threshold is the lowest confidence at which a phrase is resolved, above 0 and up to 1. If
	// zero, it is the threshold that the confidence was calibrated for, .6.
	Threshold float64
	// Memory recalls the tools that phrases led to in earlier runs. If nil, nothing is recalled.
	// It is called concurrently.
	Memory Memory

	// Hints returns the trusted annotations of a tool. If nil, all annotations are trusted. It is
	// called concurrently.
	Hints func(t *registry.Tool) *registry.Annotations

	// Embedder replaces the built-in model where a phrase is compared with tools' full texts. The
	// registry must have its vectors (see EmbedWith), otherwise New returns an *EmbedderError. If
	// it does not answer for a phrase within 5 s, the built-in model is used and the answer says
	// so. If nil, the built-in model is used for everything.
	Embedder Embedder

	// Categories overrides the categories of tools. Keys are patterns of path.Match for a tool's
	// ID, or names of servers. The longest matching pattern wins.
	Categories map[string]string
}

// Index finds tools of one registry by phrases. It is immutable and safe for concurrent use. Make
// a new one after a rebuild of the registry.
type Index struct {
	t                  *tables
	model              *embed.Model
	reg                *registry.Registry
	all                []int32 // 0, 1, 2 …: the indexes of the tools in the registry
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
	inName         []uint8 // per stem: 1 if a tool's name has it
	serverMentions mentionLeg
	nameVerb       []verbSet // per tool
	textVerb       []verbSet
	nameLen        []uint16 // per tool: distinct stems of its name
	headNouns      []int32  // per tool: the last noun of its name, in the word leg, or -1
	// directions describe the actions of the tools; see Index.direction.
	directions []atomic.Pointer[direction]
	own        []string // per tool: its description without repeated parts, see ownTexts
	uncallable []bool   // per tool: it cannot be called
	exact      exactNames

	overrides  map[string]string // Options.Categories
	categories categories

	queries sync.Pool // of *query
}

// New returns an index of reg, which must not change afterwards. opts may be nil. It takes about
// 20 µs per tool and uses no network. It computes the built-in model's vectors anew, because the
// registry stores rounded ones, but takes those of Options.Embedder from the registry. It returns
// an *EmbedderError if reg lacks them.
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
