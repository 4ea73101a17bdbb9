//go:build unix && !linux

package local

import "syscall"

// endWithParent does nothing on this system: the next Start stops the orphan.
func endWithParent(*syscall.SysProcAttr) {}
