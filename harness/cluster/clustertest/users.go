package clustertest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nats-io/nkeys"
)

// User is a user of the servers: its public key, and the file with its seed.
type User struct{ Key, Seed string }

// NewUser makes a user.
func NewUser(t testing.TB) User {
	t.Helper()
	pair, err := nkeys.CreateUser()
	if err != nil {
		t.Fatal(err)
	}
	key, err := pair.PublicKey()
	if err != nil {
		t.Fatal(err)
	}
	seed, err := pair.Seed()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "user.nk")
	if err := os.WriteFile(path, seed, 0o600); err != nil {
		t.Fatal(err)
	}
	return User{key, path}
}

// Accounts returns the server configuration of the guide at a path, with these users and the pool
// gpu.
func Accounts(t testing.TB, guide string, admin, front, runner, reader User) string {
	t.Helper()
	text, err := os.ReadFile(guide)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(text), "```conf\n")
	conf, _, closed := strings.Cut(rest, "```\n")
	if !ok || !closed {
		t.Fatal("the guide has no configuration of users")
	}
	return strings.NewReplacer("ADMIN", admin.Key, "FRONT", front.Key, "RUNNER", runner.Key, "READER", reader.Key,
		"default", "gpu").Replace(conf)
}
