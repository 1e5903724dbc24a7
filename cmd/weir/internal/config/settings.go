package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// ProjectDir is the folder of a project's configuration.
const ProjectDir = ".weir"

// Trust says how far a project's file counts.
type Trust int

const (
	// Unread leaves the file alone, as long as nobody has answered.
	Unread Trust = iota
	// Narrowing lets the file take away only.
	Narrowing
	// Trusted lets the file say all but what is for the person alone.
	Trusted
)

// Input is where settings come from. Its zero value gives the defaults of
// nothing: every setting is empty.
type Input struct {
	// Flags are those of the command line, by name without dashes.
	Flags map[string][]string
	// Defaults are the values of flags that nobody sets, by name.
	Defaults map[string][]string
	// Env looks a variable up; "" is the same as unset.
	Env func(name string) string
	// UserDir is weir's folder of the user; "" if there is no home.
	UserDir string
	// ProjectRoot is the workspace root whose .weir folder counts; "" for none.
	ProjectRoot string
	// Trust is how far ProjectRoot's file counts.
	Trust Trust
}

// Part is one value and where it came from.
type Part struct {
	Text string
	// From is `default`, a flag such as `--model`, a variable or `file:line`.
	From string
}

// Setting is what holds of one name.
type Setting struct {
	Name string
	// Parts is one value, or the elements of a list; none if nothing is set.
	Parts []Part
}

// Settings is how the program is to behave. It is frozen once made.
type Settings struct {
	byName map[string]Setting
	// PreTool and PostTool are the hooks, the user's first.
	PreTool, PostTool []Hook
	// Vendors are the named servers.
	Vendors map[string]Vendor
	// Refused are sentences on what the project's file asked for and may not have.
	Refused  []string
	doubtful string // the start of From of what a project says that is not trusted
}

// Load reads the files and decides. Errors are mistakes in a file or in the
// environment, with the place; the caller is told, nothing is guessed. A file of
// a project that is not trusted makes no error: it is refused whole.
func Load(in Input) (*Settings, error) {
	user, err := userFile(in.UserDir)
	if err != nil {
		return nil, err
	}
	s := &Settings{byName: map[string]Setting{}, Vendors: map[string]Vendor{}}
	project := &file{}
	if in.Trust != Unread && in.ProjectRoot != "" {
		project, err = projectFile(in.ProjectRoot)
		switch {
		case err != nil && in.Trust == Trusted:
			return nil, err
		case err != nil: // whoever made the folder must not keep the program from running in it
			s.refuse("the project's config does not count: %s", err)
			project = &file{}
		}
		if in.Trust != Trusted {
			s.doubtful = project.path + ":"
		}
	}
	for _, k := range keys {
		if err := s.decide(k, in, user, project); err != nil {
			return nil, err
		}
	}
	s.takeTables(in, user, project)
	return s, nil
}

// decide finds the value of one key, from the lowest layer up.
func (s *Settings) decide(k key, in Input, user, project *file) error {
	set := Setting{Name: k.name, Parts: parts(in.Defaults[k.name], "default")}
	put := func(values []string, from string) {
		p := parts(values, from)
		if k.kind == rules {
			p = append(slices.Clone(set.Parts), p...)
		}
		set.Parts = p
	}
	if v, ok := user.values[k.name]; ok {
		put(v, user.where(k.name))
	}
	if v, ok := project.values[k.name]; ok {
		s.project(k, in.Trust, &set, v, project.where(k.name))
	}
	name, value := s.fromEnv(k, in)
	if value != "" {
		if k.kind == choice && !slices.Contains(k.choices, value) {
			return fmt.Errorf("%s is %q, must be one of %q", name, value, k.choices)
		}
		if k.kind == count && strings.Trim(value, "0123456789") != "" {
			return fmt.Errorf("%s is %q, must be a whole number", name, value)
		}
		put([]string{value}, name)
	}
	if v, ok := in.Flags[k.name]; ok {
		put(v, "--"+k.name)
	}
	s.byName[k.name] = set
	return nil
}

// project lets a project's file say what a key is, as far as it may.
func (s *Settings) project(k key, trust Trust, set *Setting, want []string, where string) {
	if k.person > 0 && slices.Index(k.choices, want[0]) >= k.person {
		s.refuse("%s: %s = %q is for the person alone: pass it as a flag", where, k.name, want[0])
		return
	}
	if trust == Trusted && k.kind == rules {
		set.Parts = append(slices.Clone(set.Parts), parts(want, where)...)
		return
	}
	if trust == Trusted {
		set.Parts = parts(want, where)
		return
	}
	left, ok := k.narrowed(set.texts(), want)
	switch {
	case !ok && k.narrow == never:
		s.refuse("%s: %s does not count until the folder is trusted", where, k.name)
	case !ok:
		s.refuse("%s: %s would allow more than without it, which does not count until the folder is trusted", where, k.name)
	case k.narrow == adds:
		set.Parts = append(slices.Clone(set.Parts), parts(want, where)...)
	default:
		old := set.Parts
		set.Parts = parts(left, where)
		for i, p := range set.Parts { // what is left of a list was said above
			if at := slices.IndexFunc(old, func(o Part) bool { return k.narrow == fewer && o.Text == p.Text }); at >= 0 {
				set.Parts[i] = old[at]
			}
		}
	}
}

func (s *Settings) refuse(format string, args ...any) {
	s.Refused = append(s.Refused, fmt.Sprintf(format, args...))
}

// takeTables takes hooks and vendors over. A vendor of the user's cannot be
// redefined: its key would go elsewhere.
func (s *Settings) takeTables(in Input, user, project *file) {
	s.PreTool, s.PostTool = slices.Clone(user.pre), slices.Clone(user.post)
	maps.Copy(s.Vendors, user.vendors)
	if in.Trust == Trusted {
		s.PreTool = append(s.PreTool, project.pre...)
		s.PostTool = append(s.PostTool, project.post...)
	} else if len(project.pre)+len(project.post) > 0 {
		s.refuse("%s: hooks do not count until the folder is trusted", project.path)
	}
	for _, name := range slices.Sorted(maps.Keys(project.vendors)) {
		v := project.vendors[name]
		_, taken := s.Vendors[name]
		switch {
		case in.Trust != Trusted:
			s.refuse("%s: vendor %s does not count until the folder is trusted", v.Where, name)
		case taken:
			s.refuse("%s: vendor %s is already the user's", v.Where, name)
		default:
			s.Vendors[name] = v
		}
	}
}

// fromEnv returns the variable that sets k and its value. A vendor's address
// counts only if that vendor may be asked.
func (s *Settings) fromEnv(k key, in Input) (name, value string) {
	if in.Env == nil {
		return "", ""
	}
	vendor := ""
	if k.name == "base-url" && len(s.Texts("provider")) > 0 {
		vendor = strings.ToUpper(s.Texts("provider")[0])
	}
	for _, name := range k.env {
		if v := in.Env(name); v != "" && strings.HasPrefix(name, vendor) {
			return name, v
		}
	}
	return "", ""
}

func parts(values []string, from string) []Part {
	out := make([]Part, len(values))
	for i, v := range values {
		out[i] = Part{Text: v, From: from}
	}
	return out
}

func (s Setting) texts() []string {
	out := make([]string, len(s.Parts))
	for i, p := range s.Parts {
		out[i] = p.Text
	}
	return out
}
