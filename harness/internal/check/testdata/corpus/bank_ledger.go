package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"
)

type Cents int64

func (c Cents) String() string {
	sign := ""
	if c < 0 {
		sign, c = "-", -c
	}
	return fmt.Sprintf("%s$%d.%02d", sign, c/100, c%100)
}

func (c Cents) MarshalText() ([]byte, error) { return []byte(c.String()), nil }
func (c *Cents) UnmarshalText(b []byte) error {
	s := strings.TrimPrefix(string(b), "$")
	var whole, frac int64
	if _, err := fmt.Sscanf(s, "%d.%d", &whole, &frac); err != nil {
		return fmt.Errorf("cents %q: %w", b, err)
	}
	*c = Cents(whole*100 + frac)
	return nil
}

type Account struct {
	ID      string    `json:"id"`
	Owner   string    `json:"owner,omitempty"`
	Balance Cents     `json:"balance"`
	Opened  time.Time `json:"opened"`
	history []Tx
}

type Tx struct {
	Seq      int              `json:"seq"`
	From, To string           `json:"-"`
	Amount   Cents            `json:"amount"`
	Note     *string          `json:"note,omitempty"`
	Meta     map[string]Cents `json:"meta,omitempty"`
}

type InsufficientFunds struct {
	Account string
	Need    Cents
	Have    Cents
}

func (e *InsufficientFunds) Error() string {
	return fmt.Sprintf("account %s: need %v, have %v (short by %v)", e.Account, e.Need, e.Have, e.Need-e.Have)
}

var (
	ErrUnknown = errors.New("unknown account")
	ErrAmount  = errors.New("amount must be positive")
)

type Bank struct {
	accounts map[string]*Account
	seq      int
	Now      func() time.Time
}

func NewBank() *Bank {
	t := time.Date(2026, time.January, 1, 9, 0, 0, 0, time.UTC)
	return &Bank{accounts: map[string]*Account{}, Now: func() time.Time { t = t.Add(90 * time.Minute); return t }}
}

func (b *Bank) Open(id, owner string, initial Cents) *Account {
	a := &Account{ID: id, Owner: owner, Balance: initial, Opened: b.Now()}
	b.accounts[id] = a
	return a
}

func (b *Bank) get(id string) (*Account, error) {
	if a, ok := b.accounts[id]; ok {
		return a, nil
	}
	return nil, fmt.Errorf("get %q: %w", id, ErrUnknown)
}

func (b *Bank) Transfer(from, to string, amt Cents, note ...string) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("transfer #%d: %w", b.seq+1, err)
		}
	}()
	if amt <= 0 {
		return ErrAmount
	}
	src, err1 := b.get(from)
	dst, err2 := b.get(to)
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	if src.Balance < amt {
		return &InsufficientFunds{Account: from, Need: amt, Have: src.Balance}
	}
	b.seq++
	tx := Tx{Seq: b.seq, From: from, To: to, Amount: amt}
	if len(note) > 0 {
		tx.Note = &note[0]
		tx.Meta = map[string]Cents{"fee": amt / 100, "net": amt - amt/100}
	}
	src.Balance -= amt
	dst.Balance += amt
	src.history = append(src.history, tx)
	dst.history = append(dst.history, tx)
	return nil
}

func (b *Bank) Total() (sum Cents) {
	for _, a := range b.accounts {
		sum += a.Balance
	}
	return
}

func main() {
	b := NewBank()
	alice := b.Open("alice", "Alice A.", 100_00)
	b.Open("bob", "", 5_50)
	steps := []struct {
		from, to string
		amt      Cents
		note     []string
	}{
		{"alice", "bob", 25_25, []string{"rent"}},
		{"bob", "alice", 1000_00, nil},
		{"alice", "carol", 1, nil},
		{"dave", "carol", 1, nil},
		{"alice", "bob", -5, nil},
		{"bob", "alice", 30_75, nil},
	}
	for _, s := range steps {
		err := b.Transfer(s.from, s.to, s.amt, s.note...)
		var insuf *InsufficientFunds
		switch {
		case err == nil:
			fmt.Println("ok", s.amt)
		case errors.As(err, &insuf):
			fmt.Println("insufficient:", insuf.Need-insuf.Have, "|", err)
		case errors.Is(err, ErrUnknown):
			fmt.Printf("unknown: %q\n", err)
		default:
			fmt.Println("other:", err)
		}
	}
	fmt.Println("total", b.Total())
	enc := json.NewEncoder(os.Stdout)
	enc.SetIndent("", "  ")
	ids := make([]*Account, 0)
	for _, a := range b.accounts {
		ids = append(ids, a)
	}
	slices.SortFunc(ids, func(x, y *Account) int { return strings.Compare(x.ID, y.ID) })
	if err := enc.Encode(ids); err != nil {
		fmt.Println(err)
	}
	_ = enc.Encode(alice.history)
	var back []Account
	err := json.Unmarshal([]byte(`[{"id":"x","balance":"$12.34"},{"id":"y","balance":"zz"}]`), &back)
	fmt.Printf("%v %+v\n", err, len(back))
	fmt.Printf("%v %d %s %x\n", back[0].Balance, back[0].Balance, back[0].Balance, int64(back[0].Balance))
}
