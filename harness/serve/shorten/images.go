package shorten

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"strings"
)

// ReplaceImages is a value with each image in it, a block of MCP content with
// base64, replaced by the text that by returns for it.
func ReplaceImages(value json.RawMessage, by func(mimeType string, data []byte) string) json.RawMessage {
	if !bytes.Contains(value, []byte(`"image"`)) || !bytes.Contains(value, []byte(`"mimeType"`)) {
		return value
	}
	var out []byte
	done := 0 // bytes of value
	var walk func(n *Node)
	walk = func(n *Node) {
		img := imageOf(n)
		if img == nil {
			for _, item := range n.items {
				walk(item)
			}
			return
		}
		out = append(append(out, value[done:n.start]...), Quote(by(img.mimeType, img.data))...)
		done = n.start + len(n.raw)
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
func imageOf(n *Node) *image {
	field := map[string]string{}
	for i, k := range n.keys {
		if k == "type" || k == "mimeType" || k == "data" {
			field[k] = n.items[i].text()
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
