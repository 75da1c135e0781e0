package main

import (
	"crypto/hkdf"
	"crypto/pbkdf2"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
)

// counted is a hash that counts what is written.
type counted struct {
	hash.Hash
	n *int
}

func (c *counted) Write(p []byte) (int, error) {
	*c.n += len(p)
	return c.Hash.Write(p)
}

type secret []byte

func main() {
	n := 0
	own := func() *counted { return &counted{sha256.New(), &n} }
	key, err := pbkdf2.Key(own, "password", []byte("salt"), 3, 20)
	fmt.Println(hex.EncodeToString(key), err, n)
	key, err = hkdf.Key(own, secret("s"), []byte("salt"), "info", 16)
	fmt.Println(hex.EncodeToString(key), err, n)
	prk, err := hkdf.Extract(own, secret("s"), nil)
	fmt.Println(hex.EncodeToString(prk), err)
	key, err = hkdf.Expand(sha256.New, prk, "info", 16)
	fmt.Println(hex.EncodeToString(key), err)
	_, err = hkdf.Expand(sha256.New, prk, "info", 1<<20)
	fmt.Println(err)
}
