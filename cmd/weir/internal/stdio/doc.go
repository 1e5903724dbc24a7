// Package stdio is the program's side of its three standard streams.
//
// [Take] moves descriptor 1 away, so that nothing but an [Output] reaches
// standard output. An Output never holds up the end of the program on a reader
// that has stopped reading. [ReadContext] is the rule by which a one-shot run
// reads standard input.
package stdio
