package runtime

import "encoding/json"

// Splitting of JSON texts that are known to be valid. All parts are slices of the whole
// text and keep its capacity, from which their offset can be computed.

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }

// trim removes white space around a value.
func trim(raw []byte) []byte {
	i := 0
	for i < len(raw) && isSpace(raw[i]) {
		i++
	}
	return raw[i : i+valueLen(raw[i:])]
}

// valueLen returns the length of the value at the beginning of raw.
func valueLen(raw []byte) int {
	depth := 0
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case c == '"':
			for i++; i < len(raw) && raw[i] != '"'; i++ {
				if raw[i] == '\\' {
					i++
				}
			}
			if depth == 0 {
				return min(i+1, len(raw))
			}
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			if depth--; depth <= 0 {
				return i + 1
			}
		case depth == 0 && (c == ',' || c == ':' || isSpace(c)):
			return i
		case depth == 0 && i+1 < len(raw) && (raw[i+1] == '}' || raw[i+1] == ']'):
			return i + 1
		}
	}
	return len(raw)
}

// next returns the value at the beginning of raw, after white space and punctuation, and
// the rest after it. value is nil at the end of the list.
func next(raw []byte) (value, rest []byte) {
	i := 0
	for i < len(raw) && (isSpace(raw[i]) || raw[i] == ',' || raw[i] == ':') {
		i++
	}
	if i >= len(raw) || raw[i] == '}' || raw[i] == ']' {
		return nil, nil
	}
	n := valueLen(raw[i:])
	return raw[i : i+n], raw[i+n:]
}

// elements splits an array.
func elements(raw []byte) [][]byte {
	var list [][]byte
	for value, rest := next(raw[1:]); value != nil; value, rest = next(rest) {
		list = append(list, value)
	}
	return list
}

// members calls f for each member of an object, in order.
func members(raw []byte, f func(key string, value, rawKey []byte) error) error {
	for rawKey, rest := next(raw[1:]); rawKey != nil; rawKey, rest = next(rest) {
		var value []byte
		value, rest = next(rest)
		var key string
		if err := json.Unmarshal(rawKey, &key); err != nil {
			return err
		}
		if err := f(key, value, rawKey); err != nil {
			return err
		}
	}
	return nil
}
