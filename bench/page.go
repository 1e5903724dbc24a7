package bench

import (
	_ "embed"
	"html/template"
	"io"
	"slices"
)

//go:embed page.html
var pageText string

// page is the template of a report, which loads nothing.
func page() *template.Template { return template.Must(template.New("report").Parse(pageText)) }

// colors are those of the subjects in their order: they can be told apart by
// those who see no red or green.
var colors = [...]string{"#7f7f7f", "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"}

func colorOf(subject string) string {
	i := slices.IndexFunc(Subjects(), func(s Subject) bool { return s.Name == subject })
	return colors[max(0, i)%len(colors)]
}

// sheet is a report as the page shows it.
type sheet struct {
	Report
	Title    string
	Method   string
	Remarks  []string
	Sections []section
	Subjects []mark
}

// mark is a subject with its color.
type mark struct{ Name, Color string }

// section is a case.
type section struct {
	Title string
	Heads []string
	Rows  []entry
	// Failures say why answers did not come.
	Failures []string
	Charts   []chart
	Stalls   []bars
}

type entry struct {
	Subject, Color string
	Cells          []string
}

// HTML writes the report as one page that needs nothing else: no scripts, and
// nothing that is loaded.
func (r Report) HTML(w io.Writer) error {
	s := sheet{Report: r, Remarks: r.remarks(), Method: r.method(), Title: "weir bench, " + r.Began.UTC().Format("2006-01-02 15:04") + " UTC"}
	for _, rows := range r.cases() {
		s.Sections = append(s.Sections, sectionOf(r.title(rows[0]), rows))
	}
	for _, of := range Subjects() {
		if slices.ContainsFunc(r.Rows, func(row Row) bool { return row.Subject == of.Name }) {
			s.Subjects = append(s.Subjects, mark{of.Name, colorOf(of.Name)})
		}
	}
	return page().Execute(w, s)
}

func sectionOf(title string, rows []Row) section {
	s := section{Title: title, Failures: failures(rows)}
	shown := columns(rows, true)
	for _, m := range shown {
		s.Heads = append(s.Heads, m.Name+", "+m.Unit)
	}
	for _, r := range rows {
		s.Rows = append(s.Rows, entry{r.Subject, colorOf(r.Subject), r.cells(shown)})
	}
	for _, m := range shown {
		if curves := distributions(rows, m.Name); len(curves) > 0 {
			s.Charts = append(s.Charts, draw("share of samples by "+m.Name, curves, true, microText, percentText))
		}
	}
	for _, name := range seriesNames(rows) {
		curves, unit := overTime(rows, name)
		s.Charts = append(s.Charts, draw(name+" over time, "+unit, curves, false, secondText, plainText))
	}
	if b := stallBars(rows); len(b.Bars) > 0 {
		s.Stalls = append(s.Stalls, b)
	}
	return s
}

// distributions are the curves of a metric of which there are enough samples.
func distributions(rows []Row, name string) []curve {
	var out []curve
	for _, r := range rows {
		for _, m := range r.Metrics {
			if m.Name == name && len(m.CDF) > 1 {
				out = append(out, curve{r.Subject, colorOf(r.Subject), m.CDF})
			}
		}
	}
	return out
}

func seriesNames(rows []Row) []string {
	var names []string
	for _, r := range rows {
		for _, s := range r.series() {
			if !slices.Contains(names, s.Name) {
				names = append(names, s.Name)
			}
		}
	}
	return names
}

func (r Row) series() []Series {
	if r.Plot == nil {
		return nil
	}
	return r.Plot.Series
}

func overTime(rows []Row, name string) (out []curve, unit string) {
	for _, r := range rows {
		for _, s := range r.series() {
			if s.Name == name {
				unit = s.Unit
				out = append(out, curve{r.Subject, colorOf(r.Subject), s.Points})
			}
		}
	}
	return out, unit
}
