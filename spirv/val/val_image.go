package val

import (
	"github.com/sgrun/sgrun/spirv"
	"github.com/sgrun/sgrun/spirv/module"
)

// Image instructions (SPIR-V 1.6, section 3.3.10): the types of results and of the main operands. Image operands,
// dimensions and formats are not checked yet.
var imageRules = map[spirv.Op]rule{
	spirv.OpSampledImage: sampledImage, spirv.OpImage: imageOf, spirv.OpImageRead: imageRead, spirv.OpImageWrite: imageWrite, spirv.OpImageFetch: imageRead,
	spirv.OpImageSampleImplicitLod: imageSample, spirv.OpImageSampleExplicitLod: imageSample, spirv.OpImageTexelPointer: texelPointer,
	spirv.OpImageQuerySize: imageQuery, spirv.OpImageQuerySizeLod: imageQuery, spirv.OpImageQueryLevels: imageQuery, spirv.OpImageQuerySamples: imageQuery,
	spirv.OpImageQueryFormat: imageQuery, spirv.OpImageQueryOrder: imageQuery,
}

func isImage(t *module.Type) bool        { return isOther(t, spirv.OpTypeImage) }
func isSampledImage(t *module.Type) bool { return isOther(t, spirv.OpTypeSampledImage) }

func typeImage(c *checker, in *inst) {
	t := c.Types[idAt(c.Types[in.result], 1)]
	if t == nil || !isVoid(t) && !isNumber(t) {
		c.bad(in, "the sampled type of an image must be void or a scalar of numbers, %s", is(t))
		return
	}
	for i, limit := range []uint32{2, 1, 1, 2} {
		if w := in.Words[3+i]; w > limit {
			c.bad(in, "the %s operand of an image must be at most %d, it is %d", []string{"Depth", "Arrayed", "MS", "Sampled"}[i], limit, w)
			return
		}
	}
	if len(in.Words) > 8 && !c.HasCapability(spirv.CapabilityKernel) {
		c.bad(in, "the access qualifier of an image needs the capability Kernel")
	}
}

func typeSampledImage(c *checker, in *inst) {
	switch t := c.Types[idAt(c.Types[in.result], 1)]; {
	case !isImage(t):
		c.bad(in, "OpTypeSampledImage must name an image type, %s", is(t))
	case t.Inst.Words[6] == 2:
		c.bad(in, "the image of OpTypeSampledImage must be one for use with a sampler (Sampled 0 or 1)")
	}
}

func sampledImage(c *checker, in *inst) {
	image, sampler := c.typeOf(in, 0), c.typeOf(in, 1)
	switch {
	case !isSampledImage(in.rt):
		c.bad(in, "the result of OpSampledImage must be a sampled image, it is %v", in.rt)
	case image == nil || image.ID != idAt(in.rt, 1):
		c.bad(in, "the image of OpSampledImage must have the result's image type, %s", is(image))
	case !isOther(sampler, spirv.OpTypeSampler):
		c.bad(in, "the sampler of OpSampledImage must be a sampler, %s", is(sampler))
	}
}

func imageOf(c *checker, in *inst) {
	t := c.typeOf(in, 0)
	if !isSampledImage(t) || idAt(t, 1) != in.rt.ID {
		c.bad(in, "OpImage must take a sampled image whose image has the result type %v, %s", in.rt, is(t))
	}
}

// texel checks the result of a read or sample against the image's sampled type.
func (c *checker) texel(in *inst, image *module.Type) {
	sampled := c.Types[idAt(image, 1)]
	if !isNumberSV(in.rt) || !isVoid(sampled) && elem(in.rt) != sampled {
		c.bad(in, "the result of %v must have components of the image's sampled type %v, it is %v", in.Op, sampled, in.rt)
	}
}

func imageRead(c *checker, in *inst) {
	t := c.typeOf(in, 0)
	switch p := c.typeOf(in, 1); {
	case !isImage(t):
		c.bad(in, "the image of %v must be an image, %s", in.Op, is(t))
	case !isNumberSV(p):
		c.bad(in, "the coordinate of %v must be a scalar or vector of numbers, %s", in.Op, is(p))
	default:
		c.texel(in, t)
	}
}

func imageSample(c *checker, in *inst) {
	t := c.typeOf(in, 0)
	switch p := c.typeOf(in, 1); {
	case !isSampledImage(t):
		c.bad(in, "the image of %v must be a sampled image, %s", in.Op, is(t))
	case !isNumberSV(p):
		c.bad(in, "the coordinate of %v must be a scalar or vector of numbers, %s", in.Op, is(p))
	default:
		c.texel(in, c.Types[idAt(t, 1)])
	}
}

func imageWrite(c *checker, in *inst) {
	t := c.typeOf(in, 0)
	switch p, v := c.typeOf(in, 1), c.typeOf(in, 2); {
	case !isImage(t):
		c.bad(in, "the image of OpImageWrite must be an image, %s", is(t))
	case !isIntSV(p):
		c.bad(in, "the coordinate of OpImageWrite must be a scalar or vector of integers, %s", is(p))
	case !isNumberSV(v):
		c.bad(in, "the texel of OpImageWrite must be a scalar or vector of numbers, %s", is(v))
	default:
		if s := c.Types[idAt(t, 1)]; !isVoid(s) && elem(v) != s {
			c.bad(in, "the texel of OpImageWrite must have components of the image's sampled type %v, %s", s, is(v))
		}
	}
}

func texelPointer(c *checker, in *inst) {
	p := c.typeOf(in, 0)
	switch {
	case !isPtr(in.rt) || in.rt.Storage != spirv.StorageClassImage:
		c.bad(in, "the result of OpImageTexelPointer must be a pointer in Image, it is %v", in.rt)
	case !isPtr(p) || !isImage(p.Elem):
		c.bad(in, "the image of OpImageTexelPointer must be a pointer to an image, %s", is(p))
	case in.rt.Elem.ID != idAt(p.Elem, 1):
		c.bad(in, "the result of OpImageTexelPointer must point to the image's sampled type, it is %v", in.rt)
	case !isIntSV(c.typeOf(in, 1)):
		c.bad(in, "the coordinate of OpImageTexelPointer must be a scalar or vector of integers, %s", is(c.typeOf(in, 1)))
	case !isInt(c.typeOf(in, 2)):
		c.bad(in, "the sample of OpImageTexelPointer must be an integer, %s", is(c.typeOf(in, 2)))
	}
}

func imageQuery(c *checker, in *inst) {
	switch t := c.typeOf(in, 0); {
	case !isIntSV(in.rt):
		c.bad(in, "the result of %v must be a scalar or vector of integers, it is %v", in.Op, in.rt)
	case !isImage(t):
		c.bad(in, "the image of %v must be an image, %s", in.Op, is(t))
	}
}
