package store

import (
	"bytes"
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/usetools/usetools/harness/record"
)

// maxAnswer is the maximum size of an answer's file in bytes.
const maxAnswer = 256 << 10

// answerFile returns the name of the file beside the record with the answer to an ask.
func answerFile(a string) string { return "answer-" + a }

// answering returns the key that signs answers, and the names of their files. The key is
// nil if it does not exist and make is false. Answers that are signed with the store's
// own key have other names, so that a foreign file does not block them.
func (s *Store) answering(make bool) (key []byte, file func(a string) string, err error) {
	if key = s.o.AnswerKey; key == nil {
		key, err = s.in.Key(make)
		return key, answerFile, err
	}
	sum := sha256.Sum256(key)
	return key, func(a string) string { return fmt.Sprintf("%s-%x", answerFile(a), sum[:4]) }, nil
}

// signed returns the content of an answer's file: a MAC with the store's key, valid for
// this run and ask only, and the line.
func signed(key []byte, run string, line []byte) []byte {
	return fmt.Appendf(nil, "%x %s", record.MAC(key, "answer/1", run, string(line)), line)
}

// verified returns the answer in a file, or an error if it is not valid for the ask.
func verified(key []byte, run string, ask *record.Ask, data []byte) (*record.Answer, error) {
	_, line, _ := bytes.Cut(data, []byte(" "))
	if key == nil || !hmac.Equal(signed(key, run, line), data) {
		return nil, errors.New("its signature is not valid for this run and store")
	}
	l, err := record.DecodeLine(bytes.TrimSuffix(line, []byte("\n")))
	if err != nil {
		return nil, err
	}
	a, ok := l.(*record.Answer)
	switch {
	case !ok || a.A != ask.A:
		return nil, errors.New("it is the answer to another question")
	case a.Digest != ask.Digest:
		return nil, errors.New("it answers another question")
	case a.Time.After(ask.Until):
		return nil, fmt.Errorf("it was given after %s", ask.Until.Format(time.RFC3339))
	}
	return a, nil
}

// takeAnswers adds people's answers from their files to the asks of a run.
func (s *Store) takeAnswers(r *record.Run, name string) error {
	if len(r.Asks) == 0 {
		return nil
	}
	key, file, err := s.answering(false)
	if err != nil {
		return err
	}
	for _, a := range r.Asks {
		if why := changed(r, a.Ask); why != nil {
			a.Answer = nil
			r.RejectAnswer(a.A, why)
			continue
		}
		data, err := s.in.Value(name, file(a.A), maxAnswer)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		var given *record.Answer
		if err == nil {
			given, err = verified(key, r.Begin.ID, a.Ask, data)
		}
		if err == nil && a.Answer != nil && (a.Answer.Yes != given.Yes || a.Answer.AllCalls != given.AllCalls) {
			err = errors.New("the record has a different answer")
		}
		if err != nil {
			r.RejectAnswer(a.A, err)
			continue
		}
		if a.Answer == nil && given.Yes && r.Now().After(given.Until) {
			r.RejectAnswer(a.A, fmt.Errorf("it expired at %s", given.Until.Format(time.RFC3339)))
		}
		a.Answer = given // in place of the record's line, which lacks secrets
	}
	return nil
}

// changed returns an error if an ask does not match its digest.
func changed(r *record.Run, a *record.Ask) error {
	if a.Digest != record.AskDigest(r.Begin.ID, a) || a.A == record.Ledger && a.Hash != record.LedgerDigest(r) {
		return errors.New("the question does not match its digest")
	}
	return nil
}

// Asked returns an ask by the ID of its approval or by a unique beginning of that. The ID of
// the run is enough if it has one open ask.
func (s *Store) Asked(id string) (*record.Run, *record.Asked, error) {
	_, r, a, err := s.asked(id)
	return r, a, err
}

// asked returns an ask as Asked does, and also the name of the record.
func (s *Store) asked(id string) (name string, r *record.Run, a *record.Asked, err error) {
	run, of, exact := strings.Cut(id, ".")
	if name, r, err = s.loadID(run); err == nil {
		a, err = askedOf(r, of, exact)
	}
	if err != nil {
		return "", nil, nil, err
	}
	return name, r, a, nil
}

