package main

import (
	"bufio"
	"bytes"
	"container/heap"
	"container/list"
	"container/ring"
	"encoding/json"
	"fmt"
	"io"
	"sort"
	"strings"
)

type R struct{ s string }

func (r *R) Read(p []byte) (int, error) {
	if r.s == "" {
		return 0, io.EOF
	}
	n := copy(p, r.s)
	r.s = r.s[n:]
	return n, nil
}
func (r *R) WriteTo(w io.Writer) (int64, error) {
	fmt.Println("WriteTo")
	n, err := io.WriteString(w, r.s)
	r.s = ""
	return int64(n), err
}

type W struct{ b bytes.Buffer }

func (w *W) Write(p []byte) (int, error)         { return w.b.Write(p) }
func (w *W) ReadFrom(r io.Reader) (int64, error) { fmt.Println("ReadFrom"); return w.b.ReadFrom(r) }

type F struct{ a int }

func (f F) Format(s fmt.State, verb rune) {
	w, ok := s.Width()
	fmt.Fprintf(s, "<%c %d %v %v %d>", verb, w, ok, s.Flag('+'), f.a)
}

type G int

func (g G) GoString() string { return fmt.Sprintf("G!%d", int(g)) }

type K struct{ a, b int }

func (k K) MarshalText() ([]byte, error) { return []byte(fmt.Sprintf("%d/%d", k.a, k.b)), nil }
func (k *K) UnmarshalText(b []byte) error {
	_, err := fmt.Sscanf(string(b), "%d/%d", &k.a, &k.b)
	return err
}

type J struct{ n int }

func (j J) MarshalJSON() ([]byte, error) { return []byte(fmt.Sprintf(`{"n":%d}`, j.n)), nil }

type H []*K

func (h H) Len() int           { return len(h) }
func (h H) Less(i, j int) bool { return h[i].a < h[j].a }
func (h H) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *H) Push(x any)        { *h = append(*h, x.(*K)) }
func (h *H) Pop() any          { o := *h; x := o[len(o)-1]; *h = o[:len(o)-1]; return x }

type Seek struct{ *strings.Reader }

func main() {
	var w W
	n, err := io.Copy(&w, &R{"hello"})
	fmt.Println(n, err, w.b.String())
	n, err = io.Copy(&w, strings.NewReader("x"))
	fmt.Println(n, err, w.b.String())
	fmt.Printf("%v %+5d %s\n", F{1}, F{2}, []F{{3}})
	fmt.Printf("%#v %#v %v\n", G(3), []G{4}, map[string]G{"a": 5})
	b, err := json.Marshal(map[K][]J{{1, 2}: {{3}, {4}}})
	fmt.Println(string(b), err)
	var m map[K]int
	fmt.Println(json.Unmarshal([]byte(`{"3/4": 7}`), &m), m)
	h := &H{}
	heap.Init(h)
	for _, v := range []int{5, 1, 3} {
		heap.Push(h, &K{v, v})
	}
	for h.Len() > 0 {
		fmt.Print(heap.Pop(h).(*K).a, " ")
	}
	s := H{{3, 1}, {1, 2}}
	sort.Sort(sort.Reverse(s))
	fmt.Println(s[0].a)
	sort.Stable(s)
	fmt.Println(s[0].a, sort.IsSorted(s))
	l := list.New()
	l.PushBack(K{1, 1})
	l.PushFront(&K{2, 2})
	for e := l.Front(); e != nil; e = e.Next() {
		switch v := e.Value.(type) {
		case K:
			fmt.Println("K", v.a)
		case *K:
			fmt.Println("*K", v.a)
		}
	}
	r := ring.New(3)
	for i := range 3 {
		r.Value = K{i, i}
		r = r.Next()
	}
	r.Do(func(x any) { fmt.Print(x.(K).a, " ") })
	fmt.Println()
	sc := bufio.NewScanner(&R{"a b c"})
	sc.Split(func(data []byte, eof bool) (int, []byte, error) { return bufio.ScanWords(data, eof) })
	for sc.Scan() {
		fmt.Print(sc.Text(), ";")
	}
	fmt.Println()
	var rs io.ReadSeeker = Seek{strings.NewReader("seek")}
	rs.Seek(2, io.SeekStart)
	bb, _ := io.ReadAll(rs)
	fmt.Println(string(bb))
	br := bufio.NewReader(&R{"line1\nline2\n"})
	ln, err := br.ReadString('\n')
	fmt.Printf("%q %v\n", ln, err)
	mw := io.MultiWriter(&w, io.Discard)
	fmt.Fprintf(mw, "%d", 7)
	fmt.Println(w.b.String())
	tr := io.TeeReader(&R{"tee"}, &w)
	io.ReadAll(tr)
	fmt.Println(w.b.String())
	lr := io.LimitReader(&R{"limited"}, 3)
	bb, _ = io.ReadAll(lr)
	fmt.Println(string(bb))
	pr, pw := io.Pipe()
	go func() { fmt.Fprint(pw, "piped"); pw.Close() }()
	bb, _ = io.ReadAll(pr)
	fmt.Println(string(bb))
}
