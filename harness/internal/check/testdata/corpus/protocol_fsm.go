package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
)

type stateFn func(*session) (stateFn, error)

type session struct {
	r    *bufio.Reader
	w    io.Writer
	user string
	mail struct {
		from string
		to   []string
		body strings.Builder
	}
	sent  []string
	lines int
}

type smtpError struct {
	Code int
	Msg  string
}

func (e smtpError) Error() string { return fmt.Sprintf("%d %s", e.Code, e.Msg) }

var errQuit = errors.New("quit")

func (s *session) reply(code int, format string, args ...any) {
	fmt.Fprintf(s.w, "%d "+format+"\n", append([]any{code}, args...)...)
}

func (s *session) line() (verb, arg string, err error) {
	l, err := s.r.ReadString('\n')
	if err != nil && (err != io.EOF || l == "") {
		return "", "", err
	}
	s.lines++
	verb, arg, _ = strings.Cut(strings.TrimRight(l, "\r\n"), " ")
	return strings.ToUpper(verb), arg, nil
}

func greet(s *session) (stateFn, error) {
	s.reply(220, "ready")
	return helo, nil
}

func helo(s *session) (stateFn, error) {
	verb, arg, err := s.line()
	if err != nil {
		return nil, err
	}
	switch verb {
	case "HELO", "EHLO":
		if arg == "" {
			return helo, smtpError{501, "need a name"}
		}
		s.user = arg
		s.reply(250, "hello %s", arg)
		return ready, nil
	case "QUIT":
		return nil, errQuit
	}
	return helo, smtpError{503, "say hello first"}
}

func ready(s *session) (next stateFn, err error) {
	verb, arg, err := s.line()
	if err != nil {
		return nil, err
	}
	defer func() {
		if err == nil && next != nil && verb != "DATA" {
			s.reply(250, "ok")
		}
	}()
	switch verb {
	case "MAIL":
		s.mail.from = strings.TrimPrefix(arg, "FROM:")
		return ready, nil
	case "RCPT":
		if s.mail.from == "" {
			return ready, smtpError{503, "need MAIL"}
		}
		s.mail.to = append(s.mail.to, strings.TrimPrefix(arg, "TO:"))
		return ready, nil
	case "DATA":
		if len(s.mail.to) == 0 {
			return ready, smtpError{Code: 503, Msg: "need RCPT"}
		}
		s.reply(354, "go ahead")
		return data, nil
	case "RSET":
		s.mail.from, s.mail.to = "", nil
		s.mail.body.Reset()
		return ready, nil
	case "QUIT":
		return nil, errQuit
	default:
		return ready, smtpError{500, "unknown command " + verb}
	}
}

func data(s *session) (stateFn, error) {
	for {
		l, err := s.r.ReadString('\n')
		if err != nil {
			return nil, fmt.Errorf("in data: %w", err)
		}
		if strings.TrimSpace(l) == "." {
			break
		}
		s.mail.body.WriteString(strings.TrimPrefix(l, "."))
	}
	s.sent = append(s.sent, fmt.Sprintf("%s→%s: %d bytes", s.mail.from, strings.Join(s.mail.to, "+"), s.mail.body.Len()))
	s.reply(250, "queued as %d", len(s.sent))
	s.mail.body.Reset()
	s.mail.to = s.mail.to[:0]
	return ready, nil
}

func run(in string, out io.Writer) (s *session, err error) {
	s = &session{r: bufio.NewReaderSize(strings.NewReader(in), 16), w: out}
	errs := 0
	for st := stateFn(greet); st != nil; {
		st, err = st(s)
		var se smtpError
		switch {
		case errors.As(err, &se):
			s.reply(se.Code, "%s", se.Msg)
			if errs++; errs > 3 {
				return s, fmt.Errorf("too many errors: %w", err)
			}
			err = nil
		case errors.Is(err, errQuit):
			s.reply(221, "bye %s", s.user)
			return s, nil
		}
	}
	return
}

func main() {
	for i, in := range []string{
		"EHLO me\nMAIL FROM:a@x\nRCPT TO:b@y\nRCPT TO:c@z\nDATA\nhi\n..dot\n.\nQUIT\n",
		"MAIL x\nHELO\nhelo you\nDATA\nRCPT TO:q\nQUIT\n",
		"HELO z\nMAIL FROM:a\nRCPT TO:b\nDATA\nunfinished",
		"HELO z", "A\nB\nC\nD\nE\n",
	} {
		var sb strings.Builder
		s, err := run(in, &sb)
		fmt.Printf("%d err=%v eof=%t lines=%d sent=%q\n%s", i, err, errors.Is(err, io.EOF), s.lines, s.sent, sb.String())
	}
}
