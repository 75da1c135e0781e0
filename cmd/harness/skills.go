package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/usetools/usetools/cmd/harness/help"
	"github.com/usetools/usetools/harness/skills"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/skill"
)

func (e *env) skillsCommand() *cli.Command {
	return &cli.Command{
		Name:  "skills",
		Usage: "list the skills of servers, and those that serve offers",
		Description: `A skill is a text that says how to do a task with tools. Skills of servers are in the
registry and have names with the server, as in billing/refunds; harness serve offers
usetools and, for each saved script, scripts/NAME. The text of a server's skill is
untrusted: it is printed as the server's words.

  harness skills
  harness skills show billing/refunds`,
		Commands: []*cli.Command{{Name: "show", Usage: "print a skill", ArgsUsage: "SKILL", Action: on(e.known, e.showSkill)}},
		Action:   on(e.known, e.skills),
	}
}

// skillEntry is a skill in the list.
type skillEntry struct {
	ID          string `json:"id"`
	Server      string `json:"server,omitempty"` // that wrote it
	Description string `json:"description"`
	Held        bool   `json:"held,omitempty"`
}

// ownSkill returns the name of a skill that serve offers.
func ownSkill(uri string) string {
	return strings.TrimSuffix(strings.TrimPrefix(uri, "skill://"), "/"+skill.FileName)
}

func (e *env) skills(_ context.Context, c *cli.Command, known *known) error {
	all := []skillEntry{}
	for _, s := range known.registry.Printable().Servers {
		for _, k := range s.Skills {
			all = append(all, skillEntry{registry.SkillID(s.Name, k.Name), s.Name, k.Description, k.Held})
		}
	}
	set, err := skills.New(known.catalog, nil, help.Pages)
	if err != nil {
		return err
	}
	for _, uri := range set.URIs() {
		if k, err := set.Skill(uri); err == nil {
			all = append(all, skillEntry{ID: ownSkill(uri), Description: registry.Printable(k.Description(), skill.MaxDescription)})
		}
	}
	if c.Bool("json") {
		return e.print(all)
	}
	for _, k := range all {
		note := ""
		if k.Server != "" {
			note = registry.Printable(k.Server, 200) + " says: "
		}
		if k.Held {
			note = "(" + registry.Waits + ") " + note
		}
		fmt.Fprintf(e.stdout, "%s  %s%s\n", registry.Printable(k.ID, 200), note, strings.Join(strings.Fields(k.Description), " "))
	}
	return nil
}

func (e *env) showSkill(_ context.Context, c *cli.Command, known *known) error {
	id := c.Args().First()
	text, err := known.catalog.SkillText(id)
	set, problem := skills.New(known.catalog, nil, help.Pages)
	if problem != nil {
		return problem
	}
	if k, missing := set.Skill("skill://" + id + "/" + skill.FileName); missing == nil { // in addition to that of a server named scripts
		text, err = text+registry.PrintableText(k.Files[0].Text, len(k.Files[0].Text)), nil
	}
	if err != nil {
		return notFound("%s", err)
	}
	if c.Bool("json") {
		return e.print(map[string]string{"id": id, "text": text})
	}
	_, err = io.WriteString(e.stdout, text)
	return err
}

// skillsFor returns a line for each skill that matches a phrase.
func (k *known) skillsFor(phrase string) (lines []string) {
	for _, s := range k.catalog.Skills(phrase) {
		lines = append(lines, fmt.Sprintf("skill: harness skills show %s; %s says: %s", registry.ShellWord(s.ID), s.Server, s.About))
	}
	return lines
}
