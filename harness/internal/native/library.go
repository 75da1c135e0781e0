package native

import (
	"math"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// library are the functions of the library that an Expr may call: those that only
// compute. An int is an int64 here.
var library = map[string]any{
	"strings.ToLower": strings.ToLower, "strings.ToUpper": strings.ToUpper, "strings.TrimSpace": strings.TrimSpace,
	"strings.Contains": strings.Contains, "strings.HasPrefix": strings.HasPrefix, "strings.HasSuffix": strings.HasSuffix,
	"strings.EqualFold": strings.EqualFold, "strings.ContainsAny": strings.ContainsAny,
	"strings.Compare": func(a, b string) int64 { return int64(strings.Compare(a, b)) },
	"strings.Index":   func(a, b string) int64 { return int64(strings.Index(a, b)) },
	"strings.Count":   func(a, b string) int64 { return int64(strings.Count(a, b)) },

	"unicode/utf8.RuneCountInString": func(s string) int64 { return int64(utf8.RuneCountInString(s)) },

	"unicode.IsDigit": unicode.IsDigit, "unicode.IsLetter": unicode.IsLetter, "unicode.IsLower": unicode.IsLower,
	"unicode.IsNumber": unicode.IsNumber, "unicode.IsPunct": unicode.IsPunct, "unicode.IsSpace": unicode.IsSpace,
	"unicode.IsUpper": unicode.IsUpper,
	"unicode.ToLower": func(r rune) int64 { return int64(unicode.ToLower(r)) },
	"unicode.ToUpper": func(r rune) int64 { return int64(unicode.ToUpper(r)) },

	"math.Abs": math.Abs, "math.Ceil": math.Ceil, "math.Floor": math.Floor, "math.Round": math.Round, "math.Sqrt": math.Sqrt,
	"math.Trunc": math.Trunc, "math.IsNaN": math.IsNaN,

	"(time.Time).After": time.Time.After, "(time.Time).Before": time.Time.Before, "(time.Time).Equal": time.Time.Equal,
	"(time.Time).IsZero":   time.Time.IsZero,
	"(time.Time).Compare":  func(a, b time.Time) int64 { return int64(a.Compare(b)) },
	"(time.Time).Unix":     time.Time.Unix,
	"(time.Time).UnixNano": time.Time.UnixNano,
}

// Has reports whether the library function of that full name is one of them.
func Has(name string) bool { return library[name] != nil }
