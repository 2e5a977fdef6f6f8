// Elementary functions in double precision, by the methods of math_float.h with longer polynomials, and where
// a unit in the last place demands it with values kept as the sum of two doubles (Dekker 1971).
#pragma once
#include "math_float.h"

// high + low. No step of these may be fused into another, so they are written in instructions.
struct __wf_pair {
    double high, low;
};
// Of any two; of two the first of which is the larger.
__wf_fn __wf_pair __wf_sum(double a, double b)
{
    double high = __dadd_rn(a, b), part = __dsub_rn(high, a);
    return {high, __dadd_rn(__dsub_rn(a, __dsub_rn(high, part)), __dsub_rn(b, part))};
}
__wf_fn __wf_pair __wf_ordered_sum(double a, double b)
{
    double high = __dadd_rn(a, b);
    return {high, __dsub_rn(b, __dsub_rn(high, a))};
}
__wf_fn __wf_pair __wf_product(double a, double b)
{
    double high = __dmul_rn(a, b);
    return {high, __fma_rn(a, b, -high)};
}
__wf_fn __wf_pair __wf_product(__wf_pair a, __wf_pair b)
{
    __wf_pair r = __wf_product(a.high, b.high);
    return __wf_ordered_sum(r.high, __fma_rn(a.high, b.low, __fma_rn(a.low, b.high, r.low)));
}

// -- powers -------------------------------------------------------------------------------------------------
// e^(r + low) for |r| up to half of ln 2 and low below r's last place, as a sum.
__wf_fn __wf_pair __wf_exp_pair(double r, double low)
{
    double p = __wf_polynomial(r, 0.5, 0.1666666666666667, 0.04166666666666667, 0.008333333333325544,
                               0.0013888888888883327, 0.00019841269876864356, 2.4801587327007187e-05,
                               2.755725283351691e-06, 2.75572718102198e-07, 2.5106274733573296e-08,
                               2.0915442297780116e-09);
    return __wf_ordered_sum(1.0, r + fma(r * r, p, low));
}
// That times 2^n, in two steps, so that only the last can overflow or round.
__wf_fn double __wf_exp_reduced(double r, double low, int n)
{
    int half = n >> 1;
    return __wf_exp_pair(r, low).high * __wf_power<double>(half) * __wf_power<double>(n - half);
}
// a = n ln 2 + the result.
__wf_fn __wf_pair __wf_exp_split(double a, double *n)
{
    *n = rint(a * 1.4426950408889634);
    double high = fma(*n, -0.6931471805599453, a), r = fma(*n, -2.3190468138462996e-17, high);
    return {r, fma(*n, -2.3190468138462996e-17, high - r)};
}
__wf_fn double exp(double a)
{
    double n;
    __wf_pair r = __wf_exp_split(a > 712.0 ? 712.0 : a < -747.0 ? -747.0 : a, &n);
    return __wf_exp_reduced(r.high, r.low, (int)n);
}
// Half of e^a for a from 0 on, as a sum.
__wf_fn __wf_pair __wf_half_exp(double a)
{
    double n;
    __wf_pair r = __wf_exp_split(a > 712.0 ? 712.0 : a, &n), e = __wf_exp_pair(r.high, r.low);
    double scale = __wf_power<double>(((int)n >> 1) - 1), rest = __wf_power<double>((int)n - ((int)n >> 1));
    return {e.high * scale * rest, e.low * scale * rest};
}
__wf_fn double exp2(double a)
{
    double clamped = a > 1025.0 ? 1025.0 : a < -1077.0 ? -1077.0 : a;
    double n = rint(clamped);
    __wf_pair r = __wf_product(clamped - n, 0.6931471805599453);
    return __wf_exp_reduced(r.high, fma(clamped - n, 2.3190468138462996e-17, r.low), (int)n);
}
__wf_fn double exp10(double a)
{
    double clamped = a > 310.0 ? 310.0 : a < -325.0 ? -325.0 : a;
    double n = rint(clamped * 3.321928094887362);
    double exact = fma(n, -0.3010299956639812, clamped), rest = fma(n, 2.8037281277851704e-18, exact);
    double rest_low = fma(n, 2.8037281277851704e-18, exact - rest);
    __wf_pair r = __wf_product(rest, 2.302585092994046);
    return __wf_exp_reduced(
        r.high, fma(rest_low, 2.302585092994046, fma(rest, -2.1707562233822494e-16, r.low)), (int)n);
}
__wf_fn double expm1(double a)
{
    double n;
    __wf_pair split = __wf_exp_split(a < -60.0 ? -60.0 : a > 712.0 ? 712.0 : a, &n);
    double r = split.high;
    double p = __wf_polynomial(r, 0.5, 0.1666666666666667, 0.04166666666666667, 0.008333333333325544,
                               0.0013888888888883327, 0.00019841269876864356, 2.4801587327007187e-05,
                               2.755725283351691e-06, 2.75572718102198e-07, 2.5106274733573296e-08,
                               2.0915442297780116e-09);
    double rest = fma(r * r, p, split.low);
    double half = __wf_power<double>(min((int)n, 1024) - 1);
    __wf_pair whole = __wf_sum(half - 0.5, half * r);
    double sum = 2.0 * (whole.high + fma(half, rest, whole.low));
    return copysign(n == 0.0 ? r + rest : a > 709.8 ? (double)__WF_INFINITY : sum, a);
}

