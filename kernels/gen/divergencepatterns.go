package gen

// xorPatterns are the patterns of divergence under which shuffle-XOR is checked.
func xorPatterns() []xorPattern {
	type at = func(place string, round uint32)
	return []xorPattern{
		{"uniform", "all lanes go one way",
			func(f *flow) {
				f.when(f.less(f.lane, f.size), func() { f.at(f.word(1)) }, func() { f.at(f.word(2)) })
				f.at(f.word(3))
			},
			func(_ lane, at at) { at("then", 1); at("end", 3) }},
		{"odd-even", "odd and even lanes part",
			func(f *flow) {
				f.when(f.odd(), func() { f.at(f.word(1)) }, func() { f.at(f.word(2)) })
				f.at(f.word(3))
			},
			func(l lane, at at) {
				if l.id%2 == 1 {
					at("then", 1)
				} else {
					at("else", 2)
				}
				at("end", 3)
			}},
		{"halves", "the halves of the sub-group part",
			func(f *flow) {
				f.when(f.less(f.lane, f.shift(f.size, 1)), func() { f.at(f.word(1)) }, func() { f.at(f.word(2)) })
				f.at(f.word(3))
			},
			func(l lane, at at) {
				if l.id < l.size/2 {
					at("then", 1)
				} else {
					at("else", 2)
				}
				at("end", 3)
			}},
		{"some-return", "every fourth lane returns",
			func(f *flow) {
				f.when(f.equal(f.and(f.lane, 3), f.word(3)), f.leave, nil)
				f.at(f.word(1))
			},
			func(l lane, at at) {
				if l.id%4 != 3 {
					at("end", 1)
				}
			}},
		{"nested", "a selection within a selection",
			func(f *flow) {
				f.when(f.odd(), func() {
					f.when(f.equal(f.and(f.lane, 2), f.word(2)), func() { f.at(f.word(1)) }, func() { f.at(f.word(2)) })
					f.at(f.word(3))
				}, nil)
				f.at(f.word(4))
			},
			func(l lane, at at) {
				if l.id%2 == 1 {
					if l.id&2 == 2 {
						at("then", 1)
					} else {
						at("else", 2)
					}
					at("inner", 3)
				}
				at("end", 4)
			}},
		{"one-alone", "the last lane is alone",
			func(f *flow) {
				f.when(f.equal(f.add(f.lane, f.word(1)), f.size), func() { f.at(f.word(1)) }, func() { f.at(f.word(2)) })
			},
			func(l lane, at at) {
				if l.id+1 == l.size {
					at("then", 1)
				} else {
					at("else", 2)
				}
			}},
		{"one-missing", "all but the first lane",
			func(f *flow) {
				f.when(f.less(f.word(0), f.lane), func() { f.at(f.word(1)) }, nil)
				f.at(f.word(2))
			},
			func(l lane, at at) {
				if l.id > 0 {
					at("then", 1)
				}
				at("end", 2)
			}},
		{"switch", "four ways",
			func(f *flow) {
				f.cases(f.and(f.lane, 3), func() { f.at(f.word(1)) }, func() { f.at(f.word(2)) }, func() { f.at(f.word(3)) }, func() { f.at(f.word(4)) })
				f.at(f.word(5))
			},
			func(l lane, at at) { at("case", 1+l.id%4); at("end", 5) }},
		{"two-diamonds", "two selections one after the other",
			func(f *flow) {
				f.when(f.odd(), func() { f.at(f.word(1)) }, func() { f.at(f.word(2)) })
				f.when(f.equal(f.and(f.lane, 2), f.word(0)), func() { f.at(f.word(3)) }, func() { f.at(f.word(4)) })
				f.at(f.word(5))
			},
			func(l lane, at at) {
				at("first", 2-l.id%2)
				at("second", 3+l.id/2%2)
				at("end", 5)
			}},
		{"trips", "a loop that lane l runs l mod 4 times",
			func(f *flow) {
				f.loop("%i_var", f.and(f.lane, 3), func(turn string) { f.at(turn) })
				f.at(f.word(9))
			},
			func(l lane, at at) {
				for i := range l.id % 4 {
					at("loop", i)
				}
				at("end", 9)
			}},
		{"break", "a break in the middle of a loop",
			func(f *flow) {
				f.loop("%i_var", f.word(4), func(turn string) {
					f.at(turn)
					f.stopIf(f.equal(turn, f.and(f.lane, 3)))
					f.at(f.add(turn, f.word(8)))
				})
				f.at(f.word(16))
			},
			func(l lane, at at) {
				for i := range uint32(4) {
					at("top", i)
					if i == l.id%4 {
						break
					}
					at("rest", i+8)
				}
				at("end", 16)
			}},
		{"continue", "odd lanes continue a loop early",
			func(f *flow) {
				odd := f.odd()
				f.loop("%i_var", f.word(3), func(turn string) {
					f.at(turn)
					f.skipIf(odd)
					f.at(f.add(turn, f.word(8)))
				})
				f.at(f.word(16))
			},
			func(l lane, at at) {
				for i := range uint32(3) {
					at("top", i)
					if l.id%2 == 0 {
						at("rest", i+8)
					}
				}
				at("end", 16)
			}},
		{"return-in-loop", "three of four lanes return out of a loop, in different rounds",
			func(f *flow) {
				f.loop("%i_var", f.word(3), func(turn string) {
					f.when(f.equal(turn, f.and(f.lane, 3)), f.leave, nil)
					f.at(turn)
				})
				f.at(f.word(9))
			},
			func(l lane, at at) {
				for i := range uint32(3) {
					if i == l.id%4 {
						return
					}
					at("loop", i)
				}
				at("end", 9)
			}},
		{"nested-loops", "nested loops with trip counts of each lane",
			func(f *flow) {
				inner := f.add(f.and(f.shift(f.lane, 1), 1), f.word(1))
				f.loop("%i_var", f.add(f.and(f.lane, 1), f.word(1)), func(outer string) {
					twice := f.add(outer, outer)
					f.loop("%j_var", inner, func(turn string) { f.at(f.add(twice, turn)) })
					f.at(f.add(outer, f.word(8)))
				})
				f.at(f.word(16))
			},
			func(l lane, at at) {
				for o := range l.id%2 + 1 {
					for i := range l.id/2%2 + 1 {
						at("inner", 2*o+i)
					}
					at("outer", o+8)
				}
				at("end", 16)
			}},
		{"function", "a function called from both arms",
			func(f *flow) {
				f.exchangeFunction()
				f.when(f.odd(), func() { f.callExchange(f.word(1)) }, func() { f.callExchange(f.word(2)) })
				f.callExchange(f.word(3))
			},
			func(l lane, at at) {
				at("arm", 2-l.id%2)
				at("end", 3)
			}},
		{"data", "a loop that runs as the data say, in one arm of a selection by the data",
			func(f *flow) {
				f.when(f.equal(f.and(f.x, 8), f.word(8)), func() {
					f.loop("%i_var", f.and(f.x, 7), func(turn string) { f.at(turn) })
					f.at(f.word(8))
				}, func() { f.at(f.word(9)) })
				f.at(f.word(16))
			},
			func(l lane, at at) {
				if l.x&8 == 8 {
					for i := range l.x & 7 {
						at("loop", i)
					}
					at("then", 8)
				} else {
					at("else", 9)
				}
				at("end", 16)
			}},
	}
}

