// reference writes points and values of a function, computed with MPFR to 240 bits, as doubles in the machine's order:
// x, y, and the value as a sum of two. Doubles that the value exceeds or that are too small for it become infinities and
// zeros.
//
//	cc -O2 reference.c -o reference -lmpfr -lgmp
//	reference FUNCTION 16|32|64 SEED COUNT
//
// It exits with 2 for a function it does not know.
#include <math.h>
#include <mpfr.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state;
static uint64_t next(void) { // splitmix64
	uint64_t z = (state += 0x9e3779b97f4a7c15);
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}
static double unit(void) { return (double)(next() >> 11) * 0x1p-53; }

typedef int (*one)(mpfr_t, const mpfr_t, mpfr_rnd_t);
typedef int (*two)(mpfr_t, const mpfr_t, const mpfr_t, mpfr_rnd_t);

static int tanpi_(mpfr_t r, const mpfr_t x, mpfr_rnd_t m) { return mpfr_tanpi(r, x, m); }
static int lgamma_(mpfr_t r, const mpfr_t x, mpfr_rnd_t m) { int s; return mpfr_lgamma(r, &s, x, m); }
static int sqrt_(mpfr_t r, const mpfr_t x, mpfr_rnd_t m) { return mpfr_sqrt(r, x, m); }
static int scale(mpfr_t r, const mpfr_t x, int turn, mpfr_rnd_t m) {
	mpfr_t p;
	mpfr_init2(p, 260);
	mpfr_const_pi(p, m);
	if (turn) mpfr_ui_div(p, 180, p, m); else mpfr_div_ui(p, p, 180, m);
	int i = mpfr_mul(r, x, p, m);
	mpfr_clear(p);
	return i;
}
static int degrees_(mpfr_t r, const mpfr_t x, mpfr_rnd_t m) { return scale(r, x, 1, m); }
static int radians_(mpfr_t r, const mpfr_t x, mpfr_rnd_t m) { return scale(r, x, 0, m); }
static int rootn_(mpfr_t r, const mpfr_t x, const mpfr_t y, mpfr_rnd_t m) { return mpfr_rootn_si(r, x, mpfr_get_si(y, m), m); }

// lo and hi bound the uniform points; kind is 'i' where y is a small integer.
static const struct { const char *name; one f1; two f2; double lo, hi; char kind; } table[] = {
	{"acos", mpfr_acos, 0, -1, 1}, {"acosh", mpfr_acosh, 0, 1, 40}, {"acospi", mpfr_acospi, 0, -1, 1},
	{"asin", mpfr_asin, 0, -1, 1}, {"asinh", mpfr_asinh, 0, -40, 40}, {"asinpi", mpfr_asinpi, 0, -1, 1},
	{"atan", mpfr_atan, 0, -10, 10}, {"atanh", mpfr_atanh, 0, -1, 1}, {"atanpi", mpfr_atanpi, 0, -10, 10},
	{"atan2", 0, mpfr_atan2, -10, 10}, {"atan2pi", 0, mpfr_atan2pi, -10, 10}, {"cbrt", mpfr_cbrt, 0, -100, 100},
	{"cos", mpfr_cos, 0, -100, 100}, {"cosh", mpfr_cosh, 0, -100, 100}, {"cospi", mpfr_cospi, 0, -8, 8},
	{"erf", mpfr_erf, 0, -6, 6}, {"erfc", mpfr_erfc, 0, -6, 28}, {"exp", mpfr_exp, 0, -100, 100}, {"exp2", mpfr_exp2, 0, -150, 150},
	{"exp10", mpfr_exp10, 0, -45, 45}, {"expm1", mpfr_expm1, 0, -3, 3}, {"hypot", 0, mpfr_hypot, -100, 100},
	{"lgamma", lgamma_, 0, 0, 40}, {"log", mpfr_log, 0, 0, 3}, {"log2", mpfr_log2, 0, 0, 3}, {"log10", mpfr_log10, 0, 0, 3},
	{"log1p", mpfr_log1p, 0, -1, 3}, {"pow", 0, mpfr_pow, 0, 20}, {"rsqrt", mpfr_rec_sqrt, 0, 0, 100},
	{"sin", mpfr_sin, 0, -100, 100}, {"sinh", mpfr_sinh, 0, -100, 100}, {"sinpi", mpfr_sinpi, 0, -8, 8}, {"sqrt", sqrt_, 0, 0, 100},
	{"tan", mpfr_tan, 0, -100, 100}, {"tanh", mpfr_tanh, 0, -20, 20}, {"tanpi", tanpi_, 0, -8, 8}, {"tgamma", mpfr_gamma, 0, -40, 171},
	{"degrees", degrees_, 0, -10, 10}, {"radians", radians_, 0, -360, 360},
	{"pown", 0, mpfr_pow, -4, 4, 'i'}, {"rootn", 0, rootn_, 0, 100, 'i'},
	{"fmod", 0, mpfr_fmod, -100, 100}, {"remainder", 0, mpfr_remainder, -100, 100},
};

