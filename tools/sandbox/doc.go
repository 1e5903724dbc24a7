// Package sandbox confines the commands that the bash tool runs, and all they
// start: they write only below the given folders and a temporary folder of
// their own, cannot read what is hidden, cannot change what is protected inside
// the writable folders, and reach no network unless it is allowed.
//
// Three ways are known, best first:
//
//   - bubblewrap: namespaces for users, mounts, processes, IPC and network. A
//     call's processes end with the call.
//   - Landlock with namespaces: the program starts itself again (see [Main]) in
//     namespaces for users, mounts, IPC and network, mounts what must be hidden
//     or protected, and closes the rest with Landlock. Processes that are left
//     behind are for the caller to end; signals reach none outside.
//   - Landlock alone, where the system gives no namespaces. Sockets are closed
//     by seccomp, /tmp cannot be written (TMPDIR can), and protected paths
//     inside a writable folder stay writable, because Landlock cannot take out
//     of a folder what it has allowed for it. [On] does not take this way when
//     that leaves something open; [Auto] does, and says so.
//
// What is hidden may still be seen by name with Landlock alone. Nobody promises
// anything against faults of the kernel, and what an allowed network, a
// writable folder or a file that is not hidden gives away is given away.
package sandbox
