package discovery

import (
	"context"
	"fmt"
	"slices"

	"github.com/usetools/usetools/discovery/embed"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/text"
)

// Embedder makes vectors with a model other than the built-in one. Package remote implements it
// for Ollama and OpenAI.
type Embedder interface {
	// Identity is how a registry names the vectors, of encoding "f32". Dimensions may be 0 until
	// Embed was called.
	Identity() registry.Embedder
	// Embed returns one unit vector per text, all of the same dimensions.
	Embed(ctx context.Context, texts []string) ([][]float32, error)
}

// EmbedderError is returned by New if a registry lacks vectors of Options.Embedder. [EmbedWith]
// makes them.
type EmbedderError struct {
	Have *registry.Embedder // nil if the registry lacks some or all vectors
	Want registry.Embedder
}

func (e *EmbedderError) Error() string {
	have := "does not have all its vectors"
	if e.Have != nil {
		have = fmt.Sprintf("has vectors of the embedder %q (%d dimensions)", e.Have.Name, e.Have.Dimensions)
	}
	return fmt.Sprintf("the registry %s, but the configured embedder is %q; rebuild it with build-registry", have, e.Want.Name)
}

// EmbedWith returns a function for build.Options.Embed. It gives each tool of a registry a vector
// made by e, and a category to each tool without one. A nil e means the built-in model, as with
// EmbedTools. It keeps vectors that the same embedder made. The function's errors are those of e.
func EmbedWith(e Embedder) func(context.Context, *registry.Registry) error {
	return func(ctx context.Context, reg *registry.Registry) error {
		categorize(reg)
		if e == nil {
			return EmbedTools(ctx, reg)
		}
		keep := reg.Embedder != nil && sameEmbedder(*reg.Embedder, e.Identity())
		own := ownTexts(reg.Tools)
		var texts []string
		var missing []*registry.Tool
		for i := range reg.Tools {
			t := &reg.Tools[i]
			if keep {
				if _, err := embed.DecodeF32(t.Embedding, reg.Embedder.Dimensions); err == nil {
					continue
				}
			}
			texts, missing = append(texts, fullText(t, own[i])), append(missing, t)
		}
		vectors, err := e.Embed(ctx, texts)
		if err != nil {
			return err
		}
		id := e.Identity()
		if len(vectors) == 0 {
			if !keep {
				reg.Embedder = &id
			}
			return nil
		}
		if keep && len(vectors[0]) != reg.Embedder.Dimensions {
			return fmt.Errorf("the embedder %q makes vectors of %d dimensions now, %d before: delete the registry to rebuild "+
				"all of them",
				id.Name, len(vectors[0]), reg.Embedder.Dimensions)
		}
		for i, t := range missing {
			t.Embedding = embed.EncodeF32(vectors[i])
		}
		id.Dimensions = len(vectors[0])
		reg.Embedder = &id
		return nil
	}
}

// Embedded reports whether all tools of a registry have vectors made by e; nil means the built-in
// model. If not, [EmbedWith] makes them.
func Embedded(reg *registry.Registry, e Embedder) bool {
	if len(reg.Tools) == 0 {
		return true
	}
	id := embed.Identity()
	if e != nil {
		id = e.Identity()
	}
	if reg.Embedder == nil || !sameEmbedder(*reg.Embedder, id) {
		return false
	}
	size := 4 * reg.Embedder.Dimensions // f32
	if e == nil {
		size = 4 + id.Dimensions // i8
	}
	return !slices.ContainsFunc(reg.Tools, func(t registry.Tool) bool { return len(t.Embedding) != size })
}

// sameEmbedder reports whether one model made the vectors of both. Unknown dimensions match any.
func sameEmbedder(a, b registry.Embedder) bool {
	return a.Name == b.Name && a.Encoding == b.Encoding && a.SHA256 == b.SHA256 &&
		(a.Dimensions == b.Dimensions || a.Dimensions == 0 || b.Dimensions == 0)
}

// fullText returns the text that a tool's stored vector represents. own is its description, see
// ownTexts.
func fullText(t *registry.Tool, own string) string {
	head := text.First(own, loadTables().bm25.HeadChars)
	return t.Name + ": " + head
}

// EmbedTools gives each tool of a registry the built-in model's vector of its full text (name and
// head of the description), and sets reg.Embedder. It keeps vectors that the same model made. It
// fits build.Options.Embed. The error is that of ctx.
func EmbedTools(ctx context.Context, reg *registry.Registry) error {
	id, model := embed.Identity(), embed.Default()
	keep := reg.Embedder != nil && *reg.Embedder == id
	own := ownTexts(reg.Tools)
	for i := range reg.Tools {
		if err := ctx.Err(); err != nil {
			return err
		}
		t := &reg.Tools[i]
		if _, err := embed.DecodeI8(t.Embedding, id.Dimensions); keep && err == nil {
			continue
		}
		t.Embedding = embed.EncodeI8(model.Embed(fullText(t, own[i])))
	}
	reg.Embedder = &id
	return nil
}
