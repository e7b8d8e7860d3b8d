package asm

import (
	"fmt"
	"strings"
)

// SyntaxError says where text is not SPIR-V assembly, and why.
type SyntaxError struct {
	Line   int // from 1
	Column int // in bytes, from 1
	Msg    string
}

// Error returns "line:column: message".
func (e *SyntaxError) Error() string { return fmt.Sprintf("%d:%d: %s", e.Line, e.Column, e.Msg) }

// token is one word of the text; the empty text is the end.
type token struct {
	text  string
	line  int // from 1
	col   int // from 1, in bytes
	first bool
}

// errorf returns a SyntaxError at the token.
func (t token) errorf(format string, args ...any) error {
	return &SyntaxError{t.line, t.col, fmt.Sprintf(format, args...)}
}

// shown returns the token for a message: quoted, cut where it is long.
func (t token) shown() string {
	if t.text == "" {
		return "the end of the text"
	}
	s, cut := t.text, ""
	if len(s) > 60 {
		s, cut = s[:60], "..."
	}
	if s[0] == '"' {
		return "the string " + strings.ReplaceAll(s, "\n", " ") + cut
	}
	return fmt.Sprintf("%q", s+cut)
}

func (t token) end() bool { return t.text == "" }

// startsWithOp reports whether the token has the form of an opcode: "Op" and a capital letter.
func (t token) startsWithOp() bool {
	s := t.text
	return len(s) > 2 && s[0] == 'O' && s[1] == 'p' && 'A' <= s[2] && s[2] <= 'Z'
}

// scanner cuts text into tokens.
type scanner struct {
	src       string
	pos       int
	line      int
	lineStart int  // position of the first byte of the line
	fresh     bool // no token yet on this line
}

func newScanner(src string) *scanner { return &scanner{src: src, line: 1, fresh: true} }

// punct holds the characters that are tokens by themselves.
const punct = "(),"

// next returns the next token. It fails on a string without end and on a nul character.
func (s *scanner) next() (token, error) {
	src := s.src
	for s.pos < len(src) {
		switch src[s.pos] {
		case ' ', '\t', '\r':
			s.pos++
		case '\n':
			s.pos++
			s.newline()
		case ';':
			if i := strings.IndexByte(src[s.pos:], '\n'); i >= 0 {
				s.pos += i
			} else {
				s.pos = len(src)
			}
		default:
			return s.word()
		}
	}
	return s.token(s.pos), nil
}

func (s *scanner) newline() {
	s.line++
	s.lineStart = s.pos
	s.fresh = true
}

// token returns an empty token at the position.
func (s *scanner) token(pos int) token {
	return token{line: s.line, col: pos - s.lineStart + 1, first: s.fresh}
}

func (s *scanner) word() (token, error) {
	src, start := s.src, s.pos
	t := s.token(start)
	s.fresh = false
	if src[start] == '"' {
		return s.str(t)
	}
	if strings.IndexByte(punct, src[start]) >= 0 {
		s.pos++
		t.text = src[start:s.pos]
		return t, nil
	}
	for s.pos < len(src) {
		switch src[s.pos] {
		case ' ', '\t', '\r', '\n', ';', '"', '(', ')', ',':
			t.text = src[start:s.pos]
			return t, nil
		case 0:
			s.pos++
			return t, s.token(s.pos - 1).errorf("the text holds a nul character; a binary module (.spv) need not be assembled")
		}
		s.pos++
	}
	t.text = src[start:s.pos]
	return t, nil
}

// str scans a string, both quotes included in the token.
func (s *scanner) str(t token) (token, error) {
	src, start := s.src, s.pos
	for s.pos++; s.pos < len(src); s.pos++ {
		switch src[s.pos] {
		case '"':
			s.pos++
			t.text = src[start:s.pos]
			return t, nil
		case '\\':
			if s.pos+1 < len(src) && src[s.pos+1] != '\n' && src[s.pos+1] != 0 {
				s.pos++
			}
		case '\n':
			s.line++
			s.lineStart = s.pos + 1
		case 0:
			return t, s.token(s.pos).errorf("the string holds a nul character, which ends strings in SPIR-V")
		}
	}
	return t, t.errorf("the string that starts here has no closing quote")
}

// unquote returns the string that a string token stands for.
func unquote(text string) string {
	text = text[1 : len(text)-1]
	if strings.IndexByte(text, '\\') < 0 {
		return text
	}
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+1 < len(text) {
			i++
		}
		out = append(out, text[i])
	}
	return string(out)
}

// appendQuoted appends the string as a string token.
func appendQuoted(dst []byte, s string) []byte {
	dst = append(dst, '"')
	for i := range len(s) {
		if s[i] == '"' || s[i] == '\\' {
			dst = append(dst, '\\')
		}
		dst = append(dst, s[i])
	}
	return append(dst, '"')
}
