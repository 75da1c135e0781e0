package discovery

import "math"

// confidenceModel computes how far the first candidate can be trusted. It is two logistic models:
// one for "it is the right tool", one for "the right tool is in the registry at all". Both were
// calibrated on scores of data that the re-ranker had not seen.
type confidenceModel struct {
	inputs             []confidenceInput
	right, found       []float64
	resolved, notFound float64 // thresholds of the two
}

// confidenceInput is the index of a feature, or one of these.
type confidenceInput int

const (
	inputBias   confidenceInput = -2 - iota // always 1
	inputShare                              // the first candidate's share of the softmax
	inputMargin                             // its lead over the second one, at most maxMargin
)

const maxMargin = 6

// Verdict says whether a phrase means one tool.
type Verdict string

const (
	Resolved  Verdict = "resolved"  // one tool, with enough confidence
	Ambiguous Verdict = "ambiguous" // the right tool seems to be among the candidates
	NotFound  Verdict = "not_found" // no tool fits
	// Unavailable means that the phrase means a server that could not be asked for its tools; see
	// Resolution.Server.
	Unavailable Verdict = "unavailable"
)

// judge returns two probabilities: that the first of the ranked candidates is right, and that the
// right tool is in the registry.
func (m *confidenceModel) judge(ranked []candidate) (right, found float64) {
	margin, all := float64(maxMargin), 1.0
	for i := range ranked[1:] {
		lead := ranked[0].sure - ranked[i+1].sure
		margin, all = min(margin, lead), all+math.Exp(-lead)
	}
	for i, in := range m.inputs {
		var x float64
		switch in {
		case inputBias:
			x = 1
		case inputShare:
			x = 1 / all
		case inputMargin:
			x = margin
		default:
			x = ranked[0].features[in]
		}
		right += x * m.right[i]
		found += x * m.found[i]
	}
	return logistic(right), logistic(found)
}

func logistic(x float64) float64 { return 1 / (1 + math.Exp(-max(-30, min(30, x)))) }

// verdict applies the thresholds; enough is the one for Resolved.
func (m *confidenceModel) verdict(right, found, enough float64) Verdict {
	switch {
	case right >= enough:
		return Resolved
	case found < m.notFound:
		return NotFound
	}
	return Ambiguous
}
