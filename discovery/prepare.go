package discovery

import (
	"iter"
	"runtime"
	"strings"

	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/text"
)

// toolText is the text of a tool that New reads: cut to a maximum length and folded, see tables.fold.
type toolText struct {
	name, head, tail, params, title string
	values, sentences               []string
	nameVerb, textVerb              verbSet
}

// prepare returns the texts of a tool. own is its description without the parts that ownTexts
// removes. Call it after addServers. It is safe for concurrent use.
func (b *builder) prepare(t *registry.Tool, own string) toolText {
	tb, w := b.ix.t, &b.ix.t.bm25
	name := text.First(t.Name, maxName)
	head := text.First(own, w.HeadChars)
	tail := text.First(own[len(head):], w.TailChars-w.HeadChars)
	names, values := properties(t.Input)
	params := text.First(strings.Join(names, " "), maxParams)
	title := t.Title
	if t.Annotations != nil {
		title += " " + t.Annotations.Title
	}
	title = text.First(title, 2*maxName)
	x := toolText{
		name: tb.fold(name), head: tb.fold(head), tail: tb.fold(tail), params: tb.fold(params), title: tb.fold(title),
		values: values, sentences: sentences(own, tb.candidates.Sentences),
	}
	for i, s := range x.values {
		x.values[i] = tb.fold(s)
	}
	for i, s := range x.sentences {
		x.sentences[i] = tb.fold(s)
	}
	x.nameVerb, x.textVerb = tb.toolVerbs(verbWords(name, b.servers[t.Server].stems), own)
	return x
}

// preparedAtOnce is how many tools a goroutine prepares in one batch.
const preparedAtOnce = 64

// prepared yields the tools in order. As many goroutines as there are processors prepare them.
func (b *builder) prepared() iter.Seq2[int, toolText] {
	type batch struct {
		texts    []toolText
		panicked any
	}
	tools := b.ix.reg.Tools
	return func(yield func(int, toolText) bool) {
		next := 0
		var waiting []chan batch
		begin := func() {
			from, to := next, min(next+preparedAtOnce, len(tools))
			next = to
			done := make(chan batch, 1)
			waiting = append(waiting, done)
			go func() {
				var x batch
				defer func() {
					x.panicked = recover()
					done <- x
				}()
				for i := from; i < to; i++ {
					x.texts = append(x.texts, b.prepare(&tools[i], b.ix.own[i]))
				}
			}()
		}
		for i := 0; i < len(tools); {
			for next < len(tools) && len(waiting) < runtime.GOMAXPROCS(0) {
				begin()
			}
			x := <-waiting[0]
			waiting = waiting[1:]
			if x.panicked != nil {
				panic(x.panicked) // on the caller's goroutine, which may recover
			}
			for _, text := range x.texts {
				if !yield(i, text) {
					return
				}
				i++
			}
		}
	}
}