// exchangeFunction adds the function exchange(acc, operand, own, lane, size), which returns what acc becomes.
func (f *flow) exchangeFunction() {
	word := f.typ(u32.of(1))
	signature := f.define("%exchange_type", "OpTypeFunction %s %s %s %s %s %s", word, word, word, word, word, word)
	inner := &flow{function: &function{text: f.text, prefix: "exchange_", counter: map[string]int{}, loaded: map[string]string{}, builtin: f.builtin},
		form: f.form, own: "%exchange_mask", lane: "%exchange_lane", size: "%exchange_size"}
	for _, p := range []string{"%exchange_before", "%exchange_operand", inner.own, inner.lane, inner.size} {
		inner.lines = append(inner.lines, p+" = OpFunctionParameter "+word)
	}
	inner.label("%exchange_entry")
	inner.do("OpReturnValue %s", inner.exchange("%exchange_before", "%exchange_operand"))
	f.functions = append(f.functions, "", "%exchange = OpFunction "+word+" None "+signature)
	f.functions = append(f.functions, append(inner.lines, "OpFunctionEnd")...)
}

func (f *flow) callExchange(round string) {
	word := f.typ(u32.of(1))
	acc := f.op("acc", "OpLoad %s %%total", word)
	f.do("OpStore %%total %s", f.op("called", "OpFunctionCall %s %%exchange %s %s %s %s %s", word, acc, f.add(f.x, round), f.own, f.lane, f.size))
}