// -- logarithms ---------------------------------------------------------------------------------------------
__wf_fn double __wf_split(double a, double *f)
{
    double n = 0.0;
    if (a < 2.2250738585072014e-308) {
        a *= 18014398509481984.0;
        n = -54.0;
    }
    long long bits = __double_as_longlong(a), exponent = (bits - 0x3fe6a09e667f3bcdll) >> 52;
    *f = __longlong_as_double(bits - (long long)((unsigned long long)exponent << 52)) - 1.0;
    return n + (double)(int)exponent;
}
// log(1 + f) as f - f²/2 and what is left of it, with s = f / (2 + f).
__wf_fn __wf_pair __wf_log1p(double f)
{
    double s = f / (2.0 + f), z = s * s, square = 0.5 * f * f;
    double rest =
        z * __wf_polynomial(z, 0.666666666666667, 0.3999999999989924, 0.2857142862609589, 0.2222221111514416,
                            0.18182890556695602, 0.1533167403016786, 0.1461703754879165);
    __wf_pair r = __wf_ordered_sum(f, -square);
    return {r.high, r.low + fma(s, square + rest, -fma(0.5 * f, f, -square))};
}
__wf_fn double __wf_log_ends(double a, double otherwise)
{
    if (a == 0.0) return -__WF_INFINITY;
    if (a < 0.0) return __WF_NAN;
    return __wf_isfinite(a) ? otherwise : a + a;
}
// n of one unit and log(1 + f) of another, in a third.
__wf_fn double __wf_log_scaled(double n, __wf_pair l, __wf_pair unit, __wf_pair scale)
{
    __wf_pair p = __wf_product(l.high, scale.high), whole = __wf_product(n, unit.high);
    __wf_pair sum = __wf_sum(whole.high, p.high);
    double low = fma(l.high, scale.low, l.low * scale.high) + p.low;
    return sum.high + (sum.low + (fma(n, unit.low, whole.low) + low));
}
__wf_fn double log(double a)
{
    double f, n = __wf_split(a, &f);
    __wf_pair l = __wf_log1p(f), sum = __wf_sum(n * 0.6931471805599453, l.high);
    double low = fma(n, 0.6931471805599453, -(n * 0.6931471805599453));
    return __wf_log_ends(a, sum.high + (sum.low + (l.low + fma(n, 2.3190468138462996e-17, low))));
}
__wf_fn double log2(double a)
{
    double f, n = __wf_split(a, &f);
    return __wf_log_ends(
        a, __wf_log_scaled(n, __wf_log1p(f), {1.0, 0.0}, {1.4426950408889634, 2.0355273740931033e-17}));
}
__wf_fn double log10(double a)
{
    double f, n = __wf_split(a, &f);
    return __wf_log_ends(a, __wf_log_scaled(n, __wf_log1p(f), {0.3010299956639812, -2.8037281277851704e-18},
                                            {0.4342944819032518, 1.098319650216765e-17}));
}
__wf_fn double log1p(double a)
{
    double u = 1.0 + a, f, n = __wf_split(u, &f);
    double lost = a > 1.0 ? 1.0 - (u - a) : a - (u - 1.0);
    double low = lost * __wf_power<double>((int)fmax(-n, -1022.0)) / (1.0 + f);
    if (a > -0.29 && a < 0.41) {
        n = 0.0;
        f = a;
        low = 0.0;
    }
    __wf_pair l = __wf_log1p(f), sum = __wf_sum(n * 0.6931471805599453, l.high);
    low += fma(n, 2.3190468138462996e-17, fma(n, 0.6931471805599453, -(n * 0.6931471805599453)));
    double r = sum.high + (sum.low + (l.low + low));
    return a == 0.0 ? a : __wf_log_ends(u, r);
}

