package origin

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/usetools/usetools/registry/backend/internal/origin/origintest"
)

func parse(t testing.TB, s string) *url.URL {
	t.Helper()
	u, err := url.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func TestSameMeansSchemeHostAndPort(t *testing.T) {
	for _, tc := range []struct {
		a, b string
		want bool
	}{
		{"https://a.example/x?y", "https://A.example:443/z", true},
		{"http://a.example", "HTTP://a.example:80", true},
		{"http://[::1]:8/", "http://[::1]:8/x", true},
		{"https://a.example", "http://a.example", false},
		{"https://a.example", "http://a.example:443", false},
		{"https://a.example", "https://a.example:444", false},
		{"https://a.example", "https://b.a.example", false},
		{"https://a.example", "https://a.example.", false},
		{"https://a.example", "https://a.example@b.example", false},
	} {
		if got := Same(parse(t, tc.a), parse(t, tc.b)); got != tc.want {
			t.Errorf("%s and %s: same is %v", tc.a, tc.b, got)
		}
	}
}

func TestAddressesAreShownWithoutSecrets(t *testing.T) {
	for in, want := range map[string]string{
		"https://me:hunter2@a.example:8/x/y?key=hunter3#hunter4": "https://a.example:8/x/y",
		"http://a.example/a%0Ab":                                 "http://a.example/a%0Ab",
		"http://" + strings.Repeat("é", 300) + ".example/":       "http://" + strings.Repeat("%C3%A9", 300)[:190] + "…",
	} {
		if got := Show(parse(t, in)); got != want {
			t.Errorf("%s is shown as %s, want %s", in, got, want)
		}
	}
}

func TestInsideKnowsWhatIsNotPublic(t *testing.T) {
	for ip, want := range map[string]string{
		"127.0.0.1": "loopback", "127.9.9.9": "loopback", "::1": "loopback", "::ffff:127.0.0.1": "loopback",
		"::127.0.0.1": "loopback",
		"10.1.2.3":    "private", "172.16.0.1": "private", "172.31.255.255": "private", "192.168.0.1": "private",
		"100.100.100.200": "private",
		"fd00:ec2::254":   "private", "fec0::1": "private", "::ffff:10.0.0.1": "private", "64:ff9b::a00:1": "private",
		"2002:c0a8:1::":   "private",
		"169.254.169.254": "link-local", "fe80::1%eth0": "link-local", "64:ff9b::a9fe:a9fe": "link-local",
		"0.0.0.0": "unspecified", "0.1.2.3": "unspecified", "::": "unspecified",
		"224.0.0.1": "multicast", "ff02::1": "multicast", "255.255.255.255": "reserved", "192.0.0.192": "reserved",
		"168.63.129.16": "cloud", "198.18.0.1": "reserved", "198.19.255.255": "reserved", "100::1": "reserved",
		"2001::1":            "reserved",
		"::ffff:0:127.0.0.1": "loopback", "::ffff:0:10.0.0.1": "private",
		"1.1.1.1": "", "172.32.0.1": "", "172.15.0.1": "", "9.255.255.255": "", "192.169.0.1": "", "100.128.0.1": "",
		"168.63.129.17": "", "198.17.0.1": "", "198.20.0.1": "", "::ffff:0:1.1.1.1": "",
		"2606:4700::1111": "", "64:ff9b::101:101": "", "2002:101:101::": "",
	} {
		if got := nonPublicKind(netip.MustParseAddr(ip)); got != want {
			t.Errorf("%s is %q, want %q", ip, got, want)
		}
	}
}

func FuzzInside(f *testing.F) {
	f.Add([]byte{127, 0, 0, 1})
	f.Add(netip.MustParseAddr("64:ff9b::a00:1").AsSlice())
	f.Fuzz(func(t *testing.T, b []byte) {
		ip, ok := netip.AddrFromSlice(b)
		if !ok {
			return
		}
		plain := ip.Unmap()
		if plain.IsLoopback() || plain.IsPrivate() || plain.IsLinkLocalUnicast() || plain.IsMulticast() ||
			plain.IsUnspecified() {
			if nonPublicKind(ip) == "" {
				t.Errorf("%v counts as public", ip)
			}
		}
	})
}

// TestGuardLooksAtAddressesWhenItConnects has names that mean this machine,
// from the beginning or later.
func TestGuardLooksAtAddressesWhenItConnects(t *testing.T) {
	var asked atomic.Int32
	srv := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	t.Cleanup(srv.Close)
	names := origintest.Resolve(t)
	for _, name := range []string{"docs.example", "api.example", "localhost"} {
		names.Set(name, "127.0.0.1")
	}
	port := parse(t, srv.URL).Port()
	refusal := func(host string) string {
		return host + ":" + port + " is at the loopback address 127.0.0.1, which its config entry does not name; set the " +
			"host as baseUrl"
	}
	for _, tc := range []struct {
		name, named, host string
		public            bool // the named host was at a public address
		want              string
	}{
		{"the named host", "http://docs.example/", "docs.example", false, ""},
		{"the named host, spelt otherwise", "http://Docs.Example:8/", "docs.EXAMPLE", false, ""},
		{"the named host, moved", "http://docs.example/", "docs.example", true,
			"docs.example:" + port + " is at the loopback address 127.0.0.1, and was at a public one before"},
		{"another name", "http://docs.example/", "api.example", false, refusal("api.example")},
		{"an address", "http://docs.example/", "127.0.0.1", false, refusal("127.0.0.1")},
		{"an address in IPv6", "http://docs.example/", "[::ffff:127.0.0.1]", false, refusal("[::ffff:127.0.0.1]")},
		{"localhost", "http://docs.example/", "localhost", false, "localhost:" + port + " is at "},
		{"this machine from itself", "http://localhost:1/", "127.0.0.1", false, ""},
		{"this machine by a name, from itself", "http://127.0.0.1:1/", "api.example", false, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			asked.Store(0)
			g := NewGuard(parse(t, tc.named))
			defer g.CloseIdleConnections()
			g.named[host(parse(t, tc.named))].public.Store(tc.public)
			res, err := (&http.Client{Transport: g}).Get("http://" + tc.host + ":" + port)
			if tc.want == "" {
				if err != nil || asked.Load() != 1 {
					t.Fatalf("error %v", err)
				}
				res.Body.Close()
				return
			}
			var refused *addressError
			if !errors.As(err, &refused) || !strings.Contains(err.Error(), tc.want) || asked.Load() != 0 {
				t.Errorf("error %v, want %q; %d requests", err, tc.want, asked.Load())
			}
		})
	}
}

