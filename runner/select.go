package runner

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/sgrun/sgrun/runner/internal/nearest"
)

// matches reports whether a pattern selects a name. A pattern with * or ? must match the whole name, where * stands for
// any characters, / among them, and ? for one; any other pattern must occur in the name.
func matches(pattern, name string) bool {
	if !strings.ContainsAny(pattern, "*?") {
		return strings.Contains(name, pattern)
	}
	// The usual two-finger walk: after the last * everything may be tried again one further.
	p, n, star, mark := 0, 0, -1, 0
	for n < len(name) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, mark = p, n
			p++
		case p < len(pattern) && (pattern[p] == '?' || pattern[p] == name[n]):
			p++
			n++
		case star >= 0:
			mark++
			p, n = star+1, mark
		default:
			return false
		}
	}
	return strings.Trim(pattern[p:], "*") == ""
}

// SelectCases returns the cases any of the patterns selects, all where there is none, in the order of the files. A pattern
// that selects nothing is an error that lists the topics.
func SelectCases(files []*VectorFile, patterns []string) ([]*Case, error) {
	used := make([]bool, len(patterns))
	var out []*Case
	for _, f := range files {
		for i := range f.Cases {
			c := &f.Cases[i]
			take := len(patterns) == 0
			for j, p := range patterns {
				if matches(p, c.ID()) {
					take, used[j] = true, true
				}
			}
			if take {
				out = append(out, c)
			}
		}
	}
	for j, p := range patterns {
		if !used[j] {
			return nil, noMatch(files, p)
		}
	}
	return out, nil
}

func noMatch(files []*VectorFile, pattern string) error {
	e := usage("unknown-pattern", "no case matches %q", pattern)
	var topics, ids []string
	for _, f := range files {
		topics = append(topics, fmt.Sprintf("%s (%d)", f.Topic, len(f.Cases)))
		ids = append(ids, f.Topic)
		for i := range f.Cases {
			ids = append(ids, f.Cases[i].ID())
		}
	}
	e.Try = "one of the topics " + strings.Join(topics, ", ") + ", a part of TOPIC/NAME, or a pattern with * and ?"
	if near := nearest.Names(pattern, ids, 1); len(near) > 0 {
		e.Try = near[0] + "; or " + e.Try
	}
	return e
}

// Shard is a part of the cases: those whose position, counted from 0 over all selected, is Index modulo Count. The zero
// Shard is all of them.
type Shard struct {
	Index int // from 0
	Count int
}

func (s Shard) all() bool { return s.Count <= 1 }

// ParseShard reads the command line's --shard I/N, where I counts from 1.
func ParseShard(text string) (Shard, error) {
	i, n, ok := strings.Cut(text, "/")
	index, err1 := strconv.Atoi(i)
	count, err2 := strconv.Atoi(n)
	if !ok || err1 != nil || err2 != nil || index < 1 || index > count || count > 1<<20 {
		e := usage("bad-shard", "%q is no shard", text)
		e.Try = "I/N with I from 1 to N, such as 1/4"
		return Shard{}, e
	}
	return Shard{index - 1, count}, nil
}

// ShardFromEnv reads the shard that test runners set: TEST_SHARD_INDEX and TEST_TOTAL_SHARDS (Bazel), else
// GTEST_SHARD_INDEX and GTEST_TOTAL_SHARDS (GoogleTest). Their index counts from 0. Without them it returns the zero Shard.
func ShardFromEnv(getenv func(string) string) (Shard, error) {
	for _, names := range [][2]string{{"TEST_SHARD_INDEX", "TEST_TOTAL_SHARDS"}, {"GTEST_SHARD_INDEX", "GTEST_TOTAL_SHARDS"}} {
		i, n := getenv(names[0]), getenv(names[1])
		if i == "" && n == "" {
			continue
		}
		index, err1 := strconv.Atoi(i)
		count, err2 := strconv.Atoi(n)
		if err1 != nil || err2 != nil || index < 0 || index >= count || count > 1<<20 {
			return Shard{}, usage("bad-shard", "the environment has %s=%q and %s=%q, which is no shard: the index counts from 0 and is below the total", names[0], i, names[1], n)
		}
		return Shard{index, count}, nil
	}
	return Shard{}, nil
}

// Pick returns the shard's cases.
func (s Shard) Pick(cases []*Case) []*Case {
	if s.all() {
		return cases
	}
	var out []*Case
	for i := s.Index; i < len(cases); i += s.Count {
		out = append(out, cases[i])
	}
	return out
}
