package export

import (
	"go/types"
	"strings"
)

// WritesPlace reports whether f is a function of package log or log/slog, or a method of
// their Loggers, that writes the place of its call if the logger is configured to write
// places.
func WritesPlace(f *types.Func) bool {
	if f == nil || f.Pkg() == nil {
		return false
	}
	name := strings.TrimPrefix(strings.ReplaceAll(f.FullName(), "(*"+f.Pkg().Path()+".Logger)", f.Pkg().Path()), f.Pkg().Path()+".")
	switch f.Pkg().Path() {
	case "log":
		kind := strings.TrimSuffix(strings.TrimSuffix(name, "f"), "ln")
		return kind == "Print" || kind == "Fatal" || kind == "Panic" || kind == "Output"
	case "log/slog":
		switch strings.TrimSuffix(name, "Context") {
		case "Debug", "Info", "Warn", "Error", "Log", "LogAttrs":
			return true
		}
	}
	return false
}