// TestGuardOfThisMachineKeepsOthersOut has a document of this machine that
// names others inside of the network. Nothing is connected to.
func TestGuardOfThisMachineKeepsOthersOut(t *testing.T) {
	g := NewGuard(&url.URL{Scheme: "http", Host: "localhost:1"})
	for _, ip := range []string{"10.0.0.1", "169.254.169.254", "0.0.0.0", "fe80::1"} {
		if g.checkOther(netip.MustParseAddr(ip)) == nil {
			t.Errorf("%s is let through", ip)
		}
	}
}

func TestProxyIsNoWayAroundTheGuard(t *testing.T) {
	var asked atomic.Int32
	proxy := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	t.Cleanup(proxy.Close)
	g := NewGuard(&url.URL{Scheme: "http", Host: "docs.example"})
	g.proxied.Proxy = http.ProxyURL(parse(t, proxy.URL))
	defer g.CloseIdleConnections()
	c := &http.Client{Transport: g}
	if _, err := c.Post("http://api.example/", "text/plain", strings.NewReader("x")); err == nil ||
		!strings.Contains(err.Error(), "api.example would be reached through a proxy") || asked.Load() != 0 {
		t.Errorf("error %v, %d requests", err, asked.Load())
	}
	// the proxy is at loopback, which is the operator's word
	if res, err := c.Get("http://docs.example/"); err != nil || asked.Load() != 1 {
		t.Errorf("the named host: error %v", err)
	} else {
		res.Body.Close()
	}
}