// log2 of a normal number to 2^-65 of it: 2/ln 2 (s + s³/3 + …), with the quotient and the first terms in
// pairs.
__wf_large __wf_pair __wf_log2_pair(double a)
{
    double f, n = __wf_split(a, &f);
    __wf_pair sum = __wf_ordered_sum(2.0, f);
    double quotient = f / sum.high;
    __wf_pair s =
        __wf_ordered_sum(quotient, __fma_rn(-quotient, sum.low, __fma_rn(-quotient, sum.high, f)) / sum.high);
    __wf_pair z = __wf_product(s, s);
    double q =
        __wf_polynomial(z.high, 0.4, 0.2857142857142937, 0.22222222221654733, 0.1818181833565416,
                        0.15384594934597917, 0.13334806212100603, 0.11706195689881364, 0.11723603622905411);
    __wf_pair first = __wf_product(z.high, q);
    __wf_pair factor = __wf_ordered_sum(0.6666666666666666, first.high);
    factor.low += first.low + fma(z.low, q, 3.700743415417188e-17);
    __wf_pair cubic = __wf_product(__wf_product(s, z), factor);
    __wf_pair l = __wf_ordered_sum(2.0 * s.high, cubic.high);
    l = __wf_ordered_sum(l.high, l.low + (fma(2.0, s.low, cubic.low)));
    __wf_pair r = __wf_product(l, {1.4426950408889634, 2.0355273740931033e-17});
    __wf_pair whole = __wf_sum(n, r.high);
    return __wf_ordered_sum(whole.high, whole.low + r.low);
}
// |a|^b
__wf_large double __wf_pow(double a, double b)
{
    __wf_pair l = __wf_log2_pair(a), p = __wf_product(b, l.high);
    double low = fma(b, l.low, p.low);
    if (!(fabs(p.high) < 1100.0)) {
        p.high = copysign(1100.0, p.high);
        low = 0.0;
    }
    double n = rint(p.high), rest = p.high - n;
    __wf_pair r = __wf_product(rest, 0.6931471805599453);
    r = __wf_sum(r.high, fma(low, 0.6931471805599453, fma(rest, 2.3190468138462996e-17, r.low)));
    return __wf_exp_reduced(r.high, r.low, (int)n);
}
__wf_large double pow(double a, double b)
{
    double half = b * 0.5;
    bool whole = trunc(b) == b, odd = whole && trunc(half) != half;
    return __wf_pow_ends(a, b, __wf_pow(fabs(a), b), whole, odd);
}

