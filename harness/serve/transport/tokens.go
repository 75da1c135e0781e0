package transport

import (
	"errors"
	"fmt"
	"os"
	"strings"
)

// minTokenBytes is the minimum length of a token.
const minTokenBytes = 16

// ReadTokens reads a file with a token, or a name and a token, on each line, and adds the token of
// the environment. Both may be empty. A token without a name is named by its place; that contains a
// space, which a name cannot.
func ReadTokens(file, env string) (map[string]string, error) {
	tokens := map[string]string{}
	add := func(name, token string) error {
		if len(token) < minTokenBytes {
			return fmt.Errorf("a token has %d bytes; want at least %d, as openssl rand -hex 16 makes them", len(token),
				minTokenBytes)
		}
		if tokens[name] != "" {
			return fmt.Errorf("the name %q is used twice: each token needs its own", name)
		}
		for other, t := range tokens {
			if t == token {
				return fmt.Errorf("%q has the same token as %q: each needs its own", name, other)
			}
		}
		tokens[name] = token
		return nil
	}
	if env != "" {
		if err := add("the environment", strings.TrimSpace(env)); err != nil {
			return nil, err
		}
	}
	if file == "" {
		return tokens, nil
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("reading tokens: %w", err)
	}
	n := 0
	for line := range strings.Lines(string(data)) {
		n++
		fields := strings.Fields(line)
		switch {
		case len(fields) == 0 || strings.HasPrefix(fields[0], "#"):
			continue
		case len(fields) == 1:
			err = add(fmt.Sprintf("line %d", n), fields[0])
		case len(fields) == 2:
			err = add(fields[0], fields[1])
		default:
			err = errors.New("want a token, or a name and a token")
		}
		if err != nil {
			return nil, fmt.Errorf("reading tokens: %s:%d: %w", file, n, err)
		}
	}
	if len(tokens) == 0 {
		return nil, fmt.Errorf("reading tokens: %s has none", file)
	}
	return tokens, nil
}
