package runtime

import (
	"crypto/hkdf"
	"crypto/pbkdf2"
	"hash"
	"reflect"
)

// The functions of crypto/hkdf and crypto/pbkdf2. They are generic in the type of hash that
// their first argument makes.

func hashMaker(h any) func() hash.Hash {
	if f, ok := h.(func() hash.Hash); ok {
		return f
	}
	f := reflect.ValueOf(h)
	return func() hash.Hash { return f.Call(nil)[0].Interface().(hash.Hash) }
}

// asBytes converts an argument whose underlying type is []byte.
func asBytes(x any) []byte {
	if x == nil {
		return nil
	}
	return reflect.ValueOf(x).Bytes()
}

func hkdfExtract(h, secret, salt any) ([]byte, error) {
	return hkdf.Extract(hashMaker(h), asBytes(secret), asBytes(salt))
}

func hkdfExpand(h, key, info, n any) ([]byte, error) {
	return hkdf.Expand(hashMaker(h), asBytes(key), info.(string), n.(int))
}

func hkdfKey(h, secret, salt, info, n any) ([]byte, error) {
	return hkdf.Key(hashMaker(h), asBytes(secret), asBytes(salt), info.(string), n.(int))
}

func pbkdf2Key(h, password, salt, rounds, n any) ([]byte, error) {
	return pbkdf2.Key(hashMaker(h), password.(string), asBytes(salt), rounds.(int), n.(int))
}