// -- angles -------------------------------------------------------------------------------------------------
// a = quadrant pi/2 + the result.
__wf_large __wf_pair __wf_reduce(double a, int *quadrant)
{
    if (fabs(a) < 67108864.0) {
        double n = rint(a * 0.6366197723675814);
        *quadrant = (int)n;
        if (n == 0.0) return {a, 0.0};
        double exact = __fma_rn(n, -1.5707963267948966, a);
        __wf_pair next = __wf_product(n, -6.123233995736766e-17), r = __wf_sum(exact, next.high);
        return __wf_ordered_sum(r.high, r.low + fma(n, 1.4973849048591698e-33, next.low));
    }
    *quadrant = 0;
    if (!__wf_isfinite(a)) return {__WF_NAN, __WF_NAN};
    long long rest;
    unsigned long long rest_low, bits = __wf_magnitude(a);
    int n = __wf_quarters((bits & 0xfffffffffffffull) | 0x10000000000000ull, (int)(bits >> 52) - 1075, &rest,
                          &rest_low);
    double high = (double)rest,
           low = (double)(rest - (long long)high) + (double)rest_low * 5.421010862427522e-20;
    if (high == 9223372036854775808.0) low = (double)(rest - 0x7fffffffffffffffll - 1);
    __wf_pair r = __wf_ordered_sum(high * 5.421010862427522e-20, low * 5.421010862427522e-20);
    r = __wf_product(r, {1.5707963267948966, 6.123233995736766e-17});
    *quadrant = a < 0.0 ? -n : n;
    return a < 0.0 ? __wf_pair{-r.high, -r.low} : r;
}
__wf_fn double __wf_sine(__wf_pair r)
{
    double x = r.high, z = x * x, cubed = fma(z, x, 0.0); // +0 for -0
    double p = __wf_polynomial(z, 0.008333333333330827, -0.0001984126983657571, 2.755731600817155e-06,
                               -2.5051112272573243e-08, 1.5916726193889336e-10);
    double tail = fma(z, fma(0.5, -r.low, cubed * p), r.low);
    return x - fma(cubed, 0.16666666666666666, -tail);
}
__wf_fn double __wf_cosine(__wf_pair r)
{
    double x = r.high, z = x * x, half = 0.5 * z, one = 1.0 - half;
    double p = __wf_polynomial(z, 0.041666666666666664, -0.0013888888888887322, 2.4801587298651292e-05,
                               -2.755731721268659e-07, 2.0876134024090145e-09, -1.1381754653662937e-11);
    return one + (((1.0 - one) - half) + fma(z * z, p, -x * r.low));
}
__wf_fn double __wf_sine_of(__wf_pair r, int quadrant)
{
    double value = quadrant & 1 ? __wf_cosine(r) : __wf_sine(r);
    return quadrant & 2 ? -value : value;
}
__wf_fn double sin(double a)
{
    int quadrant;
    __wf_pair r = __wf_reduce(a, &quadrant);
    return a == 0.0 ? a : __wf_sine_of(r, quadrant);
}
__wf_fn double cos(double a)
{
    int quadrant;
    __wf_pair r = __wf_reduce(a, &quadrant);
    return __wf_sine_of(r, quadrant + 1);
}
__wf_fn void sincos(double a, double *sine, double *cosine)
{
    int quadrant;
    __wf_pair r = __wf_reduce(a, &quadrant);
    *sine = a == 0.0 ? a : __wf_sine_of(r, quadrant);
    *cosine = __wf_sine_of(r, quadrant + 1);
}
__wf_fn double tan(double a)
{
    int quadrant;
    __wf_pair r = __wf_reduce(a, &quadrant);
    double sine = __wf_sine(r), cosine = __wf_cosine(r);
    return a == 0.0 ? a : quadrant & 1 ? -cosine / sine : sine / cosine;
}
__wf_fn double __wf_sinpi(double a, int quadrant)
{
    double turn = fma(rint(a * 0.5), -2.0, a), n = rint(turn * 2.0), rest = fma(n, -0.5, turn);
    __wf_pair r = __wf_product(rest, 3.141592653589793);
    r.low = fma(rest, 1.2246467991473532e-16, r.low);
    return __wf_sine_of(r, (int)n + quadrant);
}
__wf_fn double sinpi(double a)
{
    return __wf_isinf(a) ? (double)__WF_NAN : a == trunc(a) ? copysign(0.0, a) : __wf_sinpi(a, 0);
}
__wf_fn double cospi(double a) { return __wf_isinf(a) ? (double)__WF_NAN : __wf_sinpi(a, 1) + 0.0; }
__wf_fn void sincospi(double a, double *sine, double *cosine)
{
    *sine = sinpi(a);
    *cosine = cospi(a);
}

