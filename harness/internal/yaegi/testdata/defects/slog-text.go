package main

import (
	"log/slog"
	"os"
)

type L uint8

func (l L) MarshalText() ([]byte, error) { return []byte("LV"), nil }
func main() {
	h := slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == "time" {
			return slog.Attr{}
		}
		return a
	}})
	slog.New(h).Info("m", "l", L(3))
}
