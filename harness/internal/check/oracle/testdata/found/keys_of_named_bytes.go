package main

import (
	"crypto/hkdf"
	"crypto/pbkdf2"
	"crypto/sha256"
	"crypto/sha3"
	"encoding/json"
	"fmt"
	"net"
)

type own []byte

func show(key []byte, err error) { fmt.Printf("%x %v\n", key, err) }

func main() {
	show(hkdf.Extract(sha256.New, json.RawMessage("s"), nil))
	show(hkdf.Extract(sha256.New, own("s"), net.IP("salt")))
	show(hkdf.Extract(sha256.New, []byte(nil), own(nil)))
	show(hkdf.Key(sha256.New, json.RawMessage("s"), net.HardwareAddr(nil), "info", 16))
	show(hkdf.Key(sha256.New, own("s"), json.RawMessage("salt"), "info", 16))
	prk, _ := hkdf.Extract(sha256.New, []byte("s"), nil)
	show(hkdf.Expand(sha256.New, json.RawMessage(prk), "info", 16))
	show(pbkdf2.Key(sha3.New256, "pw", json.RawMessage("salt"), 3, 16))
	show(pbkdf2.Key(sha3.New256, "pw", nil, 3, 16))
}
