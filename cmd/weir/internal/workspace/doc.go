// Package workspace finds what a model is told about the place it works in:
// the instructions that lie there, the state of git, files that a prompt names,
// commands and skills, and the lines the person has kept.
//
// Everything it reads in a project is untrusted: it is opened through a handle
// of the project's folder, so that no link leads out, only regular files are
// read, each up to a cap, and no program is run, git neither.
package workspace