// -- arcs ---------------------------------------------------------------------------------------------------
// atan t - t, up to tan(pi/8).
__wf_fn double __wf_arc_rest(double t)
{
    double z = t * t;
    double p =
        __wf_polynomial(z, -0.3333333333333333, 0.1999999999999509, -0.14285714284577217, 0.11111111008107874,
                        -0.09090904289128517, 0.07692176510795928, -0.06664417824186955, 0.058573396761385246,
                        -0.05081236164642543, 0.03911053674347613, -0.019029290809743134);
    return p * z * t;
}
// atan(up / across) of two positive numbers, not both zero or infinite: 0, pi/4 or pi/2 and the arc of the
// quotient that is left.
__wf_large __wf_pair __wf_arc(double up, double across)
{
    double base = 0.0, base_low = 0.0, numerator = up, denominator = across, low = 0.0, denominator_low = 0.0;
    if (up > 2.414213562373095 * across) {
        base = 1.5707963267948966;
        base_low = 6.123233995736766e-17;
        numerator = -across;
        denominator = up;
    } else if (up > 0.41421356237309503 * across) {
        base = 0.7853981633974483;
        base_low = 3.061616997868383e-17;
        __wf_pair difference = __wf_sum(up, -across), sum = __wf_sum(up, across);
        numerator = difference.high;
        low = difference.low;
        denominator = sum.high;
        denominator_low = sum.low;
    }
    double t = numerator / denominator;
    double t_low = fabs(t) < 1e-290
                       ? 0.0
                       : (fma(-t, denominator, numerator) + fma(-t, denominator_low, low)) / denominator;
    __wf_pair sum = __wf_ordered_sum(base, t);
    if (base == 0.0) sum = {t, 0.0};
    return __wf_ordered_sum(sum.high, sum.low + (base_low + (__wf_arc_rest(t) + t_low / fma(t, t, 1.0))));
}
__wf_fn double atan(double a)
{
    double size = fabs(a);
    if (!(size < 1e300)) return __wf_isnan(a) ? a : copysign(1.5707963267948966, a);
    return copysign(__wf_arc(size, 1.0).high, a);
}
__wf_large double atan2(double y, double x)
{
    double across = fabs(x), up = fabs(y);
    if (__wf_isnan(x) || __wf_isnan(y)) return x + y;
    if (__wf_isinf(x) || __wf_isinf(y)) {
        across = __wf_isinf(x) ? 1.0 : 0.0;
        up = __wf_isinf(y) ? 1.0 : 0.0;
    }
    // Neither their sum nor what is left of a quotient may leave the range of numbers.
    double large = fmax(across, up), scale = large > 1e290 ? 1e-40 : large < 1e-250 ? 1e250 : 1.0;
    __wf_pair arc = {0.0, 0.0};
    if (up > 0.0) arc = __wf_arc(up * scale, across * scale);
    if (__wf_signbit(x)) {
        __wf_pair rest = __wf_ordered_sum(3.141592653589793, -arc.high);
        arc.high = rest.high + (rest.low + (1.2246467991473532e-16 - arc.low));
    }
    return copysign(arc.high, y);
}
// asin(s) - s for s² = z up to 1/4.
__wf_fn double __wf_asin_rest(double s, double z)
{
    return s * z *
           __wf_polynomial(z, 0.16666666666666669, 0.07499999999998433, 0.04464285714635543,
                           0.030381944138531247, 0.02237217294214989, 0.017352392720869973,
                           0.013971212973552933, 0.011479177415184906, 0.01032281435018578,
                           0.005457506718640358, 0.01740087944269402, -0.014851887071247204,
                           0.028757851367421566);
}
// acos(a) = 2 asin(sqrt((1 - a) / 2)) for a from 1/2 on, the root and its rest.
__wf_fn __wf_pair __wf_acos(double a)
{
    double half = fma(a, -0.5, 0.5), root = sqrt(half);
    double low = root > 0.0 ? fma(-root, root, half) / (2.0 * root) : 0.0;
    return {2.0 * root, 2.0 * (__wf_asin_rest(root, half) + low)};
}
__wf_fn double asin(double a)
{
    double size = fabs(a);
    __wf_pair arc = __wf_acos(size), rest = __wf_ordered_sum(1.5707963267948966, -arc.high);
    double near_one = rest.high + (rest.low + (6.123233995736766e-17 - arc.low));
    return copysign(size > 0.5 ? near_one : size + __wf_asin_rest(size, size * size), a);
}
__wf_fn double acos(double a)
{
    double size = fabs(a);
    __wf_pair arc = __wf_acos(size);
    __wf_pair middle = __wf_ordered_sum(1.5707963267948966, -a),
              far = __wf_ordered_sum(3.141592653589793, -arc.high);
    if (size <= 0.5) return middle.high + (middle.low + (6.123233995736766e-17 - __wf_asin_rest(a, a * a)));
    return a < 0.0 ? far.high + (far.low + (1.2246467991473532e-16 - arc.low)) : arc.high + arc.low;
}

