package serve

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/usetools/usetools/harness/skills"
	"github.com/usetools/usetools/registry/skill"
	"github.com/usetools/usetools/registry/text"
)

const (
	// skillsListed is how many skills a page of the list has.
	skillsListed  = 50
	scriptSkills  = "skill://scripts/{name}/{file}"
	completeReply = "complete"
)

// skillParams are the params of skills/list and skills/get, skillResult their results.
type (
	skillParams struct {
		mcp.ParamsBase
		Cursor string `json:"cursor"`
		URI    string `json:"uri"`
	}
	skillResult struct {
		mcp.ResultBase
		mcp.Cacheable
		ResultType string         `json:"resultType"`
		Skills     []*skill.Skill `json:"skills,omitzero"`
		NextCursor string         `json:"nextCursor,omitempty"`
		Skill      *skill.Skill   `json:"skill,omitempty"`
	}
)

// addSkills adds the methods of the extension for skills, the prompt with the guide, and the
// skills' files as resources.
func (c *session) addSkills() {
	// Registering fails only for methods of the protocol itself.
	_ = mcp.AddReceivingCustomMethod(c.mcp, skill.MethodList, c.listSkills)
	_ = mcp.AddReceivingCustomMethod(c.mcp, skill.MethodGet, c.getSkill)
	c.mcp.AddResourceTemplate(&mcp.ResourceTemplate{URITemplate: scriptSkills, Name: "script-skill",
		Title: "How to run a saved script, and its source"}, c.readSkill)
	if c.s.opts.Guides == nil {
		return
	}
	c.mcp.AddResource(&mcp.Resource{URI: skills.GuideURI, Name: "usetools", Description: skills.GuideAbout,
		MIMEType: skill.MIMEType}, c.readSkill)
	c.mcp.AddPrompt(&mcp.Prompt{Name: "scripts", Title: "How to write scripts for execute", Description: skills.GuideAbout},
		func(ctx context.Context, _ *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			set, err := c.skills(ctx)
			if err != nil {
				return nil, err
			}
			return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: set.Guide()}}}}, nil
		})
}

// skills returns the skills of the session's client.
func (c *session) skills(ctx context.Context) (*skills.Set, error) {
	cat, done, err := c.catalog(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	return skills.New(cat, c.policy(), c.s.opts.Guides)
}

// cachedSkills says how long clients may keep entries of skills. Clients compare the digests
// in an entry with the files that they read later.
var cachedSkills = mcp.Cacheable{TTLMs: int(listTime.Milliseconds()), CacheScope: "private"}

func (c *session) listSkills(ctx context.Context, _ *mcp.ServerSession, p *skillParams) (*skillResult, error) {
	set, err := c.skills(ctx)
	if err != nil {
		return nil, err
	}
	uris := set.URIs()
	if p != nil && p.Cursor != "" {
		if !strings.HasPrefix(p.Cursor, skills.Scripts) {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "invalid cursor"}
		}
		uris = slices.DeleteFunc(uris, func(uri string) bool { return uri == skills.GuideURI || uri <= p.Cursor })
	}
	out := &skillResult{Cacheable: cachedSkills, ResultType: completeReply, Skills: []*skill.Skill{}}
	if len(uris) > skillsListed {
		uris = uris[:skillsListed]
		out.NextCursor = uris[skillsListed-1]
	}
	if err := c.s.reading.Acquire(ctx, 1); err != nil {
		return nil, err
	}
	defer c.s.reading.Release(1)
	for _, uri := range uris {
		s, err := set.Skill(uri)
		if err == nil {
			out.Skills = append(out.Skills, &s.Skill)
		} else if !errors.Is(err, skills.ErrNotFound) { // the others can be listed
			c.s.log.Warn("a skill cannot be listed", "error", err)
		}
	}
	return out, nil
}

func (c *session) getSkill(ctx context.Context, _ *mcp.ServerSession, p *skillParams) (*skillResult, error) {
	set, err := c.skills(ctx)
	if err != nil {
		return nil, err
	}
	uri := ""
	if p != nil {
		uri = p.URI
	}
	s, err := set.Skill(uri)
	if err != nil {
		return nil, noSkill(uri, err)
	}
	return &skillResult{Cacheable: cachedSkills, ResultType: completeReply, Skill: &s.Skill}, nil
}

// readSkill reads a file of a skill.
func (c *session) readSkill(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	set, err := c.skills(ctx)
	if err != nil {
		return nil, err
	}
	f, err := set.File(req.Params.URI)
	if err != nil {
		return nil, noSkill(req.Params.URI, err)
	}
	c.s.memory.Handled(len(f.Text))
	return contents(req, f.MIMEType, f.Text), nil
}

// noSkill returns the error for a URI without a skill or file.
func noSkill(uri string, err error) error {
	if errors.Is(err, skills.ErrNotFound) {
		return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "no skill is served at " + strconv.Quote(text.First(uri, 200))}
	}
	return err
}