// askedOf returns the ask of a run with this name or, if exact is false, the only ask.
func askedOf(r *record.Run, name string, exact bool) (*record.Asked, error) {
	if exact {
		if i := slices.IndexFunc(r.Asks, func(a *record.Asked) bool { return a.A == name }); i >= 0 {
			return r.Asks[i], nil
		}
		return nil, fmt.Errorf("%w: run %s has no question %q", ErrNotFound, r.Begin.ID, name)
	}
	from := r.Open()
	if len(from) == 0 {
		from = r.Asks
	}
	switch len(from) {
	case 0:
		return nil, fmt.Errorf("%w: run %s has no questions", ErrNotFound, r.Begin.ID)
	case 1:
		return from[0], nil
	}
	return nil, fmt.Errorf("%w: run %s has %d questions, such as %s and %s", ErrAmbiguous, r.Begin.ID, len(from),
		record.ApprovalID(r.Begin.ID, from[0].A), record.ApprovalID(r.Begin.ID, from[1].A))
}

// Answer keeps a person's answer to an ask (by an ID as for Asked) until the run is resumed. It
// sets A and Time, and, if they are zero, Until and Digest from the ask. It returns ErrOtherAsk if
// Digest is not that of the ask, an *AnsweredError if the ask has an answer, and ErrExpired after
// the ask's time.
func (s *Store) Answer(id string, a *record.Answer) error {
	if err := s.answer(id, a); err != nil {
		return fmt.Errorf("answering %s: %w", id, err)
	}
	s.in.Changes().Notify()
	return nil
}

func (s *Store) answer(id string, a *record.Answer) error {
	name, r, asked, err := s.asked(id)
	if err != nil {
		return err
	}
	run, now := r.Begin.ID, r.Now().UTC().Truncate(time.Microsecond)
	switch {
	case asked.Answer != nil:
		return &AnsweredError{asked.Answer}
	case r.Damaged != nil:
		return fmt.Errorf("the record is damaged: %w", r.Damaged)
	case r.Later != nil:
		return r.Later
	case !r.Waits(asked):
		return fmt.Errorf("%w: %s", ErrEnded, r.End.Status)
	case now.After(asked.Until):
		return fmt.Errorf("%w: it could be answered until %s", ErrExpired, asked.Until.Format(time.RFC3339))
	}
	if err := changed(r, asked.Ask); err != nil {
		return err
	}
	if a.Digest != "" && a.Digest != asked.Digest {
		return ErrOtherAsk
	}
	a.Type, a.Time, a.A, a.Digest = "answer", now, asked.A, asked.Digest
	if a.Until.IsZero() {
		a.Until = asked.Until
	}
	a.Until = a.Until.UTC()
	line, err := record.EncodeLine(a)
	if err != nil {
		return err
	}
	if len(line) > maxAnswer/2 {
		return fmt.Errorf("it has %d bytes; the most is %d", len(line), maxAnswer/2)
	}
	key, file, err := s.answering(true)
	if err != nil {
		return err
	}
	err = s.in.Put(name, file(asked.A), signed(key, run, line))
	if !errors.Is(err, fs.ErrExist) {
		return err
	}
	if _, asked, err = s.Asked(record.ApprovalID(run, asked.A)); err != nil {
		return err
	}
	if asked.Answer != nil {
		return &AnsweredError{asked.Answer}
	}
	return errors.New("the file of its answer is not valid; delete the file to answer again")
}

// An AnsweredError is returned for an ask that has an answer. It is ErrAnswered.
type AnsweredError struct{ Answer *record.Answer }

func (e *AnsweredError) Error() string {
	word := "rejected"
	if e.Answer.Yes {
		word = "approved"
	}
	return fmt.Sprintf("already %s by %s at %s", word, cmp.Or(e.Answer.Who, "an unknown person"), e.Answer.Time.Format(time.RFC3339))
}

func (e *AnsweredError) Is(target error) bool { return target == ErrAnswered }

// RequestDigest returns a digest, keyed with the store's key, of a subject, a script, its
// inputs and whether it runs dry. It is empty if the store has no key and cannot make one.
func (s *Store) RequestDigest(subject, script string, inputs map[string]json.RawMessage, dry bool) string {
	key, err := s.in.Key(true)
	if err != nil {
		return ""
	}
	texts := []string{"request/1", subject, script, "false"}
	for _, name := range slices.Sorted(maps.Keys(inputs)) {
		texts = append(texts, name, string(inputs[name]))
	}
	sum := hex.EncodeToString(record.MAC(key, texts...))
	if dry {
		return DryRequest(sum)
	}
	return sum
}

// DryRequest returns the digest of a dry run of the request with this digest.
func DryRequest(digest string) string { return "dry " + digest }
