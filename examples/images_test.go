package examples

import (
	"bytes"
	"encoding/json"
	"image/png"
	"os"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func TestAnImageComesThrough(t *testing.T) {
	t.Parallel()
	c := newCommand(t, "images/.mcp.json")
	drawn := func(name string, data []byte) {
		t.Helper()
		picture, err := png.Decode(bytes.NewReader(data))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if size := picture.Bounds().Size(); size.X != 480 || size.Y != 240 {
			t.Errorf("%s: %v", name, size)
		}
	}
	v := value[struct {
		Chart struct {
			Type, MIMEType string
			Data           []byte
		}
		Pixels int
	}](t, c, "", script(t, "images"))
	drawn("run -json", v.Chart.Data)
	if v.Chart.Type != "image" || v.Chart.MIMEType != "image/png" || v.Pixels != 480*240 {
		t.Errorf("run -json: %s %s, %d pixels", v.Chart.Type, v.Chart.MIMEType, v.Pixels)
	}

	source, err := os.ReadFile("images/main.go")
	if err != nil {
		t.Fatal(err)
	}
	res := c.execute(t, string(source), "")
	var images []*mcp.ImageContent
	for _, block := range res.Content {
		if img, ok := block.(*mcp.ImageContent); ok {
			images = append(images, img)
		}
	}
	if len(images) != 1 || images[0].MIMEType != "image/png" || !bytes.Equal(images[0].Data, v.Chart.Data) {
		t.Fatalf("serve: %d images: %s", len(images), texts(res))
	}
	structured, _ := json.Marshal(res.StructuredContent)
	for name, text := range map[string]string{"text": texts(res), "structured": string(structured)} {
		if !strings.Contains(text, "(image 1: image/png, ") || strings.Contains(text, "iVBOR") {
			t.Errorf("%s of serve: %s", name, text)
		}
	}
}
