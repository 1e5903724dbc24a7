// Package render turns the events of a session into words for a person.
//
// [Screen] is a small state machine: events in, bytes out, the same bytes for a
// terminal and for a buffer, colour aside. [Piped] splits them for a program
// whose standard output is no terminal: answers on one side, the rest on the
// other. No byte of a model, a tool, a file name or a server leaves this
// package unescaped; [Escaper] and [Line] are what sees to it.
//
// Nothing here knows files, clocks or goroutines.
package render
