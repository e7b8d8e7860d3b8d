// Package gen writes the catalogue's generated kernels and all test vectors. Expected values come from package oracle
// alone: nothing that sgrun judges with them is imported here.
//
// A kernel is known in two forms: its SPIR-V text, and an Effect, a plain Go transcription of what it must do to its
// buffers. A case is a launch; its expectation is what the effects leave in the buffers. Rules are what the effects take
// the meaning of instructions from, so that tests can plant a wrong meaning and see which cases notice.
package gen

import (
	"fmt"
	"io/fs"
	"path"
	"sort"
	"strings"
)

// Vectors is the folder of the vector files, below that of package kernels.
const Vectors = "vectors"

// All is everything the generator knows.
type All struct {
	// Sources are the generated kernels: SPIR-V text by catalogue name.
	Sources map[string]string
	// Kernels are all kernels with an Effect, generated and written by hand, by catalogue name and entry point.
	Kernels map[KernelName]*Kernel
	Topics  []*Topic
	inputs  map[string]*Array // shared input files by name
}

// KernelName names one entry point of the catalogue.
type KernelName struct {
	Module string // catalogue name
	Entry  string // entry point
}

// Kernel is one entry point of a catalogue module with what it must do.
type Kernel struct {
	KernelName
	// Params names the arguments: the parameters in order, or for shaders "SET.BINDING" and "push".
	Params []string
	// Effect changes the buffers of the launch as the kernel must.
	Effect func(r *Rules, l *Launch)
}

// Topic is one vector file.
type Topic struct {
	Name  string
	About string
	Cases []*Case
}

// New builds the catalogue's generated part and all cases. sources holds the kernels written by hand.
func New(sources fs.FS) (*All, error) {
	a := &All{Sources: map[string]string{}, Kernels: map[KernelName]*Kernel{}, inputs: map[string]*Array{}}
	for _, add := range []func(*All){
		addBitcastShuffle, addSameCount, addThereAndBack, addVNNI, addInteger, addBits, addCompare, addFloat, addConvert, addComposite,
		addShuffleFlow, addBasic, addConstants, addMemory, addControl, addBuiltins, addShader, addGroups, addAtomics, addBarriers,
		addReduce, addScan, addFFT, addSort, addTranspose, addCompact, addShuffleXor,
	} {
		add(a)
	}
	for _, t := range a.Topics {
		for _, c := range t.Cases {
			if err := a.finish(c, sources); err != nil {
				return nil, fmt.Errorf("%s/%s: %w", t.Name, c.Name, err)
			}
		}
	}
	return a, nil
}

// topic starts a vector file.
func (a *All) topic(name, about string) *Topic {
	t := &Topic{Name: name, About: about}
	a.Topics = append(a.Topics, t)
	return t
}

// source adds a generated module.
func (a *All) source(name string, t *text) { a.Sources[name] = t.String() }

// kernel adds an entry point.
func (a *All) kernel(k *Kernel) *Kernel {
	if a.Kernels[k.KernelName] != nil {
		panic(fmt.Sprintf("kernel %v is added twice", k.KernelName))
	}
	a.Kernels[k.KernelName] = k
	return k
}

// Files returns the generated files by their path below the folder of package kernels.
func (a *All) Files() (map[string][]byte, error) {
	files := map[string][]byte{}
	for name, text := range a.Sources {
		files[name+".spvasm"] = []byte(text)
	}
	for _, t := range a.Topics {
		w := &writer{topic: t, files: files, arrays: map[string]string{}}
		files[path.Join(Vectors, t.Name+".json")] = w.topicJSON()
	}
	for name, array := range a.inputs {
		files[path.Join(Vectors, name)] = array.npy()
	}
	return files, nil
}

// capabilities reads the capabilities a module declares from its text.
func capabilities(text string) []string {
	var names []string
	for _, line := range strings.Split(text, "\n") {
		if f := strings.Fields(line); len(f) > 1 && f[0] == "OpCapability" {
			names = append(names, f[1])
		}
	}
	return names
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}

// Generated lists the files in the folder of package kernels that the generator has written, now or before: all vectors,
// and the kernels that say so.
func Generated(folder fs.FS) ([]string, error) {
	var names []string
	err := fs.WalkDir(folder, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if strings.HasPrefix(name, Vectors+"/") {
			names = append(names, name)
			return nil
		}
		if path.Ext(name) != ".spvasm" {
			return nil
		}
		data, err := fs.ReadFile(folder, name)
		if err == nil && strings.Contains(string(data), generatedMark) {
			names = append(names, name)
		}
		return err
	})
	return names, err
}
