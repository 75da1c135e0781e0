package openapi

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/backend"
	"github.com/usetools/usetools/registry/config"
)

// TestValuesAreWrittenInTheStylesOfTheSpecification has the table of style
// examples of OpenAPI 3.0.4 and 3.1.1, whose "n/a" are left out, for each place
// that a style is for. Header and cookie are as RFC 6570 and RFC 6265 have it.
func TestValuesAreWrittenInTheStylesOfTheSpecification(t *testing.T) {
	const text, array, object = `"blue"`, `["blue","black","brown"]`, `{"R":100,"G":200,"B":150}`
	for _, tc := range []struct{ in, style, explode, value, want string }{
		{"path", "matrix", "false", `""`, "/;color"},
		{"path", "matrix", "false", text, "/;color=blue"},
		{"path", "matrix", "false", array, "/;color=blue,black,brown"},
		{"path", "matrix", "false", object, "/;color=R,100,G,200,B,150"},
		{"path", "matrix", "true", `""`, "/;color"},
		{"path", "matrix", "true", text, "/;color=blue"},
		{"path", "matrix", "true", array, "/;color=blue;color=black;color=brown"},
		{"path", "matrix", "true", object, "/;R=100;G=200;B=150"},
		{"path", "label", "false", text, "/.blue"},
		{"path", "label", "false", array, "/.blue,black,brown"},
		{"path", "label", "false", object, "/.R,100,G,200,B,150"},
		{"path", "label", "true", text, "/.blue"},
		{"path", "label", "true", array, "/.blue.black.brown"},
		{"path", "label", "true", object, "/.R=100.G=200.B=150"},
		{"path", "simple", "false", text, "/blue"},
		{"path", "simple", "false", array, "/blue,black,brown"},
		{"path", "simple", "false", object, "/R,100,G,200,B,150"},
		{"path", "simple", "true", array, "/blue,black,brown"},
		{"path", "simple", "true", object, "/R=100,G=200,B=150"},
		{"path", "", "", object, "/R,100,G,200,B,150"},
		{"header", "simple", "false", text, "blue"},
		{"header", "simple", "false", array, "blue,black,brown"},
		{"header", "simple", "false", object, "R,100,G,200,B,150"},
		{"header", "simple", "true", array, "blue,black,brown"},
		{"header", "simple", "true", object, "R=100,G=200,B=150"},
		{"header", "", "", object, "R,100,G,200,B,150"},
		{"query", "form", "false", `""`, "color="},
		{"query", "form", "false", text, "color=blue"},
		{"query", "form", "false", array, "color=blue,black,brown"},
		{"query", "form", "false", object, "color=R,100,G,200,B,150"},
		{"query", "form", "true", `""`, "color="},
		{"query", "form", "true", array, "color=blue&color=black&color=brown"},
		{"query", "form", "true", object, "R=100&G=200&B=150"},
		{"query", "", "", array, "color=blue&color=black&color=brown"},
		{"query", "spaceDelimited", "false", array, "color=blue%20black%20brown"},
		{"query", "spaceDelimited", "false", object, "color=R%20100%20G%20200%20B%20150"},
		{"query", "pipeDelimited", "false", array, "color=blue%7Cblack%7Cbrown"},
		{"query", "pipeDelimited", "false", object, "color=R%7C100%7CG%7C200%7CB%7C150"},
		{"query", "deepObject", "true", object, "color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150"},
		{"cookie", "form", "false", text, "color=blue"},
		{"cookie", "form", "false", array, "color=blue,black,brown"},
		{"cookie", "form", "false", object, "color=R,100,G,200,B,150"},
		{"cookie", "form", "true", array, "color=blue; color=black; color=brown"},
		{"cookie", "form", "true", object, "R=100; G=200; B=150"},
		{"form", "form", "false", array, "color=blue,black,brown"},
		{"form", "form", "false", object, "color=R,100,G,200,B,150"},
		{"form", "form", "true", array, "color=blue&color=black&color=brown"},
		{"form", "form", "true", object, "R=100&G=200&B=150"},
		{"form", "spaceDelimited", "false", array, "color=blue+black+brown"},
		{"form", "pipeDelimited", "false", array, "color=blue%7Cblack%7Cbrown"},
		{"form", "deepObject", "true", object, "color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150"},

		// what the table does not have
		{"query", "form", "false", `["a,b","c d","é&="]`, "color=a%2Cb,c%20d,%C3%A9%26%3D"},
		{"query", "form", "true", `[null,1,true,9007199254740993]`, "color=1&color=true&color=9007199254740993"},
		{"query", "form", "true", `[]`, ""},
		{"query", "deepObject", "", `{"in":["a",{"b":null,"c":[1.50]}],"x y":{}}`,
			"color%5Bin%5D%5B0%5D=a&color%5Bin%5D%5B1%5D%5Bc%5D%5B0%5D=1.50"},
		{"form", "", "", text, "color=blue"},
		{"form", "", "", array, "color=blue&color=black&color=brown"},
		{"form", "", "", object, "color=" + url.QueryEscape(object)},
		{"form", "", "", `[{"a":"b c"}]`, "color=" + url.QueryEscape(`{"a":"b c"}`)},
		{"form", "deepObject", "true", `["de","fr"]`, "color%5B0%5D=de&color%5B1%5D=fr"},
		{"form", "deepObject", "true", `[{"price":"p","sub":{"x":[1]}}]`,
			"color%5B0%5D%5Bprice%5D=p&color%5B0%5D%5Bsub%5D%5Bx%5D%5B0%5D=1"},
		{"form", "deepObject", "true", text, "color=blue"},
		{"form", "contentType", "application/json", array, "color=" + url.QueryEscape(array)},
		{"form", "contentType", "application/json", text, "color=%22blue%22"},
		{"cookie", "form", "", `"a b;c\"+/="`, "color=a%20b%3Bc%22+/="},
		{"path", "label", "false", `["a/b","c.d"]`, "/.a%2Fb,c.d"},
		{"query", "reserved", "true", `"/a?b&c=d#e"`, "color=/a?b%26c%3Dd%23e"},
		{"query", "content", "application/json", object, "color=" + queryEscape(object)},
		{"query", "content", "text/plain", text, "color=blue"},
		{"path", "content", "application/json", array, "/" + url.PathEscape(array)},
	} {
		t.Run(strings.Join([]string{tc.in, tc.style, tc.explode, tc.value}, " "), func(t *testing.T) {
			b, got := styled(t, tc.in, tc.style, tc.explode)
			if _, err := b.Call(t.Context(), &backend.Request{Tool: "x", Args: registry.ReadArgs([]byte(`{"color":` + tc.value + `}`))}); err != nil {
				t.Fatal(err)
			}
			if *got != tc.want {
				t.Errorf("sent %q, want %q", *got, tc.want)
			}
		})
	}
}

