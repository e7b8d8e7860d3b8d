//go:build long

package kernels_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/sgrun/sgrun/kernels"
)

// The catalogue's texts are what Khronos' tools take for SPIR-V. They do not know the bitcast shuffle: it is replaced by
// OpBitcast, which takes the same operands.
func TestSPIRVToolsAcceptTheCatalogue(t *testing.T) {
	for _, tool := range []string{"spirv-as", "spirv-val"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("not run: %s is not installed", tool)
		}
	}
	drop := regexp.MustCompile(`(?m)^ *Op(Capability SubgroupBitcastShuffleINTEL|Extension "SPV_INTEL_subgroup_bitcast_shuffle")\n`)
	beyondOpenCL := regexp.MustCompile(`OpCapability (Float16|BitInstructions|Int64Atomics)\b`) // what OpenCL 2.2 has no room for
	dropQuads := regexp.MustCompile(`(?m)^ *Op(Capability QuadControlKHR|Extension "SPV_KHR_quad_control")\n`)
	quadVotes := regexp.MustCompile(`OpGroupNonUniformQuad(All|Any)KHR`)
	version := regexp.MustCompile(`(?m)^; Version: (\d\.\d)$`)
	folder := t.TempDir()
	for _, name := range kernels.Names() {
		source, err := kernels.Source(name)
		if err != nil {
			t.Fatal(err)
		}
		text := string(drop.ReplaceAll(source, nil))
		text = strings.ReplaceAll(text, "OpSubgroupBitcastShuffleINTEL", "OpBitcast")
		text = strings.ReplaceAll(text, "GroupNonUniformPartitionedEXT", "GroupNonUniformPartitionedNV") // as older tools spell it
		text = quadVotes.ReplaceAllString(dropQuads.ReplaceAllString(text, ""), "OpLogicalNot")          // which they do not know
		v := "spv" + version.FindStringSubmatch(text)[1]
		environment := v
		switch {
		case strings.Contains(text, "OpCapability Groups\n") && strings.Contains(text, "OpCapability Shader"): // which Vulkan does not have
		case strings.Contains(text, "OpCapability Shader"):
			environment = "vulkan1.3"
		case v == "spv1.0" && !beyondOpenCL.MatchString(text):
			environment = "opencl2.2"
		}
		in, out := filepath.Join(folder, "x.spvasm"), filepath.Join(folder, "x.spv")
		if err := os.WriteFile(in, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if output, err := exec.Command("spirv-as", "--target-env", v, in, "-o", out).CombinedOutput(); err != nil {
			t.Errorf("%s: spirv-as: %s", name, output)
			continue
		}
		if output, err := exec.Command("spirv-val", "--allow-localsizeid", "--target-env", environment, out).CombinedOutput(); err != nil {
			t.Errorf("%s: spirv-val for %s: %s", name, environment, output)
		}
	}
}
