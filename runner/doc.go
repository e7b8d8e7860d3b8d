// Package runner is what "run a kernel" means, whatever runs it.
//
// A [Launch] is data: named buffers and steps over them. [LoadModule] brings a module, [Run] binds a launch to it and runs
// it on a device.Device, [Compare] and [CheckExpectations] say whether the numbers are right, and [Verify] does all of it
// for the cases of vector files. Package value beside it reads and prints the numbers themselves.
//
// Errors a user can act on are *device.Error; [ExitStatus] turns them into the exit status of sgrun.
package runner
