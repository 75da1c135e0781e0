package main

import (
	"bufio"
	"errors"
	"fmt"
	"sort"
	"strconv"
	"strings"
	"time"
)

type Value interface{ isValue() }
type (
	Str  string
	Int  int64
	List []Value
	Hash map[string]Value
)

func (Str) isValue()  {}
func (Int) isValue()  {}
func (List) isValue() {}
func (Hash) isValue() {}

type item struct {
	Value
	expires *time.Time
}

type DB struct {
	data  map[string]item
	clock time.Time
	undo  [][]func()
	cmds  map[string]command
}
type command struct {
	arity int
	run   func(db *DB, args []string) (Value, error)
	help  string
}
type ArityError struct {
	Cmd       string
	Want, Got int
}

func (e ArityError) Error() string {
	return "ERR " + e.Cmd + ": want " + strconv.Itoa(e.Want) + " args, got " + strconv.Itoa(e.Got)
}

var (
	ErrNoKey = errors.New("no such key")
	ErrType  = errors.New("WRONGTYPE")
	ErrNoTx  = errors.New("no transaction")
)

func (db *DB) set(k string, v Value) {
	if n := len(db.undo); n > 0 {
		old, had := db.data[k]
		db.undo[n-1] = append(db.undo[n-1], func() {
			if had {
				db.data[k] = old
			} else {
				delete(db.data, k)
			}
		})
	}
	if v == nil {
		delete(db.data, k)
		return
	}
	db.data[k] = item{Value: v}
}
func (db *DB) get(k string) (Value, error) {
	it, ok := db.data[k]
	if ok && it.expires != nil && !db.clock.Before(*it.expires) {
		delete(db.data, k)
		ok = false
	}
	if !ok {
		return nil, fmt.Errorf("%q: %w", k, ErrNoKey)
	}
	return it.Value, nil
}
func as[T Value](db *DB, k string) (T, error) {
	v, err := db.get(k)
	if err != nil {
		return *new(T), err
	}
	t, ok := v.(T)
	if !ok {
		return t, fmt.Errorf("%w: %q holds %T not %T", ErrType, k, v, t)
	}
	return t, nil
}
func show(v Value) string {
	switch v := v.(type) {
	case nil:
		return "(nil)"
	case Str:
		return strconv.Quote(string(v))
	case Int:
		return fmt.Sprintf("(int) %d", v)
	case List:
		parts := make([]string, 0, len(v))
		for i, x := range v {
			parts = append(parts, fmt.Sprintf("%d) %s", i+1, show(x)))
		}
		return "[" + strings.Join(parts, " ") + "]"
	case Hash:
		keys := make([]string, 0)
		for k := range v {
			keys = append(keys, k)
		}
		sort.Sort(sort.Reverse(sort.StringSlice(keys)))
		var b strings.Builder
		for _, k := range keys {
			fmt.Fprintf(&b, "%s=%s,", k, show(v[k]))
		}
		return "{" + strings.TrimSuffix(b.String(), ",") + "}"
	}
	return "?"
}

func NewDB() *DB {
	db := &DB{data: make(map[string]item), clock: time.Unix(1_700_000_000, 0).UTC()}
	db.cmds = map[string]command{
		"SET": {2, func(db *DB, a []string) (Value, error) { db.set(a[0], Str(a[1])); return Str("OK"), nil }, "set a key"},
		"GET": {1, func(db *DB, a []string) (Value, error) { return db.get(a[0]) }, ""},
		"DEL": {1, func(db *DB, a []string) (Value, error) { _, err := db.get(a[0]); db.set(a[0], nil); return Int(1), err }, ""},
		"INCR": {1, func(db *DB, a []string) (Value, error) {
			n, err := as[Int](db, a[0])
			if err != nil && !errors.Is(err, ErrNoKey) {
				return nil, err
			}
			n++
			db.set(a[0], n)
			return n, nil
		}, ""},
		"PUSH": {-2, func(db *DB, a []string) (Value, error) {
			l, err := as[List](db, a[0])
			if err != nil && !errors.Is(err, ErrNoKey) {
				return nil, err
			}
			for _, s := range a[1:] {
				l = append(l[:len(l):len(l)], Str(s))
			}
			db.set(a[0], l)
			return Int(len(l)), nil
		}, ""},
		"HSET": {3, func(db *DB, a []string) (Value, error) {
			h, err := as[Hash](db, a[0])
			if errors.Is(err, ErrNoKey) {
				h = Hash{}
			} else if err != nil {
				return nil, err
			}
			h[a[1]] = Str(a[2])
			db.set(a[0], h)
			return Int(len(h)), nil
		}, ""},
		"EXPIRE": {2, (*DB).expire, ""},
		"WAIT": {1, func(db *DB, a []string) (Value, error) {
			d, err := time.ParseDuration(a[0])
			db.clock = db.clock.Add(d)
			return nil, err
		}, ""},
		"MULTI": {0, func(db *DB, _ []string) (Value, error) { db.undo = append(db.undo, nil); return Int(len(db.undo)), nil }, ""},
		"ROLLBACK": {0, func(db *DB, _ []string) (Value, error) {
			n := len(db.undo)
			if n == 0 {
				return nil, ErrNoTx
			}
			ops := db.undo[n-1]
			db.undo = db.undo[:n-1]
			for i := len(ops) - 1; i >= 0; i-- {
				ops[i]()
			}
			return Int(len(ops)), nil
		}, ""},
	}
	return db
}
func (db *DB) expire(a []string) (Value, error) {
	v, err := db.get(a[0])
	if err != nil {
		return nil, err
	}
	secs, err := strconv.Atoi(a[1])
	if err != nil {
		return nil, err
	}
	t := db.clock.Add(time.Duration(secs) * time.Second)
	db.data[a[0]] = item{v, &t}
	return Str(t.Format(time.Kitchen)), nil
}
func (db *DB) Exec(line string) (Value, error) {
	f := strings.Fields(line)
	c, ok := db.cmds[strings.ToUpper(f[0])]
	if !ok {
		return nil, fmt.Errorf("ERR unknown command '%s'", f[0])
	}
	if args := f[1:]; c.arity >= 0 && len(args) != c.arity || len(args) < -c.arity {
		return nil, ArityError{f[0], c.arity, len(args)}
	}
	return c.run(db, f[1:])
}

const session = `set a 1
get a
incr a
incr n
INCR n
push l x y
get l
multi
push l z
del a
set n text
get n
rollback
get n
get a
get l
rollback
hset h k v
hset h k2 v2
get h
push h q
expire a 5
wait 4999ms
get a
wait 1ms
get a
wait x
expire n abc
foo
get`

func main() {
	db := NewDB()
	sc := bufio.NewScanner(strings.NewReader(session))
	for sc.Scan() {
		v, err := db.Exec(sc.Text())
		var ae ArityError
		switch {
		case errors.As(err, &ae):
			fmt.Printf("%-14s arity %+v\n", sc.Text(), ae)
		case err != nil:
			fmt.Printf("%-14s error %v\n", sc.Text(), err)
		default:
			fmt.Printf("%-14s %s\n", sc.Text(), show(v))
		}
	}
}
