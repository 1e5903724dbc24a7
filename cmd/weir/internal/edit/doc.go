// Package edit is the part of a terminal that a person types into, below what
// the program says: a [Console] draws prompt, input and status line at the
// bottom and puts the program's output above them.
//
// [Keys] cuts what a terminal sends into keys and pastes, [Line] is what is
// being typed, [History] what was typed before. These three are pure; Console
// is the host around them.
package edit
