package mcp

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/skill"
)

const (
	// skillsTimeout bounds the time of all exchanges about the skills of a server.
	skillsTimeout = 10 * time.Second
	maxSkills     = 100
	maxSkillText  = 32 << 10 // bytes of a SKILL.md
)

// addSkills makes a client able to send skills/list.
func addSkills(c *mcp.Client) error {
	return mcp.AddSendingCustomMethod[*mcp.ListResourcesParams, *mcp.ListResourcesResult](c, skill.MethodList)
}

// skills asks a server that declares the extension for its skills, and reads the SKILL.md of
// each. Problems are the skills that are left out, with the reason.
//
// The extension wants hosts to read a skill when it is loaded. The registry is searched without
// its servers, and pins what a person accepts: so SKILL.md is read when the registry is built.
// Supporting files are not read.
func (s *session) skills(ctx context.Context) (found []registry.Skill, problems []string) {
	if c := s.cs.InitializeResult().Capabilities; c == nil || c.Extensions[skill.Extension] == nil {
		return nil, nil
	}
	limit := min(skillsTimeout, s.server.StartTimeout)
	ctx, cancel := s.limit(ctx, limit)
	defer cancel()
	raws, problems, err := s.pages(ctx, "skills", maxSkills, func(ctx context.Context, cursor string) error {
		_, err := mcp.CallCustomMethod[*mcp.ListResourcesParams, *mcp.ListResourcesResult](ctx, s.cs, skill.MethodList,
			&mcp.ListResourcesParams{Cursor: cursor})
		return err
	})
	if err != nil {
		return nil, []string{fmt.Sprintf("its skills are unknown: %s", s.exchangeFailure(ctx, err, limit))}
	}
	listed := map[string]bool{}
	for i, raw := range raws {
		e := &skill.Skill{}
		k, err := registry.Skill{}, json.Unmarshal(raw, e)
		switch {
		case err != nil:
		case listed[e.URI]:
			err = errors.New("it is listed twice")
		default:
			listed[e.URI] = true
			k, err = s.skill(ctx, e)
		}
		if err == nil {
			found = append(found, k)
			continue
		}
		problems = append(problems, fmt.Sprintf("skill %.200q left out: %s", e.URI, s.exchangeFailure(ctx, err, limit)))
		if ctx.Err() != nil || s.lost(err) {
			if rest := len(raws) - i - 1; rest > 0 {
				problems = append(problems, fmt.Sprintf("%d more skills were not read", rest))
			}
			break
		}
	}
	return distinct(found, &problems), problems
}

// exchangeFailure returns the text of an error of an exchange.
func (s *session) exchangeFailure(ctx context.Context, err error, limit time.Duration) string {
	if errors.Is(context.Cause(ctx), errExchangeDeadline) {
		return fmt.Sprintf("no answer within %v", limit)
	}
	return s.hide.Text(err.Error())
}

// skill reads the SKILL.md of a listed skill.
func (s *session) skill(ctx context.Context, e *skill.Skill) (k registry.Skill, err error) {
	if err := e.Check(); err != nil {
		return k, err
	}
	lines := make([]string, len(e.Resources))
	for i, f := range e.Resources {
		if lines[i] = f.URI + " " + f.Digest + "\n"; f.URI == e.URI && f.Size > maxSkillText {
			return k, fmt.Errorf("%s has %d bytes; want at most %d", skill.FileName, f.Size, maxSkillText)
		}
	}
	slices.Sort(lines)
	text, err := s.readText(ctx, e.URI)
	if err == nil {
		err = e.Verify(text)
	}
	return registry.Skill{Name: e.Name(), Description: e.Description(), URI: e.URI, Text: string(text),
		Files: len(lines), Digest: skill.Digest([]byte(strings.Join(lines, "")))}, err
}

// readText returns the content of a resource.
func (s *session) readText(ctx context.Context, uri string) ([]byte, error) {
	raw, err := s.capture(ctx, nil, func(ctx context.Context) error {
		_, err := s.cs.ReadResource(ctx, &mcp.ReadResourceParams{URI: uri})
		return err
	})
	if err != nil {
		return nil, err
	}
	var result struct {
		Contents []struct {
			URI        string
			Text, Blob *string
		}
	}
	if err := json.Unmarshal(raw, &result); err != nil {
		return nil, fmt.Errorf("reading it: %w", err)
	}
	for _, c := range result.Contents {
		switch {
		case c.URI != uri:
		case c.Text != nil:
			return []byte(*c.Text), nil
		case c.Blob != nil:
			return base64.StdEncoding.DecodeString(*c.Blob)
		}
	}
	return nil, errors.New("the answer to resources/read does not have it")
}

// distinct sorts skills by name. Skills with one name are named by the path of their folder.
func distinct(skills []registry.Skill, problems *[]string) []registry.Skill {
	count, taken := map[string]int{}, map[string]bool{}
	for _, k := range skills {
		count[k.Name]++
	}
	kept := skills[:0]
	for _, k := range skills {
		if n := count[k.Name]; n > 1 {
			name := k.Name
			_, path, _ := strings.Cut(k.URI, "://")
			k.Name = strings.TrimSuffix(path, "/"+skill.FileName)
			*problems = append(*problems, fmt.Sprintf("%d skills have the name %q: %.200q is named by its path", n, name, k.URI))
		}
		if taken[k.Name] {
			*problems = append(*problems, fmt.Sprintf("skill %.200q left out: another has its name", k.URI))
			continue
		}
		taken[k.Name] = true
		kept = append(kept, k)
	}
	slices.SortFunc(kept, func(a, b registry.Skill) int { return strings.Compare(a.Name, b.Name) })
	return kept
}
