package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sgrun/sgrun/runner/value"
)

// print writes to standard output.
func (a *app) print(s string) error { return a.write("", []byte(s)) }

// write writes what a command has to say to a file, or to standard output where no file or - is named.
func (a *app) write(file string, data []byte) error {
	return a.writeTo(file, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// writeTo is write for what writes itself. Files appear complete or not at all.
func (a *app) writeTo(file string, write func(io.Writer) error) error {
	if file == "" || file == "-" {
		w := bufio.NewWriter(a.out)
		if err := errors.Join(write(w), w.Flush()); err != nil {
			return fileUsage("cannot write to standard output", err)
		}
		return nil
	}
	err := value.WriteFile(file, func(f io.Writer) error {
		w := bufio.NewWriter(f)
		return errors.Join(write(w), w.Flush())
	})
	if err != nil {
		return inFile(file, err)
	}
	return nil
}

// writeJSON writes a value as indented JSON.
func (a *app) writeJSON(file string, v any) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		return err
	}
	return a.write(file, numberLists.ReplaceAllFunc(b.Bytes(), func(list []byte) []byte {
		return bytes.ReplaceAll(bytes.Join(bytes.Fields(list), nil), []byte(","), []byte(", "))
	}))
}

// numberLists finds lists of numbers in indented JSON, which are put on one line. Strings hold no line ends there.
var numberLists = regexp.MustCompile(`\[\n[-+.0-9eE,\s]*\]`)

// choice is a flag that takes one of a few words.
type choice struct {
	value string
	from  []string
}

func (c *choice) String() string { return c.value }
func (c *choice) Type() string   { return strings.Join(c.from, "|") }

func (c *choice) Set(s string) error {
	for _, f := range c.from {
		if s == f {
			c.value = s
			return nil
		}
	}
	return usage("it is one of %s", strings.Join(c.from, ", "))
}

// addChoice adds a flag that takes one of a few words, the first by default.
func addChoice(cmd *cobra.Command, c *choice, name, short, about string, from ...string) {
	*c = choice{from[0], from}
	cmd.Flags().VarP(c, name, short, about)
	complete(cmd, name, from...)
}

// complete makes the shell offer words for a flag.
func complete(cmd *cobra.Command, flag string, words ...string) {
	err := cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
	if err != nil {
		panic(err) // the flag does not exist: a mistake in this package
	}
}

// report is where and how a command reports: --format and -o.
type report struct {
	format choice
	file   string
}

// addReport adds --format and -o. noJUnit, where not empty, says why JUnit makes no sense here.
func addReport(cmd *cobra.Command, r *report) {
	addChoice(cmd, &r.format, "format", "", "how to report", "table", "json", "junit")
	cmd.Flags().StringVarP(&r.file, "output", "o", "", "write the report to `FILE` instead of standard output")
}

// noJUnit refuses --format junit in a command that tests nothing.
func (r *report) noJUnit(command string) error {
	if r.format.value != "junit" {
		return nil
	}
	e := usage("--format junit: %s tests nothing that could pass or fail", command)
	e.Try = "--format json"
	return e
}

// colours, as terminals know them.
const (
	red    = "\x1b[31m"
	green  = "\x1b[32m"
	yellow = "\x1b[33m"
	dim    = "\x1b[2m"
	reset  = "\x1b[0m"
)

// paint colours text where somebody watches and wants colours (no-color.org).
func (a *app) paint(terminal bool, colour, s string) string {
	if !terminal || a.env("NO_COLOR") != "" || a.env("TERM") == "dumb" {
		return s
	}
	return colour + s + reset
}
