// Package embed turns a text into a unit vector, without a network, a GPU or
// a start-up cost: the cosine of two vectors says how near two texts are in
// meaning.
//
// The model is static: a table with one vector per word piece. A text is
// folded (accents), cut into runs, words and pieces, and its vector is the
// normalised sum of the pieces' rows. So a text's cosine with a query is also
// a sum of its pieces' dot products, which is what package discovery uses to
// score thousands of texts exactly without storing their vectors.
//
// [Default] parses the embedded model on first use; importing the package
// costs nothing. [EncodeI8] and [DecodeI8] are the form in which a registry
// stores vectors. The licence notice of the model is in NOTICE.md.
package embed
