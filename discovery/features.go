package discovery

import "slices"

// features are the inputs of the re-ranker for one candidate. The constants are the indexes.
type features [numFeatures]float64

const (
	bmRel     = iota // BM25, as a share of the best tool's
	bmCov            // BM25, as a share of the ideal
	cosFull          // cosine of phrase and full text
	cosSent          // cosine of phrase and the best sentence
	softAll          // how well the tool's words meet the phrase's
	nameSoft         // how well the phrase's words meet the name's
	headAll          // how well the tool's words meet the phrase's object words
	headCos          // cosine of the phrase's head and the full text
	verbConf         // 1 when the verbs of phrase and name contradict
	verbDesc         // how far the verbs of phrase and description agree
	nameLen          // distinct words of the name, in fives
	bigram           // share of the phrase's pairs of words that the tool has
	srvCue           // the phrase mentions the tool's server with a cue
	aboutNoun        // the name's last noun is the phrase's object, or its context
	elsewhere        // share of the phrase's words that only the tool's other texts have
	verbGap          // how far the verbs of phrase and description disagree; only the confidence reads it
	contrary         // 1 for a tool that contradicts the phrase, 3 if it deletes another thing, see direction.go

	// The rest distinguishes the tools of a big API, see gist.go.
	beside // share of the phrase's pairs of words that the tool's name or its summary's verb and object have; it affects only the order
	deed   // 1 if the tool has the phrase's verb and that is in no class; -1 if the tool only reads, or destroys, instead
	option // share of the phrase's words that only the values of the tool's parameters have

	numFeatures
)

var featureNames = [numFeatures]string{
	"bm_rel", "bm_cov", "cos_full", "cos_sent", "soft_all", "name_soft", "head_all", "head_cos",
	"verb_conf", "verb_desc", "name_len", "bigram", "srv_cue",
	"last_noun", "elsewhere", "verb_gap", "contrary", "beside", "deed", "option",
}

func featureIndex(name string) int { return slices.Index(featureNames[:], name) }

// features computes the features of a candidate.
func (q *query) features(c *candidate) features {
	ix, tool := q.ix, c.tool
	var f features
	f[bmRel], f[cosFull], f[cosSent] = c.bmRel, float64(c.cos.full), float64(c.cos.sentence)
	if q.ideal > 0 {
		f[bmCov] = float64(q.bm[tool]) / q.ideal
	}
	f[srvCue] = q.mention(tool)
	if len(q.words) > 0 {
		q.match.best(ix.words.textOf(tool), q.met)
		for i, w := range q.words {
			f[softAll] += w.weight * float64(q.met[i])
		}
		f[headAll] = q.objectsMet()
		f[nameSoft] = q.match.explained(ix.words.nameOf(tool))
	}
	if a, known := ix.t.agreement(q.verb, ix.nameVerb[tool]); known && a < .25 {
		f[verbConf] = 1
	}
	f[verbDesc] = .3
	if a, known := ix.t.agreement(q.verb, ix.textVerb[tool]); known {
		f[verbDesc] = a
		if q.asks {
			f[verbGap] = 1 - a
		}
	}
	f[nameLen] = float64(ix.nameLen[tool]) / 5
	d := ix.direction(tool)
	f[bigram], f[beside] = q.sideBySide(d.terms), q.sideBySide(d.words)
	f[deed], f[option] = q.deedMatch(tool), q.metOnlyIn(d.options)
	f[aboutNoun] = q.headNounMatch(tool)
	f[elsewhere] = q.metInSecondary(tool)
	switch q.contradicts(tool) {
	case "":
	case deletesOther:
		f[contrary] = 3
	default:
		f[contrary] = 1
	}
	f[headCos] = f[cosFull]
	if len(q.head) > 0 && q.foreign == 0 && !(q.blind && len(q.full) > 0) {
		f[headCos] = float64(ix.vectors.full(&q.headDots, tool))
	}
	return f
}

// objectsMet returns soft_all over only the object words of the phrase's head.
func (q *query) objectsMet() float64 {
	var met, all float64
	for _, i := range q.objects {
		met += q.words[i].weight * float64(q.met[i])
		all += q.words[i].weight
	}
	return met / max(all, 1e-9)
}
