//go:build !slow

package gotype

// sampleTypes is how many packages of random types TestRandomTypes makes.
const sampleTypes = 15
