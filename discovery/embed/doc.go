// Package embed turns a text into a unit vector, without a network, a GPU or
// a start-up cost. The cosine of two vectors says how similar in meaning two texts
// are.
//
// The model is static: a table with one vector per word piece. A text is
// folded (accents), cut into runs, words and pieces, and its vector is the
// normalised sum of the pieces' rows. So a text's cosine with a query is also
// a sum of its pieces' dot products. Package discovery uses this to score
// thousands of texts exactly without storing their vectors.
//
// [Default] parses the embedded model on first use; importing the package
// costs nothing. [EncodeI8] and [DecodeI8] convert vectors to and from the bytes
// that a registry stores. The licence notice of the model is in NOTICE.md.
package embed
