// Package markdown shows Markdown on a terminal while it streams in.
//
// A [Stream] takes text in pieces of any size. What can no longer change is
// given out once, to be printed; what still can is given out whole each time,
// to be drawn again. Where the text is cut makes no difference to what is
// printed. The words are the same with and without colour.
//
// Nothing of the text reaches the output that could act on a terminal: the only
// escape sequences are SGR ones of this package.
//
// Code is coloured by a small scanner and not by chroma, which was tried (v2.27.0):
// linking its table of languages in cost 5 to 7 ms at every start of the program;
// it keeps no state from line to line, so that each line is read with those
// before it; and a single quotation mark behind a fence that says jsonata kept it
// busy without an end, which a model's answer must not be able to do. Here a line
// costs one short scan.
package markdown
