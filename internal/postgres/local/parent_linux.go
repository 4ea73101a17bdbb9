package local

import "syscall"

// endWithParent has the kernel shut down the child if this process dies first.
func endWithParent(a *syscall.SysProcAttr) { a.Pdeathsig = syscall.SIGINT }