// -- hyperbolic functions -----------------------------------------------------------------------------------
__wf_fn double sinh(double a)
{
    double size = fabs(a), z = a * a;
    __wf_pair e = __wf_half_exp(size);
    double p = __wf_polynomial(z, 0.16666666666666666, 0.008333333333333299, 0.00019841269841324198,
                               2.7557319191381816e-06, 2.5052117695907823e-08, 1.6057679623801638e-10,
                               7.746178593018827e-13);
    return size < 1.0 ? fma(a * z, p, a) : copysign(e.high + (e.low - 0.25 / e.high), a);
}
__wf_fn double cosh(double a)
{
    double size = fabs(a), less = expm1(size);
    __wf_pair e = __wf_half_exp(size);
    return size < 0.35 ? 1.0 + less * less / fma(2.0, less, 2.0) : e.high + (e.low + 0.25 / e.high);
}
__wf_fn double tanh(double a)
{
    double size = fabs(a), z = a * a;
    double p = __wf_polynomial(z, -0.3333333333333333, 0.13333333333333333, -0.053968253968252625,
                               0.021869488536057247, -0.008863235526183403, 0.0035921279523890705,
                               -0.0014558331607022348, 0.0005900154271291456, -0.00023904812628545614,
                               9.65372920808768e-05, -3.8068171504597405e-05, 1.3341844917615226e-05,
                               -3.0087819063055317e-06);
    __wf_pair e = __wf_half_exp(2.0 * size), sum = __wf_sum(e.high, 0.5);
    double quotient = 1.0 / sum.high;
    double large = size > 20.0 ? 1.0 : 1.0 - fma(-quotient, quotient * (sum.low + e.low), quotient);
    return copysign(size < 0.55 ? fma(size * z, p, size) : large, a);
}
__wf_large double asinh(double a)
{
    double size = fabs(a);
    double r = size > 1e150 ? log(size) + 0.6931471805599453
                            : log1p(size + size * size / (1.0 + sqrt(fma(size, size, 1.0))));
    return copysign(size < 1e-9 ? size : r, a);
}
__wf_large double acosh(double a)
{
    double over = a - 1.0;
    if (a < 1.0) return __WF_NAN;
    return a > 1e150 ? log(a) + 0.6931471805599453 : log1p(over + sqrt(fma(over, over, 2.0 * over)));
}
__wf_large double atanh(double a)
{
    double size = fabs(a);
    return copysign(0.5 * log1p(2.0 * size / (1.0 - size)), a);
}

// -- roots --------------------------------------------------------------------------------------------------
__wf_large double rsqrt(double a)
{
    double r = 1.0 / sqrt(a);
    if (!(a > 0.0 && __wf_isfinite(a))) return r;
    __wf_pair root = __wf_product(a, r);
    return fma(0.5 * r, fma(-root.high, r, 1.0) - root.low * r, r);
}
// From a float's guess two Newton steps, the last with what the cube misses by.
__wf_large double cbrt(double a)
{
    if (a == 0.0 || !__wf_isfinite(a)) return a + a;
    int exponent = __wf_exponent(a), third = (exponent + 3 * 400) / 3 - 400;
    double x = __wf_ldexp(fabs(a), -3 * third);
    double y = (double)__nvvm_ex2_approx_f(__nvvm_lg2_approx_f((float)x) * 0.333333333f);
    y -= fma(y * y, y, -x) / (3.0 * y * y);
    __wf_pair square = __wf_product(y, y);
    y -= (fma(square.high, y, -x) + square.low * y) / (3.0 * square.high);
    return copysign(__wf_ldexp(y, third), a);
}
__wf_large double rcbrt(double a)
{
    if (a == 0.0 || !__wf_isfinite(a)) return 1.0 / a;
    int exponent = __wf_exponent(a), third = (exponent + 3 * 400) / 3 - 400;
    double x = __wf_ldexp(fabs(a), -3 * third);
    double y = (double)__nvvm_ex2_approx_f(__nvvm_lg2_approx_f((float)x) * -0.333333333f);
    y = fma(y * 0.3333333333333333, fma(-x * y, y * y, 1.0), y);
    __wf_pair square = __wf_product(y, y), cube = __wf_product(square.high, y);
    double missed = fma(-x, fma(square.low, y, cube.low), fma(-x, cube.high, 1.0));
    return copysign(__wf_ldexp(fma(y * 0.3333333333333333, missed, y), -third), a);
}
__wf_large double hypot(double a, double b)
{
    double x = fabs(a), y = fabs(b), large = fmax(x, y), small = fmin(x, y);
    if (__wf_isinf(x) || __wf_isinf(y)) return __WF_INFINITY;
    if (__wf_isnan(x) || __wf_isnan(y)) return a + b;
    double scale = large > 1e150 ? 0x1p-600 : large < 1e-150 ? 0x1p600 : 1.0;
    large *= scale;
    small *= scale;
    return sqrt(fma(large, large, small * small)) / scale;
}
