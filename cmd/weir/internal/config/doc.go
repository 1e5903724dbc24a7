// Package config finds out how the program is to behave: flags first, then the
// environment, then the file of a trusted project, then the user's file, then
// defaults. It tells of each value where it came from.
//
// A project's file counts as far as its folder is trusted. Until then it may
// only narrow: add refusals, lower limits, take a stricter mode, offer fewer
// tools. Whatever else it says is left out and reported. Trusted or not, a
// project never turns the questions or the sandbox off: mode bypass and sandbox
// off are for the person alone.
//
// Nothing here reads the environment, runs a program or follows a link out of
// the project.
package config
