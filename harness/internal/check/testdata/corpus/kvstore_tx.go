package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

type op int

const (
	opSet op = iota
	opDel
)

type change struct {
	op       op
	key      string
	old, new *string
}

type DB struct {
	data map[string]string
	txs  []*Tx
	rev  int
	subs []func(rev int, ch []change)
}

type Tx struct {
	db      *DB
	changes []change
	closed  bool
	parent  *Tx
}

var (
	ErrTxClosed = errors.New("transaction closed")
	ErrNoTx     = errors.New("no transaction")
	ErrConflict = fmt.Errorf("conflict: %w", errors.ErrUnsupported)
)

func (db *DB) Begin() *Tx {
	t := &Tx{db: db}
	if n := len(db.txs); n > 0 {
		t.parent = db.txs[n-1]
	}
	db.txs = append(db.txs, t)
	return t
}

func (t *Tx) Set(k, v string) error {
	if t.closed {
		return ErrTxClosed
	}
	var old *string
	if o, ok := t.db.data[k]; ok {
		old = &o
	}
	t.changes = append(t.changes, change{opSet, k, old, &v})
	t.db.data[k] = v
	return nil
}

func (t *Tx) Del(k string) (had bool, err error) {
	if t.closed {
		return false, ErrTxClosed
	}
	o, had := t.db.data[k]
	if had {
		t.changes = append(t.changes, change{op: opDel, key: k, old: &o})
		delete(t.db.data, k)
	}
	return had, nil
}

func (t *Tx) Rollback() {
	for _, c := range slices.Backward(t.changes) {
		if c.old == nil {
			delete(t.db.data, c.key)
		} else {
			t.db.data[c.key] = *c.old
		}
	}
	t.end()
}

func (t *Tx) end() {
	t.closed = true
	t.db.txs = slices.DeleteFunc(t.db.txs, func(x *Tx) bool { return x == t })
}

func (t *Tx) Commit() error {
	if t.closed {
		return ErrTxClosed
	}
	if last := t.db.txs[len(t.db.txs)-1]; last != t {
		return ErrConflict
	}
	if t.parent != nil {
		t.parent.changes = append(t.parent.changes, t.changes...)
	} else {
		t.db.rev++
		for _, s := range t.db.subs {
			s(t.db.rev, t.changes)
		}
	}
	t.end()
	return nil
}

func (db *DB) Update(fn func(*Tx) error) (err error) {
	tx := db.Begin()
	defer func() {
		if p := recover(); p != nil {
			tx.Rollback()
			if e, ok := p.(error); ok {
				err = fmt.Errorf("update: panic: %w", e)
				return
			}
			panic(p)
		} else if err != nil {
			tx.Rollback()
		} else {
			err = tx.Commit()
		}
	}()
	return fn(tx)
}

func (db *DB) dump() string {
	var sb strings.Builder
	for i, k := range slices.Sorted(maps.Keys(db.data)) {
		if i > 0 {
			sb.WriteByte(' ')
		}
		sb.WriteString(k + "=" + db.data[k])
	}
	return sb.String()
}

func main() {
	db := &DB{data: map[string]string{"a": "1"}}
	db.subs = append(db.subs, func(rev int, ch []change) {
		for _, c := range ch {
			s := fmt.Sprintf("rev%d %d %s", rev, c.op, c.key)
			if c.old != nil {
				s += " old=" + *c.old
			}
			if c.new != nil {
				s += " new=" + *c.new
			}
			fmt.Println("  ", s)
		}
	})
	err := db.Update(func(t *Tx) error {
		t.Set("b", "2")
		t.Set("a", "9")
		had, _ := t.Del("zz")
		fmt.Println("had", had)
		return nil
	})
	fmt.Println(err, db.dump(), db.rev)
	err = db.Update(func(t *Tx) error {
		t.Set("c", "3")
		t.Del("a")
		return errors.New("changed my mind")
	})
	fmt.Println(err, db.dump(), db.rev)
	err = db.Update(func(t *Tx) error {
		t.Set("d", "4")
		err := db.Update(func(in *Tx) error { in.Set("e", "5"); var p *Tx; return p.Set("x", "y") })
		fmt.Println("inner:", err, db.dump())
		return db.Update(func(in *Tx) error { _, err := in.Del("b"); return err })
	})
	fmt.Println(err, db.dump(), db.rev)
	t1, t2 := db.Begin(), db.Begin()
	t1.Set("q", "1")
	err = t1.Commit()
	fmt.Println(err, errors.Is(err, ErrConflict), errors.Is(err, errors.ErrUnsupported))
	fmt.Println(t2.Commit(), t2.Commit(), t1.Commit(), t1.Set("z", "z"), db.dump())
	defer func() { fmt.Println("got", recover(), db.dump(), len(db.txs)) }()
	db.Update(func(t *Tx) error { t.Set("gone", "1"); panic("string panic") })
}
