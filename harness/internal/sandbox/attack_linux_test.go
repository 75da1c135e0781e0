//go:build amd64 || arm64

package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// An attack is something that no script may do.
type attack struct {
	name string
	// prepare is what a process can do before it is locked; what it returns
	// is done after.
	prepare func(*scene) (func() error, error)
	// root says that only root can do it, locked or not.
	root bool
	// landlock is the ABI from which on Landlock alone denies it; 0: never.
	landlock int
	// errno is what the attacker gets; 0 means EPERM or EACCES.
	errno syscall.Errno
	// signal is what kills the attacker, instead.
	signal syscall.Signal
}

// scene is where attacks take place. The attacker's parent has the same user.
type scene struct {
	Dir    string // the attacker may write here
	Layers string // which layers are on: none, landlock, seccomp, all
	Attack string
}

// Descriptors that an attacker inherits.
const (
	keptFile   = 3 // a regular file
	keptDir    = 4 // /etc
	keptPipe   = 5
	leakedFile = 6 // not in Config.Keep
)

// outcome is what became of an attack.
type outcome struct {
	Done   bool           `json:"done"`
	Errno  syscall.Errno  `json:"errno,omitempty"`
	Error  string         `json:"error,omitempty"`
	Signal syscall.Signal `json:"signal,omitempty"`
}

func (o outcome) String() string {
	switch {
	case o.Done:
		return "OPEN"
	case o.Signal != 0:
		return "killed by " + o.Signal.String()
	}
	return o.Error
}

func TestEveryAttackIsDenied(t *testing.T) {
	if raceEnabled && testing.Short() {
		t.Skip("two thousand processes that share nothing: the race detector would see nothing, slowly")
	}
	for _, user := range users() {
		t.Run(user.name, func(t *testing.T) {
			found := map[string]map[string]outcome{}
			for _, l := range layers {
				found[l] = user.attacks(t, l)
			}
			for _, a := range attacks {
				t.Run(a.name, func(t *testing.T) {
					of := func(l string) outcome { return found[l][a.name] }
					t.Logf("none: %v; landlock: %v; seccomp: %v; all: %v", of("none"), of("landlock"), of("seccomp"), of("all"))
					for _, l := range []string{"seccomp", "all"} {
						if o, ran := found[l][a.name]; ran && !a.denied(o) {
							t.Errorf("with %s: %v", l, o)
						}
					}
					if abi := kernelABI(); of("none").Done && a.landlock > 0 && abi >= a.landlock && of("landlock").Done {
						t.Errorf("with Landlock of ABI %d alone it is open", abi)
					}
					a.mustBeOpen(t, of("none"), user.uid == 0)
				})
			}
		})
	}
}

// denied reports whether an attack ended as it should in a locked process.
func (a *attack) denied(o outcome) bool {
	switch {
	case o.Done:
		return false
	case a.signal != 0:
		return o.Signal == a.signal
	case a.errno != 0:
		return o.Errno == a.errno
	}
	return o.Errno == syscall.EPERM || o.Errno == syscall.EACCES
}

// mustBeOpen proves that the test bites: unlocked, the attack works. Where it
// does not the case says nothing, and is skipped with the reason.
func (a *attack) mustBeOpen(t *testing.T, o outcome, root bool) {
	switch {
	case o.Done:
	case a.root && !root:
		t.Skipf("only root could: %v", o)
	case slices.Contains([]syscall.Errno{syscall.ENOSYS, syscall.EAFNOSUPPORT, syscall.EPROTONOSUPPORT, syscall.ENODEV, syscall.ESOCKTNOSUPPORT}, o.Errno):
		t.Skipf("this kernel does not have it: %v", o)
	case o.Signal != 0:
		t.Skipf("this kernel does not have it: %v", o)
	default:
		lacking(t, "this machine forbids it anyway: %v", o)
	}
}

