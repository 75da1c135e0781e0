package shorten

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"strings"

	"github.com/usetools/usetools/registry/jsontree"
)

// ReplaceImages returns a value with each image in it, a block of MCP content with base64, replaced
// by the text that by returns.
func ReplaceImages(value json.RawMessage, by func(mimeType string, data []byte) string) json.RawMessage {
	if !bytes.Contains(value, []byte(`"image"`)) || !bytes.Contains(value, []byte(`"mimeType"`)) {
		return value
	}
	var out []byte
	done := 0 // bytes of value
	var walk func(n *jsontree.Value)
	walk = func(n *jsontree.Value) {
		img := imageOf(n)
		if img == nil {
			for _, item := range n.Items {
				walk(item)
			}
			return
		}
		out = append(append(out, value[done:n.Start]...), Quote(by(img.mimeType, img.data))...)
		done = n.Start + len(n.Raw)
	}
	walk(Parse(value))
	if done == 0 {
		return value
	}
	return append(out, value[done:]...)
}

// image is a block of MCP content.
type image struct {
	mimeType string
	data     []byte
}

// imageOf reads {"type": "image", "mimeType": …, "data": base64}.
func imageOf(n *jsontree.Value) *image {
	field := map[string]string{}
	for i, k := range n.Keys {
		if k == "type" || k == "mimeType" || k == "data" {
			field[k] = n.Items[i].Text
		}
	}
	if field["type"] != "image" || !strings.HasPrefix(field["mimeType"], "image/") {
		return nil
	}
	data, err := base64.StdEncoding.DecodeString(field["data"])
	if err != nil || len(data) == 0 {
		return nil
	}
	return &image{field["mimeType"], data}
}