static int width;
static double fit(double x) { // to the width, where it is no NaN
	if (width == 32) return (float)x;
	if (width == 16) return (double)(_Float16)x;
	return x;
}

static double point(double lo, double hi) {
	static const double edges[] = {0.0, -0.0, 1, -1, 0.5, -0.5, 2, -2, 3, -3, 1.5, 2.5, -1.5, 10, INFINITY, -INFINITY, 0x1p-24, 0x1p-149,
		0x1p-1074, -0x1p-1074, 0x1p-126, 0x1p-1022, 0x1.fffffep127, 0x1.fffffffffffffp1023, 65504, 0x1.fffffffffffffp-1, 0x1.0000000000001p0,
		0x1.fffffep-1, 0x1.000002p0, 0x1.5d13f32b5a75abp9 /* near a multiple of pi/2 */, 6381956970095103.0 * 0x1p797, 88.7228, 709.78, -745.1, -103.97};
	uint64_t r = next();
	switch (r & 7) {
	case 0: return fit(edges[(r >> 8) % (sizeof edges / sizeof *edges)]);
	case 1: // any bits
		if (width == 64) { uint64_t b = next(); double d; memcpy(&d, &b, 8); return d; }
		if (width == 32) { uint32_t b = (uint32_t)next(); float d; memcpy(&d, &b, 4); return d; }
		{ uint16_t b = (uint16_t)next(); _Float16 d; memcpy(&d, &b, 2); return (double)d; }
	case 2: return fit(ldexp(unit() + 1, (int)(r >> 8 & 63) - 50) * (r >> 20 & 1 ? 1 : -1));
	case 3: return fit(1 + ldexp(unit() - 0.5, -(int)(r >> 8 & 31)));
	}
	return fit(lo + (hi - lo) * unit());
}

int main(int argc, char **argv) {
	if (argc != 5) return 1;
	width = atoi(argv[2]);
	state = strtoull(argv[3], 0, 10);
	long count = atol(argv[4]);
	size_t i = 0, n = sizeof table / sizeof *table;
	while (i < n && strcmp(table[i].name, argv[1])) i++;
	if (i == n) return 2;
	mpfr_t x, y, r, rest;
	mpfr_init2(x, 53); mpfr_init2(y, 53); mpfr_init2(r, 240); mpfr_init2(rest, 240);
	for (; count > 0; count--) {
		double out[4] = {point(table[i].lo, table[i].hi), 0, 0, 0};
		if (table[i].f2) out[1] = point(table[i].lo, table[i].hi);
		if (table[i].kind == 'i') { out[1] = (double)((int64_t)(next() % 41) - 20); if (next() % 8 == 0) out[1] = (double)(int32_t)next(); }
		// Within the range where MPFR takes no time and no memory without bounds.
		if (table[i].f1 == mpfr_gamma && fabs(out[0]) > 1e4 && isfinite(out[0])) { count++; continue; }
		if (table[i].f1 == lgamma_ && out[0] < -1e4 && isfinite(out[0])) { count++; continue; }
		mpfr_set_d(x, out[0], MPFR_RNDN);
		mpfr_set_d(y, out[1], MPFR_RNDN);
		if (table[i].f1) table[i].f1(r, x, MPFR_RNDN); else table[i].f2(r, x, y, MPFR_RNDN);
		out[2] = mpfr_get_d(r, MPFR_RNDN);
		if (isfinite(out[2])) {
			mpfr_sub_d(rest, r, out[2], MPFR_RNDN);
			out[3] = mpfr_get_d(rest, MPFR_RNDN);
		}
		fwrite(out, 8, 4, stdout);
	}
	return fflush(stdout) != 0 || ferror(stdout);
}
