package discovery

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	chromem "github.com/philippgille/chromem-go"

	"github.com/usetools/usetools/discovery/embed"
	"github.com/usetools/usetools/registry/text"
)

// An external embedder (Options.Embedder) replaces the built-in model for one number: the cosine
// of the phrase with a tool's full text. The registry stores its vectors of the tools; chromem
// compares them. Words, names and sentences stay with the built-in model.
//
// The re-ranker was fitted to the built-in model's cosines, and every model has its own range:
// with some models, unrelated texts have a cosine of .6. So cosines are mapped to the built-in
// model's scale by a line through two points that both models have for the registry's tools: the
// mean cosine of two tools, and the mean cosine of a tool and its nearest neighbour.

// externalLeg scores tools by the vectors of an external embedder. It is nil if none is
// configured.
type externalLeg struct {
	near          *chromem.Collection // of the full vectors; IDs are indexes in the registry
	embedder      Embedder
	dims          int
	slope, offset float32
}

// externalTimeout bounds the wait for the vector of a phrase.
const externalTimeout = 5 * time.Second

const (
	// calibrated is the most tools that are compared for the calibration, and calibratedLeast the
	// fewest that are enough for one.
	calibrated      = 128
	calibratedLeast = 8
	slopeLeast      = .25
	slopeMost       = 8
)

// errNoText is the error if chromem asks for the embedding of a text. It never should: it gets
// only vectors.
var errNoText = errors.New("discovery: chromem is given vectors, never texts")

// openCollection creates the collection of the full vectors. Its embedding function is always
// ours, because chromem's default would call a remote service.
func openCollection() (*chromem.Collection, error) {
	return chromem.NewDB().CreateCollection("tools", nil, func(context.Context, string) ([]float32, error) {
		return nil, errNoText
	})
}

// addNear passes tool i's full vector to chromem, which keeps the slice. Do not add a zero
// vector: it is near nothing.
func addNear(c *chromem.Collection, tool int, full []float32) error {
	err := c.AddDocument(context.Background(), chromem.Document{ID: strconv.Itoa(tool), Embedding: full})
	if err != nil {
		return fmt.Errorf("indexing tool %d: %w", tool, err)
	}
	return nil
}

// openExternal passes the registry's vectors to chromem.
func (ix *Index) openExternal(e Embedder) error {
	reg, want := ix.reg, e.Identity()
	if len(reg.Tools) == 0 {
		return nil
	}
	if reg.Embedder == nil || !sameEmbedder(*reg.Embedder, want) {
		return &EmbedderError{Have: reg.Embedder, Want: want}
	}
	near, err := openCollection()
	if err != nil {
		return err
	}
	o := &externalLeg{near: near, embedder: e, dims: reg.Embedder.Dimensions}
	vectors := make([][]float32, len(reg.Tools))
	for i := range reg.Tools {
		if vectors[i], err = embed.DecodeF32(reg.Tools[i].Embedding, o.dims); err != nil {
			return &EmbedderError{Want: want}
		}
		if isZero(vectors[i]) {
			continue
		}
		if err := addNear(near, i, vectors[i]); err != nil {
			return err
		}
	}
	o.calibrate(ix, vectors)
	ix.external = o
	return nil
}

// calibrate sets the line that maps cosines to the built-in model's scale.
func (o *externalLeg) calibrate(ix *Index, vectors [][]float32) {
	o.slope = 1
	tools := ix.reg.Tools
	if len(tools) < calibratedLeast {
		return
	}
	n := min(len(tools), calibrated)
	var ours, theirs [][]float32
	for k := range n {
		i := k * len(tools) / n
		ours = append(ours, ix.model.Embed(fullText(&tools[i], ix.own[i])))
		theirs = append(theirs, vectors[i])
	}
	ourMean, ourNearest := likeness(ours)
	mean, nearest := likeness(theirs)
	if nearest-mean < 1e-3 || ourNearest-ourMean < 1e-3 {
		return
	}
	o.slope = min(slopeMost, max(slopeLeast, (ourNearest-ourMean)/(nearest-mean)))
	o.offset = ourMean - o.slope*mean
}

// likeness returns the mean cosine of all pairs of unit vectors, and the mean cosine of each with
// its nearest one.
func likeness(vectors [][]float32) (mean, nearest float32) {
	best := make([]float32, len(vectors))
	for i := range vectors {
		for j := range i {
			var c float32
			for k, x := range vectors[i] {
				c += x * vectors[j][k]
			}
			mean += c
			best[i], best[j] = max(best[i], c), max(best[j], c)
		}
	}
	for _, c := range best {
		nearest += c
	}
	n := float32(len(vectors))
	return mean / (n * (n - 1) / 2), nearest / n
}

// embedExternal embeds the phrase with the external embedder and sets the query's cosines with
// all tools. If it fails, the built-in model answers alone and the answer's note says why.
func (q *query) embedExternal(ctx context.Context) {
	o := q.ix.external
	if o == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, externalTimeout)
	defer cancel()
	vectors, err := o.embedder.Embed(ctx, []string{q.phrase})
	if err == nil && (len(vectors) != 1 || len(vectors[0]) != o.dims) {
		err = fmt.Errorf("the embedder did not return one vector of %d dimensions, as the registry has", o.dims)
	}
	if err == nil {
		err = q.compareExternal(ctx, o.near, vectors[0])
	}
	if err != nil {
		q.full = q.full[:0]
		q.note = text.First(fmt.Sprintf("the embedded model was used instead: %v", err), maxWhy)
	}
}

// compareExternal sets q.full, the cosines of all tools with the vector v.
func (q *query) compareExternal(ctx context.Context, near *chromem.Collection, v []float32) error {
	q.full = slices.Grow(q.full, len(q.ix.all))[:len(q.ix.all)]
	clear(q.full)
	if near.Count() == 0 {
		return nil
	}
	// chromem may normalise its argument
	found, err := near.QueryEmbedding(ctx, slices.Clone(v), near.Count(), nil, nil)
	if err != nil {
		return fmt.Errorf("searching vectors: %w", err)
	}
	o := q.ix.external
	for _, r := range found {
		tool, err := strconv.Atoi(r.ID)
		if err != nil {
			return fmt.Errorf("searching vectors: %w", err)
		}
		q.full[tool] = max(-1, min(1, o.slope*r.Similarity+o.offset))
	}
	return nil
}

// compare returns the cosines of a tool's texts with the phrase.
func (q *query) compare(tool int32) cosines {
	c := q.foreignCosines(q.ix.vectors.compare(&q.textDots, tool), tool)
	if len(q.full) > 0 {
		c.full = q.full[tool]
		if q.blind { // the embedded model has no word of the phrase
			c.sentence = c.full
		}
	}
	return c
}
