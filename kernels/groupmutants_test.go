package kernels_test

import (
	"github.com/sgrun/sgrun/kernels/gen"
	"github.com/sgrun/sgrun/kernels/oracle"
)

// workItemMutants are errors planted in what work-items do together: sub-groups, atomics, barriers.
func workItemMutants() []mutant {
	instead := func(pairs ...string) gen.Rules {
		m := map[string]string{}
		for i := 0; i < len(pairs); i += 2 {
			m[pairs[i]] = pairs[i+1]
		}
		return gen.Rules{Instead: m}
	}
	arithmetic := []string{"group-arithmetic", "group-uniform"}
	groups := []string{"group-"}
	return []mutant{
		{name: "lanes that are not active take part", rules: gen.Rules{AllLanes: true}, only: groups,
			topics: []string{"group-arithmetic", "group-ballot", "group-vote"}, least: 70},
		{name: "exclusive scan for inclusive", rules: gen.Rules{Scan: map[oracle.Scan]oracle.Scan{oracle.InclusiveScan: oracle.ExclusiveScan}}, only: groups,
			topics: []string{"group-arithmetic", "group-ballot", "group-uniform"}, least: 200},
		{name: "inclusive scan for exclusive", rules: gen.Rules{Scan: map[oracle.Scan]oracle.Scan{oracle.ExclusiveScan: oracle.InclusiveScan}}, only: groups,
			topics: []string{"group-arithmetic", "group-ballot", "group-uniform"}, least: 200},
		{name: "reduction for inclusive scan", rules: gen.Rules{Scan: map[oracle.Scan]oracle.Scan{oracle.InclusiveScan: oracle.Reduce}}, only: groups,
			topics: []string{"group-arithmetic", "group-ballot", "group-uniform"}, least: 150},
		{name: "clusters half as large", rules: gen.Rules{Cluster: func(n int) int { return max(n/2, 1) }}, only: groups,
			topics: []string{"group-arithmetic", "group-shuffle"}, least: 50},
		{name: "clusters of one lane", rules: gen.Rules{Cluster: func(int) int { return 1 }}, only: groups,
			topics: []string{"group-arithmetic", "group-shuffle"}, least: 50},
		{name: "down for XOR", rules: instead("OpGroupNonUniformShuffleXor", "OpGroupNonUniformShuffleDown"), only: groups, topics: []string{"group-shuffle"}, least: 50},
		{name: "up for down", rules: instead("OpGroupNonUniformShuffleDown", "OpGroupNonUniformShuffleUp"), only: groups, topics: []string{"group-shuffle"}, least: 50},
		{name: "signed minimum as unsigned", only: append([]string{"atomic"}, groups...), topics: append([]string{"atomic"}, arithmetic...), least: 60,
			rules: instead("OpGroupNonUniformSMin", "OpGroupNonUniformUMin", "OpGroupSMin", "OpGroupUMin", "OpAtomicSMin", "OpAtomicUMin")},
		{name: "unsigned maximum as signed", only: append([]string{"atomic"}, groups...), topics: append([]string{"atomic"}, arithmetic...), least: 50,
			rules: instead("OpGroupNonUniformUMax", "OpGroupNonUniformSMax", "OpGroupUMax", "OpGroupSMax", "OpAtomicUMax", "OpAtomicSMax")},
		{name: "sum for product", rules: instead("OpGroupNonUniformFMul", "OpGroupNonUniformFAdd", "OpGroupFMulKHR", "OpGroupFAdd"), only: groups,
			topics: arithmetic, least: 50},
		{name: "an atomic returns what it has stored", rules: gen.Rules{NewValue: true}, only: []string{"atomic"}, topics: []string{"atomic"}, least: 15},
		{name: "a barrier that does nothing", rules: gen.Rules{NoBarrier: true}, only: []string{"barrier", "group-uniform"},
			topics: []string{"barrier", "group-uniform"}, least: 30},
	}
}
