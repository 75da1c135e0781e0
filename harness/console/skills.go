package console

import (
	"net/http"
	"net/url"
	"slices"

	"github.com/usetools/usetools/harness/skills"
	"github.com/usetools/usetools/registry"
)

// skillsListed is the maximum number of skills in the list.
const skillsListed = 200

// skillRow is a skill in the list.
type skillRow struct {
	ID, Name, About string
	Text            string
	Saved           string // name of the saved script, if the skill is of one
	Server, Hue     string // of a skill that a server wrote
	Held            bool   // whether it changed, and the change is not accepted
}

// Href returns the address of the page with the skill's text.
func (s *skillRow) Href() string { return "/skills?skill=" + url.QueryEscape(s.ID) }

// skillsData is the data of the page of skills.
type skillsData struct {
	K            *known // nil without a catalog
	Chosen       *skillRow
	Ours, Theirs []*skillRow // of this server, and of the servers behind it
	More         int         // number of omitted skills
}

// skillsPage lists the skills, and shows the text of one.
func (v *view) skillsPage() error {
	d := &skillsData{}
	k, err := v.known()
	if err != nil {
		return err
	}
	chosen := v.r.URL.Query().Get("skill")
	if d.K = k; k != nil {
		if err := k.skills(d, chosen); err != nil {
			return err
		}
		k.skillsOfServers(d, chosen)
	}
	if chosen != "" && d.Chosen == nil {
		return &problem{Status: http.StatusNotFound, Title: "Skill not found", Next: "/skills", Do: "Skills", Text: "No skill has this name."}
	}
	return v.show("skills.html", &Page{Title: "Skills", Nav: "tools", Data: d})
}

// skills adds the skills that the server offers.
func (k *known) skills(d *skillsData, chosen string) error {
	set, err := skills.New(k.cat, k.policy, k.v.c.opts.Guides)
	if err != nil {
		return err
	}
	uris := set.URIs()
	for i, uri := range uris {
		if i >= skillsListed && uri != chosen {
			continue
		}
		s, err := set.Skill(uri)
		if err != nil {
			continue // its script does not compile, or is damaged: the page of scripts says so
		}
		row := &skillRow{ID: uri, Name: s.Name(), About: s.Description(), Text: s.Files[0].Text, Saved: s.Saved}
		if uri == chosen {
			d.Chosen = row
		}
		if i < skillsListed {
			d.Ours = append(d.Ours, row)
		}
	}
	d.More = max(len(uris)-skillsListed, 0)
	return nil
}

// skillsOfServers adds the skills of servers that have a tool the viewer may see.
func (k *known) skillsOfServers(d *skillsData, chosen string) {
	for i := range k.cat.Registry.Servers {
		srv := &k.cat.Registry.Servers[i]
		if len(srv.Skills) == 0 || !k.v.Operator && !slices.ContainsFunc(k.cat.Registry.Tools, func(t registry.Tool) bool {
			return t.Server == srv.Name && k.shows(&t)
		}) {
			continue
		}
		for _, s := range srv.Skills {
			row := &skillRow{ID: registry.SkillID(srv.Name, s.Name), Name: s.Name, About: s.Description, Text: s.Text, Server: srv.Name,
				Hue: k.hue(srv.Name), Held: s.Held}
			if row.ID == chosen {
				d.Chosen = row
			}
			if len(d.Theirs) == skillsListed {
				d.More++
				continue
			}
			d.Theirs = append(d.Theirs, row)
		}
	}
}
