package jsontree

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

// maxYAMLDepth bounds the nesting of a YAML document, its aliases included.
const maxYAMLDepth = 200

// FromYAML returns a YAML document whose value is an object as JSON, with its keys in their
// order. Aliases are written out: the result has at most about max bytes.
func FromYAML(data []byte, max int) (json.RawMessage, error) {
	var n yaml.Node
	if err := yaml.Unmarshal(data, &n); err != nil {
		return nil, fmt.Errorf("neither JSON nor YAML: %w", err)
	}
	if n.Kind != yaml.DocumentNode || len(n.Content) != 1 || n.Content[0].Kind != yaml.MappingNode {
		return nil, ErrNoObject
	}
	var b bytes.Buffer
	if err := writeNode(&b, n.Content[0], 0, max); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

func writeNode(b *bytes.Buffer, n *yaml.Node, depth, max int) error {
	switch {
	case depth > maxYAMLDepth:
		return fmt.Errorf("line %d: nested deeper than %d levels", n.Line, maxYAMLDepth)
	case b.Len() > max:
		return fmt.Errorf("larger than %d bytes once its aliases are written out", max)
	}
	switch n.Kind {
	case yaml.AliasNode:
		return writeNode(b, n.Alias, depth+1, max)
	case yaml.MappingNode:
		b.WriteByte('{')
		for i := 0; i+1 < len(n.Content); i += 2 {
			if i > 0 {
				b.WriteByte(',')
			}
			key, err := json.Marshal(n.Content[i].Value)
			if err != nil {
				return err
			}
			b.Write(key)
			b.WriteByte(':')
			if err := writeNode(b, n.Content[i+1], depth+1, max); err != nil {
				return err
			}
		}
		b.WriteByte('}')
		return nil
	case yaml.SequenceNode:
		b.WriteByte('[')
		for i, item := range n.Content {
			if i > 0 {
				b.WriteByte(',')
			}
			if err := writeNode(b, item, depth+1, max); err != nil {
				return err
			}
		}
		b.WriteByte(']')
		return nil
	}
	return writeScalar(b, n)
}

// writeScalar writes a number with its digits if JSON allows them, and every
// scalar other than a number, boolean or null as text.
func writeScalar(b *bytes.Buffer, n *yaml.Node) error {
	switch n.ShortTag() {
	case "!!null":
		b.WriteString("null")
		return nil
	case "!!bool":
		var v bool
		if n.Decode(&v) == nil {
			fmt.Fprint(b, v)
			return nil
		}
	case "!!int", "!!float":
		if json.Valid([]byte(n.Value)) && strings.ContainsAny(n.Value[:1], "-0123456789") { // not !!int "[1]"
			b.WriteString(n.Value)
			return nil
		}
		var v any
		if n.Decode(&v) == nil {
			if text, err := json.Marshal(v); err == nil { // 0x10, 1_000
				b.Write(text)
				return nil
			}
		}
	}
	text, err := json.Marshal(n.Value)
	b.Write(text)
	return err
}
