package edit

import "strings"

// Act is what a key asks of the program.
type Act uint8

// The acts. None is for keys that only changed what is shown.
const (
	None Act = iota
	Submit
	Cancel // Ctrl-C
	Abort  // Escape with nothing to close
	Leave  // Ctrl-D on an empty line
	Clear  // the screen
	Stop   // Ctrl-Z
)

// Editor is the state of what a person types: a line, the history, a search in
// it. It is pure but for the history's file.
type Editor struct {
	Line    Line
	History *History
	// Complete returns what may stand in the place of the last word before the
	// cursor, or nil.
	Complete func(before string) []string
	// Single says that a line is asked for, as in an answer to a question: a new
	// line sends it, and it is not kept in the history.
	Single bool

	searching bool
	query     string
	found     int
	choices   []string // of the last completion, shown below
}

// Handle takes a key and returns what it asks for; text is that of a Submit.
func (e *Editor) Handle(k Key) (act Act, text string) {
	e.choices = nil
	if e.searching && e.search(k) {
		return None, ""
	}
	if k.Kind == NewLine && e.Single {
		k.Kind = Enter
	}
	switch k.Kind {
	case Enter:
		return e.enter()
	case Interrupt:
		return Cancel, ""
	case Escape:
		return Abort, ""
	case EndOfInput:
		if e.Line.Text() == "" {
			return Leave, ""
		}
		e.Line.edit(Key{Kind: Delete})
	case ClearScreen:
		return Clear, ""
	case Suspend:
		return Stop, ""
	case Search:
		e.searching, e.query, e.found = !e.Single, "", len(e.History.entries)
	case Up, Down:
		e.vertical(k.Kind == Down)
	case Tab:
		e.complete()
	default:
		e.Line.edit(k)
	}
	return None, ""
}

// enter sends the line, or continues it if it ends in a backslash.
func (e *Editor) enter() (Act, string) {
	text := e.Line.Text()
	if before, ok := strings.CutSuffix(text, `\`); ok && !e.Single && e.Line.at == len(text) {
		e.Line.Set(before + "\n")
		return None, ""
	}
	e.Line.Set("")
	return Submit, text
}

// Reset empties the line.
func (e *Editor) Reset() {
	e.Line.Set("")
	e.searching, e.choices = false, nil
	e.History.at = len(e.History.entries)
}

func (e *Editor) vertical(down bool) {
	if e.Line.vertical(down) || e.Single {
		return
	}
	text, ok := "", false
	if down {
		text, ok = e.History.forth()
	} else {
		text, ok = e.History.back(e.Line.Text())
	}
	if ok {
		e.Line.Set(text)
	}
}

// search takes a key while the history is searched and reports whether that
// was all it does.
func (e *Editor) search(k Key) bool {
	switch k.Kind {
	case Rune:
		e.query += string(k.Rune)
		e.found = e.History.find(e.query, len(e.History.entries))
	case Backspace:
		runes := []rune(e.query)
		e.query = string(runes[:max(len(runes)-1, 0)])
		e.found = e.History.find(e.query, len(e.History.entries))
	case Search:
		if older := e.History.find(e.query, e.found); older >= 0 {
			e.found = older
		}
	case Escape, Interrupt: // closes the search, nothing else (B017)
		e.searching = false
	default:
		e.searching = false
		if e.match() != "" {
			e.Line.Set(e.match())
		}
		return false
	}
	return true
}

// match is the entry the search has found.
func (e *Editor) match() string {
	if e.query == "" || e.found < 0 || e.found >= len(e.History.entries) {
		return ""
	}
	return e.History.entries[e.found]
}

// complete puts what is common to all completions in the place of the last
// word, and shows them if they are several.
func (e *Editor) complete() {
	if e.Complete == nil || e.Single {
		return
	}
	before := e.Line.text[:e.Line.at]
	choices := e.Complete(before)
	if len(choices) == 0 {
		return
	}
	word := before[strings.LastIndexAny(before, " \n\t")+1:]
	common := choices[0]
	for _, c := range choices[1:] {
		for !strings.HasPrefix(c, common) {
			common = strings.ToValidUTF8(common[:len(common)-1], "")
		}
	}
	if len(common) > len(word) {
		e.Line.cut(e.Line.at-len(word), e.Line.at)
		e.Line.Insert(common)
	}
	if len(choices) > 1 {
		e.choices = choices
	} else if !strings.HasSuffix(common, "/") {
		e.Line.Insert(" ")
	}
}

// View lays out what is typed behind prompt.
func (e *Editor) View(prompt string, width, height int) View {
	if e.searching {
		var l Line
		l.Set(e.query)
		v := viewOf("search: ", &l, width, height)
		if m := e.match(); m != "" {
			first, _, _ := strings.Cut(m, "\n")
			v.Rows = append(v.Rows, viewOf("  ", &Line{text: first}, width, 1).Rows...)
		}
		return v
	}
	v := viewOf(prompt, &e.Line, width, height)
	if len(e.choices) > 0 {
		shown := strings.Join(e.choices[:min(len(e.choices), 40)], "  ")
		v.Rows = append(v.Rows, viewOf("  ", &Line{text: shown}, width, 4).Rows...)
	}
	return v
}
