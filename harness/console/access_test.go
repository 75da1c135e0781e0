package console

import (
	"net/url"
	"strings"
	"testing"
	"time"
)

func TestALinkIsGoodForTenMinutes(t *testing.T) {
	var d logins
	d.init([]byte("a secret of this server"))
	key := func(secret string) string {
		u, err := url.Parse(OpenPath([]byte(secret)))
		if err != nil {
			t.Fatal(err)
		}
		return u.Query().Get("key")
	}
	const own = "a secret of this server"
	now := time.Now()
	for name, x := range map[string]struct {
		key  string
		at   time.Time
		want string
	}{
		"at once":                {key(own), now, ""},
		"nearly ten minutes":     {key(own), now.Add(linkTime - 2*time.Second), ""},
		"later":                  {key(own), now.Add(linkTime + 2*time.Second), "this link has expired"},
		"of another server":      {key("another secret"), now, "does not belong to this server"},
		"cut":                    {key(own)[:40], now, "does not belong to this server"},
		"nothing":                {"", now, "does not belong to this server"},
		"one that lasts longer":  {"BBBB" + key(own)[4:], now, "does not belong to this server"},
		"with another signature": {key(own)[:60] + strings.Repeat("A", 15), now, "does not belong to this server"},
	} {
		err := d.spend(x.key, x.at)
		switch {
		case err == nil && x.want != "":
			t.Errorf("%s: it opens, want %q", name, x.want)
		case err != nil && (x.want == "" || !strings.Contains(err.Error(), x.want)):
			t.Errorf("%s: %v, want %q", name, err, x.want)
		}
	}
	k := key(own)
	if err := d.spend(k, now); err != nil {
		t.Error(err)
	}
	if err := d.spend(k, now); err == nil || !strings.Contains(err.Error(), "already used") {
		t.Errorf("the second time: %v", err)
	}
}

func TestWhoMayAnswer(t *testing.T) {
	for _, x := range []struct {
		v           Viewer
		own, others bool
	}{
		{Viewer{Operator: true, Approves: true}, true, true},
		{Viewer{Operator: true, Approves: true, OthersOnly: true}, false, true},
		{Viewer{Approves: true}, false, true},
		{Viewer{}, false, false},
	} {
		x.v.Subject = "ann"
		if own, others := x.v.MayAnswer("ann"), x.v.MayAnswer("bob"); own != x.own || others != x.others {
			t.Errorf("%+v: own %v, others' %v", x.v, own, others)
		}
	}
}
