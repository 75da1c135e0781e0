package openapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"go.yaml.in/yaml/v3"
)

const (
	// maxYAMLBytes bounds a document in YAML, whose parser is slow.
	maxYAMLBytes = 16 << 20
	maxDepth     = 200
)

// jsonOfYAML returns a YAML document as JSON, keys in their order. Aliases are
// written out, within the bounds of a document.
func jsonOfYAML(data []byte) ([]byte, error) {
	if len(data) > maxYAMLBytes {
		return nil, fmt.Errorf("larger than %d bytes of YAML; convert it to JSON", maxYAMLBytes)
	}
	var n yaml.Node
	if err := yaml.Unmarshal(data, &n); err != nil {
		return nil, fmt.Errorf("neither JSON nor YAML: %w", err)
	}
	if n.Kind != yaml.DocumentNode || len(n.Content) != 1 || n.Content[0].Kind != yaml.MappingNode {
		return nil, errors.New("no OpenAPI document: want an object")
	}
	var b bytes.Buffer
	if err := writeNode(&b, n.Content[0], 0); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

func writeNode(b *bytes.Buffer, n *yaml.Node, depth int) error {
	switch {
	case depth > maxDepth:
		return fmt.Errorf("line %d: nested deeper than %d levels", n.Line, maxDepth)
	case b.Len() > MaxBytes:
		return fmt.Errorf("larger than %d bytes once its aliases are written out", MaxBytes)
	}
	switch n.Kind {
	case yaml.AliasNode:
		return writeNode(b, n.Alias, depth+1)
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
			if err := writeNode(b, n.Content[i+1], depth+1); err != nil {
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
			if err := writeNode(b, item, depth+1); err != nil {
				return err
			}
		}
		b.WriteByte(']')
		return nil
	}
	return writeScalar(b, n)
}

// writeScalar writes a number with its digits where JSON knows them, and what
// is no number, boolean or null as text.
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
		if json.Valid([]byte(n.Value)) {
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
