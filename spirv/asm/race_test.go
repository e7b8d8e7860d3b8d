//go:build race

package asm

// raced says that the race detector makes everything about ten times as slow.
const raced = true
