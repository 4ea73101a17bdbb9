package local

import "syscall"

// endWithParent has the kernel ask the child to shut down when this process dies
// without having done so.
func endWithParent(a *syscall.SysProcAttr) { a.Pdeathsig = syscall.SIGINT }