// attacks lets the user's processes try everything, each in a process of its
// own below one parent of the same user.
func (u user) attacks(t *testing.T, layers string) map[string]outcome {
	t.Helper()
	dir, err := os.MkdirTemp("", "sandbox") // t.TempDir is closed to other users
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	cmd := u.become(command("victim", scene{Dir: dir, Layers: layers}))
	cmd.Env = append(cmd.Env, "SECRET=of the parent")
	found := map[string]outcome{}
	answer(t, cmd, &found)
	return found
}

func init() {
	parts["victim"] = victim
	parts["attack"] = attackOnce
	parts["nothing"] = func(json.RawMessage) error { return json.NewEncoder(os.Stdout).Encode(outcome{Done: true}) }
}

// Who wants to be traced has to be the main thread of its process: another one
// would be waited for by its tracer alone, which does not, and so the process
// would never be over.
func init() {
	if strings.Contains(os.Getenv(argVar), `"Attack":"be traced"`) {
		runtime.LockOSThread()
	}
}

// victim starts each attacker and tells how it fared.
func victim(arg json.RawMessage) error {
	var s scene
	if err := json.Unmarshal(arg, &s); err != nil {
		return err
	}
	found := map[string]outcome{}
	for _, a := range attacks {
		s.Attack = a.name
		o, err := s.send()
		if err != nil {
			return fmt.Errorf("%s: %w", a.name, err)
		}
		found[a.name] = o
	}
	return json.NewEncoder(os.Stdout).Encode(found)
}

// send starts one attacker with the descriptors of the scene.
func (s *scene) send() (o outcome, err error) {
	file, err := os.Create(s.Dir + "/inherited")
	if err != nil {
		return o, err
	}
	defer file.Close()
	file.WriteString("inherited")
	etc, err := os.Open("/etc")
	if err != nil {
		return o, err
	}
	defer etc.Close()
	r, w, err := os.Pipe()
	if err != nil {
		return o, err
	}
	defer r.Close()
	defer w.Close()
	cmd := command("attack", s)
	cmd.ExtraFiles = []*os.File{file, etc, w, file}
	out, err := cmd.Output()
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit) && exit.Sys().(syscall.WaitStatus).Signaled():
		return outcome{Signal: exit.Sys().(syscall.WaitStatus).Signal()}, nil
	case errors.As(err, &exit):
		return o, fmt.Errorf("%w: %s", err, exit.Stderr)
	case err != nil:
		return o, err
	}
	return o, json.Unmarshal(out, &o)
}

// attackOnce is an attacker: it prepares, is locked, attacks and tells.
func attackOnce(arg json.RawMessage) error {
	var s scene
	if err := json.Unmarshal(arg, &s); err != nil {
		return err
	}
	i := slices.IndexFunc(attacks, func(a attack) bool { return a.name == s.Attack })
	do, err := attacks[i].prepare(&s)
	if err == nil {
		if err := s.lock(); err != nil {
			return err
		}
		err = do()
	} else if s.Layers != "none" {
		// The outcome without layers tells why; here there is nothing to deny.
		err = syscall.EPERM
	}
	o := outcome{Done: err == nil}
	if err != nil {
		o.Error = err.Error()
		errors.As(err, &o.Errno)
		if errors.Is(err, fs.ErrPermission) && o.Errno == 0 {
			o.Errno = syscall.EPERM
		}
	}
	return json.NewEncoder(os.Stdout).Encode(o)
}

// lock puts on the layers of the scene.
func (s *scene) lock() error {
	var r Report
	keep := []int{keptFile, keptDir, keptPipe}
	switch s.Layers {
	case "landlock":
		preload()
		denyFiles(&r)
	case "seccomp":
		preload()
		runtime.LockOSThread()
		closeInherited(keep, &r)
		gainNothing(&r)
		denyCalls(&r)
	case "all":
		got, err := Apply(&Config{Keep: keep})
		if err != nil {
			return err
		}
		r = got
	}
	if len(r.Missing) > 0 {
		return fmt.Errorf("missing: %q", r.Missing)
	}
	return nil
}

func path(parts ...any) string {
	s := ""
	for _, p := range parts {
		switch p := p.(type) {
		case string:
			s += p
		case int:
			s += strconv.Itoa(p)
		}
	}
	return s
}
