//go:build unix && !linux

package local

import "syscall"

// endWithParent can do nothing here: the next Start ends what was left running.
func endWithParent(*syscall.SysProcAttr) {}
