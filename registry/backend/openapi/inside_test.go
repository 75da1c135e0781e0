package openapi

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/usetools/usetools/registry/backend"
	"github.com/usetools/usetools/registry/backend/internal/origin/origintest"
	"github.com/usetools/usetools/registry/config"
)

// TestDocumentDoesNotSendCallsInside has documents from elsewhere that name
// services of this machine and its network, and the operator's own, that may.
func TestDocumentDoesNotSendCallsInside(t *testing.T) {
	names := origintest.Resolve(t)
	names.Set("docs.example", "127.0.0.1") // a named host may be inside: an intranet
	names.Set("api.example", "127.0.0.1")
	var called atomic.Int32
	service := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { called.Add(1) }))
	t.Cleanup(service.Close)
	servicePort := service.URL[strings.LastIndex(service.URL, ":"):]
	var sendsTo string
	docs := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `{"openapi":"3.1.0","paths":{"/x":{"get":{"operationId":"x","responses":{}}}},"servers":[{"url":%q}]}`,
			sendsTo)
	}))
	t.Cleanup(docs.Close)
	docsPort := docs.URL[strings.LastIndex(docs.URL, ":"):]
	elsewhere := "http://docs.example" + docsPort + "/openapi.json"
	for _, tc := range []struct {
		name, url, sendsTo, baseURL, want string
	}{
		{"the loopback address", elsewhere, service.URL, "", "is at the loopback address 127.0.0.1"},
		{"localhost", elsewhere, "http://localhost" + servicePort, "", "the loopback address"},
		{"a name of this machine", elsewhere, "http://api.example" + servicePort, "",
			"api.example" + servicePort + " is at the loopback address 127.0.0.1, which its config entry does not name"},
		{"the metadata of a cloud", elsewhere, "http://169.254.169.254/latest", "", "the link-local address"},
		{"an address of the network", elsewhere, "http://10.0.0.1/", "", "the private address"},
		{"no address", elsewhere, "http://0.0.0.0" + servicePort, "", "the unspecified address"},
		{"metadata, from this machine", docs.URL, "http://169.254.169.254/latest", "", "the link-local address"},
		{"the host of the document", elsewhere, "http://docs.example" + servicePort, "", ""},
		{"named by baseUrl", elsewhere, "http://10.0.0.1", "http://api.example" + servicePort, ""},
		{"this machine from this machine", docs.URL, "http://api.example" + servicePort, "", ""},
		{"a file", "", service.URL, "", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			called.Store(0)
			sendsTo = tc.sendsTo
			s := config.Server{Name: "a", Type: config.OpenAPI, URL: tc.url, BaseURL: tc.baseURL}
			if tc.url == "" {
				s.Path = saved(t, docs.URL)
			}
			b := open(t, s)
			_, server := list(t, b)
			line := "the document sends its calls to " + tc.sendsTo + "; set that as baseUrl in its config entry if it is meant"
			if told, want := strings.Join(server.Problems, "\n"), tc.url != "" &&
				tc.baseURL == ""; told != map[bool]string{true: line}[want] {
				t.Errorf("problems %q, want %q: %v", told, line, want)
			}
			_, err := b.Call(t.Context(), &backend.Request{Tool: "x"})
			switch {
			case tc.want == "" && (err != nil || called.Load() != 1):
				t.Errorf("error %v, %d calls", err, called.Load())
			case tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want) || called.Load() != 0):
				t.Errorf("error %v, %d calls, want %q", err, called.Load(), tc.want)
			}
		})
	}

	t.Run("nothing is said of its own origin", func(t *testing.T) {
		sendsTo = "/v1"
		if _, server := list(t, open(t, config.Server{Name: "a", URL: elsewhere})); len(server.Problems) > 0 {
			t.Errorf("problems %q", server.Problems)
		}
	})
}

// saved writes what a URL answers to a file.
func saved(t *testing.T, from string) string {
	t.Helper()
	res, err := http.Get(from)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return file(t, "api.json", string(data))
}

// file writes a file to a folder of its own.
func file(t testing.TB, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}