// styled opens a document with one operation, whose argument "color" is sent in
// a style, and returns what is sent.
func styled(t *testing.T, in, style, explode string) (b backend.Backend, got *string) {
	t.Helper()
	got = new(string)
	srv := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		switch in {
		case "path":
			*got = r.RequestURI
		case "header":
			*got = r.Header.Get("color")
		case "query":
			*got = r.URL.RawQuery
		case "cookie":
			*got = r.Header.Get("Cookie")
		case "form":
			*got = string(body)
		}
	}))
	t.Cleanup(srv.Close)
	how := `"schema":{}`
	switch {
	case style == "content":
		how = fmt.Sprintf(`"content":{%q:{}}`, explode)
	case style == "contentType":
		how = fmt.Sprintf(`"contentType":%q`, explode)
	case style == "reserved":
		how = `"allowReserved":true`
	default:
		if style != "" {
			how += fmt.Sprintf(`,"style":%q`, style)
		}
		if explode != "" {
			how += `,"explode":` + explode
		}
	}
	path, operation := "/", fmt.Sprintf(`"parameters":[{"name":"color","in":%q,%s}]`, in, how)
	switch in {
	case "path":
		path = "/{color}"
	case "form":
		operation = fmt.Sprintf(`"requestBody":{"content":{%q:{"schema":{"type":"object","properties":{"color":{}}},"encoding":{"color":{%s}}}}}`, formType, how)
	}
	document := fmt.Sprintf(`{"openapi":"3.1.0","paths":{%q:{"post":{"operationId":"x",%s}}}}`, path, operation)
	return open(t, config.Server{Name: "a", Path: file(t, "api.json", document), BaseURL: srv.URL}), got
}

// TestMembersDoNotTakeThePlaceOfArguments has objects whose members are sent as
// fields of their own, by the document's wish or the style's default.
func TestMembersDoNotTakeThePlaceOfArguments(t *testing.T) {
	var sent string
	b := open(t, serve(t, "forms.json", func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		sent = r.URL.RawQuery + string(body)
	}))
	for _, tc := range []struct{ tool, args, want, refused string }{
		{"create", `{"email":"a@b","metadata":{"plan":"pro","email":"x"},"address":{"city":"Oslo"},"preferred_locales":["de"]}`,
			"address%5Bcity%5D=Oslo&email=a%40b&metadata%5Bplan%5D=pro&metadata%5Bemail%5D=x&preferred_locales%5B0%5D=de", ""},
		{"create", `{"spread":{"a":1}}`, "a=1", ""},
		{"create", `{"spread":{"email":"x"},"email":"y"}`, "",
			`"spread" has a member "email", which would be sent in place of the argument "email"`},
		{"create", `{"spread":{"a":{"b":1}}}`, "", `"spread" is nested too deeply`},
		{"search", `{"limit":1,"filter":{"tag":"x"}}`, "limit=1&tag=x", ""},
		{"search", `{"filter":{"limit":100}}`, "", `"filter" has a member "limit"`},
	} {
		sent = ""
		_, err := b.Call(t.Context(), &backend.Request{Tool: tc.tool, Args: registry.ReadArgs([]byte(tc.args))})
		if sent != tc.want || (err == nil) != (tc.refused == "") || err != nil && !strings.Contains(err.Error(), tc.refused) {
			t.Errorf("%s %s: sent %q, error %v, want %q %q", tc.tool, tc.args, sent, err, tc.want, tc.refused)
		}
	}
	_, server := list(t, b)
	if problems := strings.Join(server.Problems, "\n"); !strings.Contains(problems,
		`POST /odd left out: the query parameter "q" has the style "matrix", want form, spaceDelimited, pipeDelimited, deepObject`) {
		t.Errorf("problems %s", problems)
	}
}
